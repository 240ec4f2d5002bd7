// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Random;
import java.util.concurrent.TimeUnit;

class FollowingDistanceTest {
    private static final int TERM_LENGTH = 1024 * 1024;
    private static final int INITIAL_TERM_ID = 7;
    private static final int KEPT = FollowingDistance.KEPT;
    private static final int ENOUGH = FollowingDistance.ENOUGH;
    private static final int WINDOW = FollowingDistance.WINDOW;
    private static final long FAST_NS = FollowingDistance.FAST_WINDOW_NS - 1;

    private final LogBuffers log = TestLogs.create(TERM_LENGTH, 1408);
    private final FollowingDistance distance = new FollowingDistance(log, 0, 0);
    private long position;
    private long nowNs;

    @AfterEach
    void close() {
        log.close();
    }

    private void tail(int termId, int offset) {
        log.metadata().putLongRelease(LogLayout.RAW_TAILS, LogLayout.rawTail(termId, offset));
    }

    private void read(int bytes, long elapsedNs) {
        position += bytes;
        nowNs += elapsedNs;
        distance.measure(position, nowNs);
    }

    /** Returns a fast stream, whatever was measured before. */
    private FollowingDistance fast() {
        FollowingDistance fast = new FollowingDistance(log, 0, 0);
        fast.measure(WINDOW, FAST_NS);
        assertTrue(fast.isKept());
        return fast;
    }

    @Test
    void keepsDistanceOnlyInFastStreams() {
        assertFalse(distance.isKept());
        read(WINDOW, FAST_NS);
        assertTrue(distance.isKept());
        read(WINDOW, FAST_NS + 1);
        assertFalse(distance.isKept());
        read(3 * WINDOW, 3 * FAST_NS);
        assertTrue(distance.isKept());
        read(WINDOW, Long.MAX_VALUE / WINDOW);
        assertFalse(distance.isKept(), "the product overflows");
        read(WINDOW, FAST_NS);
        read(WINDOW, 1_000_000_000_000_000L);
        assertFalse(distance.isKept(), "the subscriber was away for days");
    }

    @Test
    void measuresSpeedOncePerWindow() {
        assertFalse(distance.isDue(WINDOW - 1));
        assertTrue(distance.isDue(WINDOW));
        distance.measure(WINDOW, FAST_NS);
        assertFalse(distance.isDue(2 * WINDOW - 1));
        assertTrue(distance.isDue(2 * WINDOW));
    }

    @Test
    void stopsReadingAtDistanceBehindTail() {
        FollowingDistance fast = fast();
        tail(INITIAL_TERM_ID, ENOUGH);
        assertEquals(ENOUGH - KEPT, fast.awaitEnd(0, 0));
        tail(INITIAL_TERM_ID, 10 * ENOUGH);
        assertEquals(
                ENOUGH - KEPT, fast.awaitEnd(0, ENOUGH - KEPT - 32), "looked before it had to");
        assertEquals(10 * ENOUGH - KEPT, fast.awaitEnd(0, ENOUGH - KEPT));
        assertTrue(fast.isKept());
    }

    @Test
    void readsFinishedTermToItsEnd() {
        FollowingDistance fast = fast();
        tail(INITIAL_TERM_ID, TERM_LENGTH);
        assertEquals(TERM_LENGTH, fast.awaitEnd(0, 0));
        tail(INITIAL_TERM_ID, TERM_LENGTH + 4096);
        assertEquals(TERM_LENGTH, fast().awaitEnd(0, TERM_LENGTH - 32));
        tail(INITIAL_TERM_ID + LogLayout.PARTITIONS, 64);
        assertEquals(TERM_LENGTH, fast().awaitEnd(0, TERM_LENGTH - 32));
    }

    @Test
    void checksTailAgainInNextTerm() {
        FollowingDistance fast = fast();
        tail(INITIAL_TERM_ID, TERM_LENGTH);
        assertEquals(TERM_LENGTH, fast.awaitEnd(0, 0));
        log.metadata()
                .putLong(LogTail.offset(1), LogLayout.rawTail(INITIAL_TERM_ID + 1, 2 * ENOUGH));
        assertEquals(2 * ENOUGH - KEPT, fast.awaitEnd(TERM_LENGTH, 0));
    }

