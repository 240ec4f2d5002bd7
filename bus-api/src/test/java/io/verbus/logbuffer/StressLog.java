// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The log of one stress test's state, and the actors' operations on it. Logs are pooled: a state
 * takes one when it is created, and its arbiter, which runs after the actors, returns it.
 */
final class StressLog {
    static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;

    /** Number of bytes at each end of a term that the tests may touch. */
    private static final int TOUCHED = 512;

    private static final int INITIAL_TERM_ID = 7;
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final int PAYLOAD_LENGTH = 20 * Long.BYTES;
    private static final ConcurrentLinkedQueue<LogBuffers> POOL = new ConcurrentLinkedQueue<>();

    /** Number of bytes of log that a message takes. */
    static final int MESSAGE = 192;

    /** Position at which the log wraps for the first time. */
    static final int LAP = LogLayout.PARTITIONS * TERM_LENGTH;

    /**
     * Number of times that a reader retries while nothing is available, to catch the writer at
     * work.
     */
    private static final int LOOKS = 20;

    private final LogBuffers log;
    private boolean isBatched;

    /** Creates a clean log with its tail at an offset of its first term. */
    StressLog(int tail) {
        LogBuffers pooled = POOL.poll();
        log = pooled != null ? pooled : TestLogs.create(TERM_LENGTH, 1408);
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            log.term(i).setMemory(0, TOUCHED, (byte) 0);
            log.term(i).setMemory(TERM_LENGTH - TOUCHED, TOUCHED, (byte) 0);
            int termId = INITIAL_TERM_ID + (i == 0 ? 0 : i - LogLayout.PARTITIONS);
            long rawTail = LogLayout.rawTail(termId, i == 0 ? tail : 0);
            log.metadata().putLong(LogTail.offset(i), rawTail);
        }
        log.metadata().putInt(LogLayout.ACTIVE_TERM_COUNT, 0);
        log.metadata().putLong(LogLayout.UNBLOCKED, 0);
    }

    LogBuffers log() {
        return log;
    }

    void release() {
        POOL.add(log);
    }

    static UnsafeBuffer message(int number) {
        UnsafeBuffer source = new UnsafeBuffer(new byte[PAYLOAD_LENGTH]);
        fill(source, 0, number);
        return source;
    }

    private static void fill(MutableDirectBuffer buffer, int offset, int number) {
        for (int i = 0; i < PAYLOAD_LENGTH; i += Long.BYTES) {
            buffer.putLong(offset + i, number + ((long) i << 32));
        }
    }

    /**
     * Appends concurrently; retries while another thread rotates the log, or if the claim is lost.
     * Odd message numbers are claimed by an atomic add, even ones by compare-and-set.
     */
    long append(int number) {
        return append(number, number % 2 == 0 ? 0 : MESSAGE, NO_LIMIT);
    }

    /**
     * Appends, as {@link #append(int)}, up to a limit, and with an atomic add for short messages.
     */
    long append(int number, int maxAdded, long limit) {
        ConcurrentAppender appender = new ConcurrentAppender(log, maxAdded);
        UnsafeBuffer source = message(number);
        long result;
        do {
            result = appender.append(source, 0, PAYLOAD_LENGTH, number, limit);
        } while (result == AppendResult.ADMIN_ACTION);
        return result;
    }

    /** Appends like an Aeron client; retries while the log rotates. */
    long appendAsAeron(int number) {
        return appendAsAeron(number, NO_LIMIT);
    }

    /** Appends, as {@link #appendAsAeron(int)}, up to a limit. */
    long appendAsAeron(int number, long limit) {
        AeronAppender appender = new AeronAppender(log);
        UnsafeBuffer source = message(number);
        long result;
        do {
            result = appender.append(source, 0, PAYLOAD_LENGTH, number, limit);
        } while (result == AppendResult.ADMIN_ACTION);
        return result;
    }

    void appendExclusively(int... numbers) {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        for (int number : numbers) {
            appender.append(message(number), 0, PAYLOAD_LENGTH, number, NO_LIMIT);
        }
    }

    /** Prepares for messages that are only appended in batches. */
    StressLog batched() {
        isBatched = true;
        return this;
    }

    /** Appends messages in one batch; retries while the log rotates, or if the claim is lost. */
    long appendBatch(boolean isExclusive, int... numbers) {
        MessageBatch batch = new MessageBatch(numbers.length);
        for (int number : numbers) {
            batch.add(message(number), 0, PAYLOAD_LENGTH);
        }
        if (isExclusive) {
            return new ExclusiveAppender(log).appendBatch(batch, NO_LIMIT);
        }
        ConcurrentAppender appender = new ConcurrentAppender(log);
        long result;
        do {
            result = appender.appendBatch(batch, NO_LIMIT);
        } while (result == AppendResult.ADMIN_ACTION);
        return result;
    }

    /** Simulates leftovers of an earlier lap: a frame at every possible start except the first. */
    StressLog soiled() {
        for (int at = FrameHeader.ALIGNMENT; at < TOUCHED; at += FrameHeader.ALIGNMENT) {
            log.term(0)
                    .putLong(
                            at,
                            FrameHeader.word(
                                    2 * FrameHeader.LENGTH,
                                    FrameHeader.FLAGS_UNFRAGMENTED,
                                    FrameHeader.TYPE_DATA));
        }
        return this;
    }

    /** Moves the tail to its original offset, three terms later, on clean terms. */
    void goRoundOnce() {
        log.term(0).setMemory(0, TOUCHED, (byte) 0);
        goRound();
    }

    /** Moves the tail to its original offset, three terms later, without cleaning the terms. */
    void goRound() {
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            int termId = INITIAL_TERM_ID + i + (i == 0 ? LogLayout.PARTITIONS : 0);
            log.metadata().putLong(LogTail.offset(i), LogLayout.rawTail(termId, 0));
        }
        log.metadata().putInt(LogLayout.ACTIVE_TERM_COUNT, LogLayout.PARTITIONS);
    }

    BufferClaim claim() {
        BufferClaim claim = new BufferClaim();
        new ConcurrentAppender(log).claim(PAYLOAD_LENGTH, claim, NO_LIMIT);
        return claim;
    }

    static void write(BufferClaim claim, int number) {
        claim.reservedValue(number);
        fill(claim.buffer(), claim.offset(), number);
    }

    /** Unblocks the claim at a position immediately. */
    void unblock(long position) {
        LogUnblocker unblocker = new LogUnblocker(log, false);
        unblocker.check(position, 0, 0);
        unblocker.check(position, 1, 0);
    }

    /** Reads from a position; returns the message numbers in order, and the reader's position. */
    Reading read(long position) {
        AtomicLongPosition at = new AtomicLongPosition();
        at.set(position);
        LogReader reader = new LogReader(log, at, false);
        Reading reading = new Reading(isBatched);
        long before;
        do {
            before = reader.position();
            for (int i = 0; i < LOOKS && reader.position() == before; i++) {
                reader.poll(reading, 10);
            }
        } while (reader.position() != before);
        reading.position = before;
        return reading;
    }

    /** The messages that a reader has seen. */
    static final class Reading implements FragmentHandler {
        /** Message numbers as decimal digits, or -1 if any part of a message was wrong. */
        int numbers;

        long position;
        private final boolean isBatched;

        private Reading(boolean isBatched) {
            this.isBatched = isBatched;
        }

        @Override
        public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
            long number = buffer.getLong(offset);
            boolean isWhole =
                    length == PAYLOAD_LENGTH
                            && header.reservedValue() == (isBatched ? 0 : number)
                            && header.flags() == FrameHeader.FLAGS_UNFRAGMENTED
                            && buffer.getInt(offset - 32 + FrameHeader.TERM_ID) == header.termId();
            for (int i = 0; isWhole && i < length; i += Long.BYTES) {
                isWhole = buffer.getLong(offset + i) == number + ((long) i << 32);
            }
            numbers = isWhole && numbers >= 0 ? numbers * 10 + (int) number : -1;
        }
    }
}
