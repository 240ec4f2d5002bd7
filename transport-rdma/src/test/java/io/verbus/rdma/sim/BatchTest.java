// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Frames committed before the sender's turn are sent in as few batches as possible. */
class BatchTest {
    private static final long SEED = System.nanoTime();
    private static final int STREAM = 42;

    @TempDir private Path directory;

    @Test
    void sendsAllFramesOfTermInOneBatch() {
        try (TwoDrivers net = new TwoDrivers(SEED, directory, "rdma.batch-length", "1g")) {
            TestStream stream = fill(net);
            assertTrue(stream.offered > 50, () -> stream.offered + " frames; seed " + SEED);
            long before = net.a.counter(": batches");
            net.a.send(net.nowNs);
            assertEquals(stream.position(), stream.senderPosition());
            assertEquals(before + 1, net.a.counter(": batches"), () -> "seed " + SEED);
        }
    }

    @Test
    void limitsBatchToBatchLength() {
        try (TwoDrivers net = new TwoDrivers(SEED, directory, "rdma.batch-length", "4k")) {
            TestStream stream = fill(net);
            long before = net.a.counter(": batches");
            net.a.send(net.nowNs);
            assertTrue(stream.senderPosition() > 0 && stream.senderPosition() <= 4096);
            assertEquals(before + 1, net.a.counter(": batches"), () -> "seed " + SEED);
        }
    }

    @Test
    void limitsBatchToMaxMessageOfPort() {
        try (TwoDrivers net = new TwoDrivers(SEED, directory, "rdma.batch-length", "1g")) {
            net.network.maxMessage(8192);
            TestStream stream = fill(net);
            long before = net.a.counter(": batches");
            net.a.send(net.nowNs);
            assertTrue(stream.senderPosition() > 4096 && stream.senderPosition() <= 8192);
            assertEquals(before + 1, net.a.counter(": batches"), () -> "seed " + SEED);
            net.until("all of it", () -> net.b.image().received == stream.offered);
        }
    }

    /** Fills a term, except for the room of the last frame, without sending anything. */
    private static TestStream fill(TwoDrivers net) {
        net.publishing = false;
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        stream.clean();
        int term = TwoDrivers.CHANNEL.termLength();
        while (stream.position() < term - 2048 && stream.offer()) {
            continue;
        }
        assertTrue(stream.position() >= term - 2048, () -> stream.position() + " bytes only");
        return stream;
    }
}
