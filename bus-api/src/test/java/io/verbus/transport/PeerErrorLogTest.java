// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

class PeerErrorLogTest {
    private enum Kind {
        ONE,
        OTHER
    }

    private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(128 * 1024));
    private final DistinctErrorLog log = new DistinctErrorLog(memory, SystemEpochClock.INSTANCE);
    private final AtomicCounter counter =
            new CountersManager(
                            new UnsafeBuffer(ByteBuffer.allocateDirect(64 * 1024)),
                            new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 1024)))
                    .newCounter("errors of peers");
    private final PeerErrorLog errors = new PeerErrorLog(log::record, counter);

    private List<String> told() {
        List<String> texts = new ArrayList<>();
        ErrorLogReader.read(memory, (count, first, last, text) -> texts.add(text.strip()));
        return texts;
    }

    @Test
    void recordsOncePerPeerAndKind() {
        for (int i = 0; i < 1000; i++) {
            errors.record(Kind.ONE, "10.0.0." + i % 2, "image-" + i + ".log does not fit");
            errors.record(Kind.OTHER, "10.0.0.1", "stream " + i + " is wrong");
        }
        assertEquals(2000, counter.get());
        assertEquals(3, told().size(), told().toString());
        assertTrue(told().getFirst().endsWith("image-0.log does not fit"), told().getFirst());
    }

    @Test
    void leavesRoomForDriverErrorsDespiteManyPeers() {
        for (int i = 0; i < 100_000; i++) {
            errors.record(Kind.values()[i % 2], "peer " + i, i + "x".repeat(600));
        }
        assertEquals(100_000, counter.get());
        assertEquals(2 * (PeerErrorLog.MAX_PEERS + 1), told().size());
        for (int i = 0; i < 5; i++) {
            assertTrue(log.record(new IllegalStateException("the driver's own " + i)));
        }
        assertTrue(told().getLast().contains("the driver's own 4"));
    }
}
