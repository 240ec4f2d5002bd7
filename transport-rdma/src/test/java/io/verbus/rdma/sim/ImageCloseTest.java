// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The last subscriber of an image leaves while its stream continues or ends. */
class ImageCloseTest {
    private static final int STREAM = 42;
    private static final long PROBE_TIMEOUT_MILLIS = 20;

    @TempDir Path directory;

    /** The subscribing driver waits for an answer, and would end the connection without one. */
    @Test
    void answersImageClosedIfStreamEndsBeforeThereIsRoomForOffer() {
        try (TwoDrivers net =
                new TwoDrivers(
                        System.nanoTime(),
                        directory,
                        "rdma.probe-timeout",
                        PROBE_TIMEOUT_MILLIS + "ms",
                        "rdma.probe-interval",
                        "2ms")) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            net.connection().sim().grantMessages(false);
            net.b.transport.inbound().closeImage(net.b.image());
            net.until("closed", () -> !stream.connected);
            stream.end();
            net.a.transport.outbound().closePublication(stream);
            net.forMillis(5);
            assertFalse(net.a.releasedStreams.contains(stream));
            net.connection().sim().grantMessages(true);
            net.until("released", () -> net.a.releasedStreams.contains(stream));
            net.forMillis(2 * PROBE_TIMEOUT_MILLIS);
            assertEquals(List.of(), net.a.errors);
            assertEquals(List.of(), net.b.errors);
        }
    }
}