    @Test
    void keepsNoDistanceBehindStalledTail() {
        FollowingDistance fast = fast();
        tail(INITIAL_TERM_ID, ENOUGH - 32);
        assertEquals(TERM_LENGTH, fast.awaitEnd(0, 0));
        assertFalse(fast.isKept());
    }

    @Test
    void measuresSpeedLessOftenAfterFutileWaits() {
        FollowingDistance fast = fast();
        int window = WINDOW;
        for (int i = 0; i < 8; i++) {
            tail(INITIAL_TERM_ID, 64);
            assertEquals(TERM_LENGTH, fast.awaitEnd(0, 0));
            window = Math.min(2 * window, 64 * WINDOW);
            assertFalse(fast.isDue(window - 1));
            assertTrue(fast.isDue(window));
            makeFast(fast, window);
        }
        tail(INITIAL_TERM_ID, ENOUGH);
        assertEquals(ENOUGH - KEPT, fast.awaitEnd(0, 0));
        makeFast(fast, 2 * window);
        assertFalse(fast.isDue(3 * window - 1), "nothing was waited for");
    }

    private static void makeFast(FollowingDistance distance, int position) {
        // As if no time had passed, even if this thread was suspended.
        distance.measure(position, System.nanoTime() - TimeUnit.SECONDS.toNanos(1));
        assertTrue(distance.isKept());
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void waitsWhilePublisherPullsAhead() throws Exception {
        int waited = 0;
        for (int i = 0; i < 10_000 && waited < 3; i++) {
            FollowingDistance fast = fast();
            tail(INITIAL_TERM_ID, 64);
            fast.awaitEnd(0, 0);
            makeFast(fast, 2 * WINDOW);
            tail(INITIAL_TERM_ID, 64);
            Thread publisher = Thread.ofPlatform().start(this::writeMuch);
            awaitStart();
            int end = fast.awaitEnd(0, 0);
            publisher.join();
            // If this thread has lost its processor, there is nothing to wait for; if the publisher
            // has, the wait ends.
            if (fast.isKept()) {
                assertTrue(end >= ENOUGH - KEPT && end <= TERM_LENGTH, "up to " + end);
                waited += isWindowShort(fast) ? 1 : 0;
            }
        }
        assertEquals(3, waited, "worthwhile waits");
    }

    private static boolean isWindowShort(FollowingDistance distance) {
        distance.measure(4 * WINDOW, 0);
        return distance.isDue(5 * WINDOW);
    }

    private void awaitStart() {
        while (log.metadata().getLongAcquire(LogLayout.RAW_TAILS)
                == LogLayout.rawTail(INITIAL_TERM_ID, 64)) {
            Thread.onSpinWait();
        }
    }

    private void writeMuch() {
        for (int i = 128; i < TERM_LENGTH / 2; i += 64) {
            tail(INITIAL_TERM_ID, i);
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void doesNotWaitForCorruptTail() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long rawTail =
                    random.nextBoolean()
                            ? random.nextLong()
                            : LogLayout.rawTail(INITIAL_TERM_ID, random.nextInt());
            log.metadata().putLong(LogLayout.RAW_TAILS, rawTail);
            int offset = random.nextInt(TERM_LENGTH / 32) * 32;
            int end = fast().awaitEnd(0, offset);
            assertTrue(end > offset && end <= TERM_LENGTH, () -> Long.toHexString(rawTail));
        }
    }

    @Test
    void deliversWholeFastStream() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        LogReader reader = new LogReader(log, new AtomicLongPosition(), false);
        UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
        long[] expected = new long[1];
        FragmentHandler handler =
                (buffer, offset, length, header) ->
                        assertEquals(expected[0]++, buffer.getLong(offset));
        int sent = 0;
        int heldBack = 0;
        for (int round = 0; round < 200; round++) {
            while (sent < (round + 1) * 5_000) {
                message.putLong(0, sent);
                if (appender.append(message, 0, 32, 0, Long.MAX_VALUE) > 0) {
                    sent++;
                }
            }
            // A poll never withholds everything that is available.
            while (reader.poll(handler, Integer.MAX_VALUE) > 0) {
                boolean isTermOver = reader.position() % TERM_LENGTH == 0;
                heldBack += isTermOver || reader.position() == appender.position() ? 0 : 1;
            }
            assertEquals(sent, expected[0]);
            assertEquals(appender.position(), reader.position());
        }
        assertTrue(heldBack > 0, "it was never fast");
    }
}
