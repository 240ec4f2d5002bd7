// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.udp.wire.HeartbeatFrame;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Uses frames of 64 bytes, numbered in stream order. */
class GapRecoveryTest {
    private static final int FRAME = 64;
    private static final int TERM = 64 * 1024;
    private static final int SESSION = 3;
    private static final int STREAM = 4;
    private static final int INITIAL_TERM = 5;
    private static final long DELAY = 100;
    private static final long RETRY = 1000;

    private record Gap(long first, int frames, boolean isNew) {}

    @TempDir Path folder;

    private final List<Gap> gaps = new ArrayList<>();
    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(FRAME));
    private LogBuffers buffers;
    private RebuiltLog log;
    private GapRecovery recovery;

    @BeforeEach
    void open() {
        buffers =
                LogBuffers.create(
                        folder.resolve("image.log"),
                        new LogSpec(
                                LogType.IMAGE, 1, SESSION, STREAM, INITIAL_TERM, TERM, 1408, 0));
        log = new RebuiltLog(buffers, 0);
        recovery = recovery(0);
    }

    private GapRecovery recovery(long backoffNs) {
        return new GapRecovery(
                log,
                DELAY,
                RETRY,
                backoffNs,
                (begin, length, isNew, nowNs) ->
                        gaps.add(new Gap(begin / FRAME, length / FRAME, isNew)));
    }

    @Test
    void delaysNaksRandomlyInGroup() {
        recovery = recovery(10 * DELAY);
        arrive(0, 2);
        assertEquals(List.of(), due(0));
        assertEquals(List.of(), due(DELAY - 1));
        assertEquals(List.of(new Gap(1, 1, true)), due(11 * DELAY));
        long early = 0;
        for (int i = 0; i < 20; i++) { // all early by chance twice in a hundred million runs
            recovery = recovery(10 * DELAY);
            due(0);
            early += due(5 * DELAY).size();
        }
        assertTrue(early > 0 && early < 20, early + " of 20 were early");
    }

    @AfterEach
    void close() {
        buffers.close();
    }

    private void arrive(int... numbers) {
        for (int n : numbers) {
            int at = n * FRAME;
            HeartbeatFrame.write(frame, 0, SESSION, STREAM, INITIAL_TERM + at / TERM, at % TERM);
            frame.putInt(FrameHeader.FRAME_LENGTH, FRAME);
            assertEquals(0, log.insert(frame, at, FRAME, Long.MAX_VALUE));
        }
    }

    private List<Gap> due(long nowNs) {
        gaps.clear();
        assertEquals(recovery.work(nowNs), gaps.size());
        return gaps;
    }

    @Test
    void requestsEveryDueGap() {
        arrive(0, 2, 5);
        assertEquals(List.of(), due(0));
        arrive(7);
        assertEquals(List.of(), due(50));
        assertEquals(List.of(new Gap(1, 1, true), new Gap(3, 2, true)), due(DELAY));
        assertEquals(List.of(new Gap(6, 1, true)), due(50 + DELAY));
    }

    @Test
    void ignoresGapClosedByReordering() {
        arrive(0, 2, 4);
        due(0);
        arrive(1);
        assertEquals(List.of(new Gap(3, 1, true)), due(DELAY));
        arrive(3);
        assertEquals(5 * FRAME, log.rebuilt());
    }

    @Test
    void requestsRemainingGapsAgainAfterPartialArrival() {
        arrive(0, 6);
        due(0);
        assertEquals(List.of(new Gap(1, 5, true)), due(DELAY));
        arrive(2, 4);
        assertEquals(List.of(), due(DELAY + RETRY - 1));
        List<Gap> left = List.of(new Gap(1, 1, false), new Gap(3, 1, false), new Gap(5, 1, false));
        assertEquals(left, due(DELAY + RETRY));
        assertEquals(List.of(), due(DELAY + 2 * RETRY - 1));
        assertEquals(left, due(DELAY + 2 * RETRY));
        arrive(1, 3, 5);
        assertEquals(7 * FRAME, log.rebuilt());
        assertEquals(List.of(), due(DELAY + 100 * RETRY));
    }

    @Test
    void limitsRequestsToCapacity() {
        for (int n = 0; n < 100; n++) {
            arrive(2 * n + 1);
        }
        due(0);
        assertEquals(GapRecovery.CAPACITY, due(DELAY).size());
        assertEquals(new Gap(0, 1, true), gaps.getFirst());
        for (int n = 0; n < GapRecovery.CAPACITY; n++) {
            arrive(2 * n);
        }
        due(DELAY);
        due(DELAY);
        assertEquals(new Gap(2 * GapRecovery.CAPACITY, 1, true), due(2 * DELAY).getFirst());
        assertEquals(GapRecovery.CAPACITY, gaps.size());
    }

    @Test
    void splitsGapAtEndOfTerm() {
        int frames = TERM / FRAME;
        arrive(frames + 1);
        due(0);
        assertEquals(List.of(new Gap(0, frames, true), new Gap(frames, 1, true)), due(DELAY));
    }

    @Test
    void requestsGapAnnouncedByHeartbeat() {
        arrive(0);
        log.sentUpTo(4 * FRAME);
        assertTrue(log.hasGap());
        due(0);
        assertEquals(List.of(new Gap(1, 3, true)), due(DELAY));
    }
}
