// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Several threads append concurrently, one reads, one cleans and raises the limit. */
class ConcurrentStreamTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int BITS = LogLayout.positionBitsToShift(TERM_LENGTH);
    private static final int WRITERS = 3;
    private static final int MESSAGES = 40_000;

    private final AtomicLong limit = new AtomicLong();
    private final AtomicLongPosition consumed = new AtomicLongPosition();
    private final AtomicBoolean isDone = new AtomicBoolean();

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void deliversEachThreadsMessagesOnceAndInOrder() throws Exception {
        try (LogBuffers log = TestLogs.create(TERM_LENGTH, 256);
                ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1)) {
            LogCleaner cleaner = new LogCleaner(log, 0);
            limit.set(cleaner.limit(0, TERM_LENGTH));
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                running.add(threads.submit(writer(log, i)));
            }
            Future<?> conductor = threads.submit(conductor(cleaner));
            Sequences sequences = new Sequences();
            LogReader reader = new LogReader(log, consumed, false);
            try {
                while (sequences.received < (long) WRITERS * MESSAGES) {
                    if (reader.poll(sequences, 50) == 0) {
                        Thread.yield();
                        failIfAnyFailed(running);
                    }
                }
            } finally {
                isDone.set(true);
            }
            failIfAnyFailed(running);
            conductor.get(10, TimeUnit.SECONDS);
            assertEquals(LogTail.position(log), consumed.get());
            assertTrue(consumed.get() > 10L * LogLayout.PARTITIONS * TERM_LENGTH);
        }
    }

    /**
     * With more threads than processors, some are suspended between reading the tail and claiming,
     * for longer than the log takes to wrap.
     */
    @Test
    @Tag("slow")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void distinguishesClaimOfSuspendedThreadFromClaimInLaterLap() throws Exception {
        int count = 2 * Runtime.getRuntime().availableProcessors() + 1;
        try (LogBuffers log = TestLogs.create(TERM_LENGTH, 256);
                ExecutorService threads = Executors.newFixedThreadPool(count)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                running.add(threads.submit(() -> positionAfterClaims(log, end)));
            }
            long furthest = 0;
            for (Future<Long> claimer : running) {
                furthest = Math.max(furthest, claimer.get());
            }
            assertTrue(furthest > 10L * LogLayout.PARTITIONS * TERM_LENGTH, "no lap went by");
        }
    }

    /** Claims without a limit, and fails if the position ever decreases. */
    private static long positionAfterClaims(LogBuffers log, long end) {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        BufferClaim claim = new BufferClaim();
        long last = 0;
        while (System.nanoTime() - end < 0) {
            long position = appender.claim(0, claim, Long.MAX_VALUE);
            if (position > 0) {
                assertTrue(position > last, "claimed up to " + position + " after " + last);
                last = position;
                claim.commit();
                // No reader: the space must be clean for the next lap.
                long frame = position - FrameHeader.LENGTH;
                log.term(LogLayout.partition(frame, BITS))
                        .putLongRelease(LogLayout.termOffset(frame, TERM_LENGTH), 0);
            }
        }
        return last;
    }

    private static void failIfAnyFailed(List<Future<?>> running) throws Exception {
        for (Future<?> writer : running) {
            if (writer.isDone()) {
                writer.get();
            }
        }
    }

    private Callable<Void> writer(LogBuffers log, int writer) {
        return () -> {
            ConcurrentAppender appender = new ConcurrentAppender(log);
            UnsafeBuffer source = new UnsafeBuffer(new byte[1024]);
            BufferClaim claim = new BufferClaim();
            DirectBufferVector[] parts = {new DirectBufferVector(), new DirectBufferVector()};
            Random random = new Random(writer);
            for (int i = 0; i < MESSAGES && !isDone.get(); ) {
                // One message in sixteen is fragmented.
                int length = 16 + random.nextInt(random.nextInt(16) == 0 ? 1000 : 150);
                long result;
                if (length % 2 == 0 && length <= 224) {
                    result = appender.claim(length, claim, limit.get());
                    if (result > 0) {
                        fill(claim.buffer(), claim.offset(), length, writer, i);
                        claim.commit();
                    }
                } else {
                    fill(source, 0, length, writer, i);
                    int cut = length / 3;
                    if (i % 3 == 0) {
                        result = appender.append(source, 0, length, 0, limit.get());
                    } else if (i % 3 == 1) {
                        int rest = length - cut;
                        result =
                                appender.append(
                                        source, 0, cut, source, cut, rest, null, limit.get());
                    } else {
                        parts[0].reset(source, 0, cut);
                        parts[1].reset(source, cut, length - cut);
                        result = appender.append(parts, (term, at, n) -> at, limit.get());
                    }
                }
                if (result > 0) {
                    i++;
                } else {
                    Thread.yield();
                }
            }
            return null;
        };
    }

    private static void fill(
            MutableDirectBuffer buffer, int offset, int length, int writer, int i) {
        buffer.putInt(offset, writer);
        buffer.putInt(offset + 4, i);
        buffer.putInt(offset + 8, length);
        buffer.setMemory(offset + 12, length - 12, (byte) (i ^ length));
    }

    private Callable<Void> conductor(LogCleaner cleaner) {
        return () -> {
            while (!isDone.get()) {
                long position = consumed.getVolatile();
                cleaner.clean(position, 8192);
                limit.lazySet(cleaner.limit(position, TERM_LENGTH));
                Thread.yield();
            }
            return null;
        };
    }

    /** Reassembles fragments and checks what each writer has sent. */
    private static final class Sequences implements FragmentHandler {
        private final int[] next = new int[WRITERS];
        private final UnsafeBuffer message = new UnsafeBuffer(new byte[2048]);
        private int length;
        private long received;

        @Override
        public void onFragment(DirectBuffer buffer, int offset, int bytes, Header header) {
            if ((header.flags() & FrameHeader.FLAG_BEGIN) != 0) {
                assertEquals(0, length, "a message begins within another");
            }
            message.putBytes(length, buffer, offset, bytes);
            length += bytes;
            if ((header.flags() & FrameHeader.FLAG_END) == 0) {
                return;
            }
            int writer = message.getInt(0);
            int number = message.getInt(4);
            assertEquals(next[writer]++, number);
            assertEquals(length, message.getInt(8));
            for (int i = 12; i < length; i++) {
                if (message.getByte(i) != (byte) (number ^ length)) {
                    assertEquals((byte) (number ^ length), message.getByte(i));
                }
            }
            length = 0;
            received++;
        }
    }
}
