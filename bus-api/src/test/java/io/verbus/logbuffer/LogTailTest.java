// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A rotation that stalls before or between its two steps. */
class LogTailTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int INITIAL_TERM_ID = Integer.MAX_VALUE - 1; // term ids turn negative
    private static final int FULL = TERM_LENGTH + 64;

    private final LogBuffers log =
            TestLogs.create(TestLogs.spec(TERM_LENGTH, 1408, INITIAL_TERM_ID, 2L * TERM_LENGTH));
    private final UnsafeBuffer metadata = log.metadata();

    @AfterEach
    void close() {
        log.close();
    }

    private void tail(int termCount, int offset) {
        metadata.putLong(
                LogTail.offset(termCount), LogLayout.rawTail(INITIAL_TERM_ID + termCount, offset));
    }

    @Test
    void returnsEndOfTermUntilNextTailIsSet() {
        tail(2, FULL);
        tail(0, FULL);
        assertEquals(3L * TERM_LENGTH, LogTail.position(log));
        assertTrue(LogTail.isRotating(log));
    }

    @Test
    void countsLateClaimInNextTermBeforeItIsActive() {
        tail(2, FULL);
        tail(3, 0);
        // As in ConcurrentAppender.claimTail, on a thread that has found term 0 active.
        long late = metadata.getAndAddLong(LogTail.offset(0), 96);
        assertTrue(new ConcurrentAppender(log).giveUp(late, 96) < 0);
        assertEquals(3L * TERM_LENGTH + 96, LogTail.position(log));

        AtomicLongPosition subscriber = new AtomicLongPosition();
        subscriber.set(3L * TERM_LENGTH);
        LogReader reader = new LogReader(log, subscriber, false);
        reader.poll((buffer, offset, length, header) -> {}, 1);
        assertEquals(LogTail.position(log), subscriber.get());

        LogTail.rotate(metadata, INITIAL_TERM_ID, 2);
        assertEquals(3L * TERM_LENGTH + 96, LogTail.position(log));
    }
}
