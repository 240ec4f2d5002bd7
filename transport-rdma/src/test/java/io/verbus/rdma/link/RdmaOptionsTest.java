// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

class RdmaOptionsTest {
    @Test
    void hasDefaults() {
        RdmaOptions options = RdmaOptions.of(new Options(Map.of()));
        assertEquals(256, options.sendDepth());
        assertEquals(100_000_000, options.statusIntervalNs());
        assertEquals(65_536, options.batchLength());
        assertEquals(6, options.connection().retryCount());
        assertEquals(256, options.connection().messageLength());
    }

    @Test
    void takesWhatIsSet() {
        RdmaOptions options =
                RdmaOptions.of(
                        new Options(
                                Map.of(
                                        "rdma.send-depth", "512",
                                        "rdma.batch-length", "1m",
                                        "rdma.probe-timeout", "30s")));
        assertEquals(512, options.sendDepth());
        assertEquals(1 << 20, options.batchLength());
        assertEquals(30_000_000_000L, options.probeTimeoutNs());
    }

    @ParameterizedTest
    @CsvSource({
        "rdma.send-depth, 15",
        "rdma.send-depth, many",
        "rdma.retry-count, 7",
        "rdma.ack-timeout, 0",
        "rdma.ack-timeout, 9000s",
        "rdma.rnr-retry-count, 8",
        "rdma.traffic-class, 256",
        "rdma.path-mtu, 1500",
        "rdma.device, ''",
        "rdma.link-layer, token-ring",
        "rdma.batch-length, 1",
        "rdma.batch-length, 2g",
        "rdma.batch-length, big",
        "rdma.status-interval, 0s",
        "rdma.status-interval, soon",
        "rdma.probe-timeout, 1000h",
        "rdma.linger, -1s",
        "rdma.backoff-min, 3s",
        "rdma.max-streams, 0"
    })
    void refusesAWrongValueByName(String name, String value) {
        TransportException refused =
                assertThrows(
                        TransportException.class,
                        () -> RdmaOptions.of(new Options(Map.of(name, value))));
        assertTrue(refused.getMessage().contains(name), refused.getMessage());
    }

    /** A host of which only the options are asked. */
    private record Options(Map<String, String> set) implements TransportHost {
        @Override
        public String option(String name, String defaultValue) {
            return set.getOrDefault(name, defaultValue);
        }

        @Override
        public long driverId() {
            throw new UnsupportedOperationException();
        }

        @Override
        public InboundImage onSetup(InboundEndpoint endpoint, ImageSetup setup) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onImageEnding(InboundImage image, long finalPosition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onImageLost(InboundImage image, String reason) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onImageReleased(InboundImage image) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onPublicationReleased(OutboundStream stream) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public AtomicCounter counter(int typeId, long registrationId, String label) {
            throw new UnsupportedOperationException();
        }

        @Override
        public AtomicCounter counter(OutboundStream stream, int typeId, String what) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onError(Throwable error) {
            throw new UnsupportedOperationException();
        }
    }
}
