// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

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
    void appliesSettings() {
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
        "10.1.0.2, 10.1.0.2",
        "10.1.0.0/16, 10.1.0.0/16",
        "{eth1}, {eth1}",
        "[fd00::1], fd00::1",
        "any,"
    })
    void parsesLocalAddress(String value, String host) {
        assertEquals(
                host, RdmaOptions.of(new Options(Map.of("rdma.interface", value))).localHost());
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
        "rdma.interface, ''",
        "rdma.interface, 10.1.0.2:7400",
        "rdma.interface, 10.1.0.0/33",
        "rdma.link-layer, token-ring",
        "rdma.order, fast",
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
    void namesOptionOfInvalidValue(String name, String value) {
        TransportException refused =
                assertThrows(
                        TransportException.class,
                        () -> RdmaOptions.of(new Options(Map.of(name, value))));
        assertTrue(refused.getMessage().contains(name), refused.getMessage());
    }

    private record Options(Map<String, String> set) implements TransportSettings {
        @Override
        public String option(String name, String defaultValue) {
            return set.getOrDefault(name, defaultValue);
        }
    }
}
