// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class LogUnblockerTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int MTU = 1408;
    private static final int MAX_PAYLOAD = MTU - FrameHeader.LENGTH;
    private static final int INITIAL_TERM_ID = 7;
    private static final long TIMEOUT = 1000;
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private LogBuffers log;
    private Framing framing;

    @BeforeEach
    @BeforeTry
    void open() {
        log = TestLogs.create(TERM_LENGTH, MTU);
        framing = new Framing(log.spec());
    }

    @AfterEach
    @AfterTry
    void close() {
        log.close();
    }

    /** The point of an append at which its owner dies. */
    private enum Death {
        CLAIMED,
        MARKED,
        FILLED_IN_PART,
        PAST_THE_END,
        PAST_THE_END_AND_PADDED,
        PAST_THE_END_AND_NEXT_TAIL_SET
    }

    /** A source whose memory cannot be read: the append dies in the middle of a copy. */
    private static final class Deadly extends UnsafeBuffer {
        private int copiesLeft;

        Deadly(int length, int copiesLeft) {
            super(new byte[length]);
            setMemory(0, length, (byte) 0x55);
            this.copiesLeft = copiesLeft;
        }

        /** Fails in a random copy: an append has one per fragment. */
        static Deadly some(int maxLength, Random random) {
            int length = 1 + random.nextInt(maxLength); // copying nothing never fails
            int fragments = (length + MAX_PAYLOAD - 1) / MAX_PAYLOAD;
            return new Deadly(length, random.nextInt(fragments));
        }

        @Override
        public long addressOffset() {
            if (copiesLeft-- == 0) {
                throw new ThreadDeath();
            }
            return super.addressOffset();
        }

        /** Short payloads are copied in words. */
        @Override
        public long getLong(int index) {
            if (copiesLeft == 0) {
                throw new ThreadDeath();
            }
            return super.getLong(index);
        }
    }

    private static final class ThreadDeath extends Error {
        private static final long serialVersionUID = 1L;
    }

    @Property(tries = 500)
    @Tag("slow")
    void unblocksConcurrentLogAtEveryStepWhereOwnerDies(@ForAll long seed) {
        Random random = new Random(seed);
        ConcurrentAppender appender = new ConcurrentAppender(log);
        begin(random.nextInt(TERM_LENGTH / 32) * 32);
        LogUnblocker unblocker = new LogUnblocker(log, false);
        AtomicLongPosition position = new AtomicLongPosition();
        position.set(appender.position());
        LogReader reader = new LogReader(log, position, false);
        LogCleaner cleaner = new LogCleaner(log, position.get());
        long limit = cleaner.limit(position.get(), 2 * TERM_LENGTH);
        List<Long> sent = new ArrayList<>();
        List<Long> received = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            if (random.nextInt(3) == 0 && appender.position() < limit) {
                die(appender, Death.values()[random.nextInt(Death.values().length)], random);
            }
            if (appendNumber(appender::append, i, limit, random) > 0) {
                sent.add((long) i);
            }
            if (random.nextInt(8) == 0) {
                drain(reader, unblocker, received);
                limit = clean(cleaner, position.get());
            }
        }
        drain(reader, unblocker, received);
        limit = clean(cleaner, position.get());
        assertEquals(sent, received);
        assertEquals(appender.position(), position.get());
        assertTrue(appendNumber(appender::append, 99, limit, random) > 0, "appends go on");
    }

    private static long clean(LogCleaner cleaner, long position) {
        while (cleaner.cleaned() < position) {
            assertTrue(cleaner.clean(position, TERM_LENGTH) > 0);
        }
        return cleaner.limit(position, 2 * TERM_LENGTH);
    }

    private void die(ConcurrentAppender appender, Death death, Random random) {
        UnsafeBuffer metadata = log.metadata();
        int count = metadata.getInt(LogLayout.ACTIVE_TERM_COUNT);
        int tail = LogTail.offset(count);
        long offset = LogLayout.tailOffset(metadata.getLong(tail));
        if (offset > TERM_LENGTH) {
            return;
        }
        UnsafeBuffer term = log.term(LogLayout.partition(count));
        int frameLength = 32 + random.nextInt(500);
        if (death.ordinal() < Death.PAST_THE_END.ordinal()) {
            if (offset + 8192 > TERM_LENGTH) {
                return;
            }
            if (death == Death.FILLED_IN_PART) {
                Deadly source = Deadly.some(5000, random);
                assertThrows(
                        ThreadDeath.class,
                        () -> appender.append(source, 0, source.capacity(), 0, NO_LIMIT));
                return;
            }
            metadata.getAndAddLong(tail, FrameHeader.align(frameLength));
            if (death == Death.MARKED) {
                framing.open(term.addressOffset(), (int) offset, frameLength);
            }
            return;
        }
        metadata.getAndAddLong(tail, TERM_LENGTH - offset + 32);
        if (death == Death.PAST_THE_END || offset == TERM_LENGTH) {
            return;
        }
        framing.pad(
                term.addressOffset(),
                (int) offset,
                (int) (TERM_LENGTH - offset),
                INITIAL_TERM_ID + count);
        if (death == Death.PAST_THE_END_AND_NEXT_TAIL_SET) {
            metadata.putLong(
                    LogTail.offset(count + 1), LogLayout.rawTail(INITIAL_TERM_ID + count + 1, 0));
        }
    }

    @Property(tries = 300)
    @Tag("slow")
    void unblocksExclusiveLogWhereverItsOwnerDies(
            @ForAll long seed, @ForAll @IntRange(min = 0, max = 3) int claims) {
        Random random = new Random(seed);
        int start = random.nextInt(TERM_LENGTH / 32) * 32;
        begin(start);
        soilAllBut(start);
        ExclusiveAppender appender = new ExclusiveAppender(log);
        AtomicLongPosition position = new AtomicLongPosition();
        position.set(appender.position());
        LogReader reader = new LogReader(log, position, false);
        List<Long> sent = new ArrayList<>();
        List<Long> received = new ArrayList<>();
        BufferClaim claim = new BufferClaim();
        for (int i = 0; i < 20; i++) {
            if (claims > 0 && i % 7 == 3) {
                appender.claim(random.nextInt(MAX_PAYLOAD), claim, NO_LIMIT);
            }
            if (appendNumber(appender::append, i, NO_LIMIT, random) > 0) {
                sent.add((long) i);
            }
        }
        Deadly source = Deadly.some(8000, random);
        if (random.nextBoolean()) {
            try {
                long result = appender.append(source, 0, source.capacity(), 0, NO_LIMIT);
                assertEquals(AppendResult.ADMIN_ACTION, result, "only a new term copies nothing");
            } catch (ThreadDeath expected) {
                assertTrue(appender.position() > position.get());
            }
        }
        if (random.nextBoolean()) {
            drain(reader, new LogUnblocker(log, true), received);
        } else {
            long end = new LogUnblocker(log, true).seal(position.get());
            assertEquals(LogTail.position(log), end);
            read(reader, received);
        }
        assertEquals(sent, received);
        assertEquals(appender.position(), position.get());
    }

    @Test
    void keepsUnmarkedClaimMadeDuringTimeout() {
        UnsafeBuffer metadata = log.metadata();
        LogUnblocker unblocker = new LogUnblocker(log, false);
        metadata.getAndAddLong(LogLayout.RAW_TAILS, 64);
        assertFalse(unblocker.check(0, 0, TIMEOUT));
        metadata.getAndAddLong(LogLayout.RAW_TAILS, 96);
        assertTrue(unblocker.check(0, TIMEOUT, TIMEOUT));
        assertEquals(64, FrameHeader.length(log.term(0).getLong(0)));
        assertEquals(0, log.term(0).getLong(64));
    }

    @Test
    void restartsTimeoutWhenConsumerAdvances() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        LogUnblocker unblocker = new LogUnblocker(log, false);
        BufferClaim first = new BufferClaim();
        BufferClaim second = new BufferClaim();
        appender.claim(10, first, NO_LIMIT);
        appender.claim(10, second, NO_LIMIT);
        assertFalse(unblocker.check(0, 0, TIMEOUT));
        assertFalse(unblocker.check(0, TIMEOUT - 1, TIMEOUT));
        first.commit();
        assertFalse(unblocker.check(0, TIMEOUT, TIMEOUT), "committed: only a slow consumer");
        assertFalse(unblocker.check(64, TIMEOUT, TIMEOUT));
        assertFalse(unblocker.check(64, 2 * TIMEOUT - 1, TIMEOUT));
        assertTrue(unblocker.check(64, 2 * TIMEOUT, TIMEOUT));
        assertFalse(unblocker.check(64, 9 * TIMEOUT, TIMEOUT));
    }

    @Test
    void treatsIdleLogAsNotBlocked() {
        LogUnblocker unblocker = new LogUnblocker(log, false);
        for (long now = 0; now < 10 * TIMEOUT; now += TIMEOUT) {
            assertFalse(unblocker.check(0, now, TIMEOUT));
        }
        assertEquals(0, log.term(0).getLong(0));
    }

    private void unblock(long position) {
        LogUnblocker unblocker = new LogUnblocker(log, false);
        unblocker.check(position, 0, TIMEOUT);
        assertTrue(unblocker.check(position, TIMEOUT, TIMEOUT));
    }

    private List<Long> readFrom(long position) {
        List<Long> received = new ArrayList<>();
        AtomicLongPosition at = new AtomicLongPosition();
        at.set(position);
        read(new LogReader(log, at, false), received);
        return received;
    }

    private static void write(BufferClaim claim, long value) {
        claim.buffer().putLong(claim.offset(), value);
    }

    @Test
    void commitFailsAfterUnblocking() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        BufferClaim claim = new BufferClaim();
        BufferClaim aborted = new BufferClaim();
        appender.claim(8, claim, NO_LIMIT);
        appender.claim(8, aborted, NO_LIMIT);
        write(claim, 4711);
        unblock(0);
        unblock(64);
        ClaimLostException e = assertThrows(ClaimLostException.class, claim::commit);
        assertTrue(e.getMessage().contains("8 bytes"), e.getMessage());
        assertFalse(aborted.abort());
        assertEquals(List.of(), readFrom(0));
        assertThrows(IllegalStateException.class, claim::commit, "claimed no more");
    }

    @Test
    void staleCommitNeverOverwritesClaimOfLaterLap() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        BufferClaim stale = new BufferClaim();
        BufferClaim longer = new BufferClaim();
        BufferClaim open = new BufferClaim();
        appender.claim(8, stale, NO_LIMIT);
        appender.claim(100, longer, NO_LIMIT);
        unblock(0);
        unblock(64);
        long lap = (long) LogLayout.PARTITIONS * TERM_LENGTH;
        LogCleaner cleaner = new LogCleaner(log, 0);
        while (appender.position() < lap) {
            appender.append(new UnsafeBuffer(new byte[900]), 0, 900, 0, NO_LIMIT);
            while (cleaner.clean(appender.position(), TERM_LENGTH) > 0) {}
        }
        // At the same place and as long: one claim is open, the other's space is still clean.
        assertEquals(lap + 64, appender.claim(8, open, NO_LIMIT));
        assertThrows(ClaimLostException.class, stale::commit);
        assertThrows(ClaimLostException.class, longer::commit);
        assertEquals(0, log.term(0).getLong(64));
        write(open, 7);
        open.commit();
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        message.putLong(0, 8);
        assertEquals(lap + 224, appender.append(message, 0, 100, 0, NO_LIMIT));
        assertEquals(List.of(7L, 8L), readFrom(lap));
    }

    @Test
    void ownerDetectsLossOfUnmarkedClaim() {
        UnsafeBuffer message = new UnsafeBuffer(new byte[3000]);
        ConcurrentAppender appender = new ConcurrentAppender(log);
        // As the owner does before it is suspended; a live owner has claimed after it.
        log.metadata().getAndAddLong(LogLayout.RAW_TAILS, 64);
        unblock(0);
        assertEquals(64, log.metadata().getLong(LogLayout.UNBLOCKED));
        log.term(0).setMemory(0, 64, (byte) 0); // consumed and cleaned
        log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(7, 0));
        for (int length : new int[] {32, 3000}) {
            assertEquals(
                    AppendResult.ADMIN_ACTION, appender.append(message, 0, length, 0, NO_LIMIT));
            log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(7, 0));
        }
        assertEquals(AppendResult.ADMIN_ACTION, appender.claim(32, new BufferClaim(), NO_LIMIT));
        assertEquals(0, log.term(0).getLong(0), "nothing is written where another may be");
        assertEquals(128, appender.append(message, 0, 8, 0, NO_LIMIT));
    }

    @Test
    void ownerWritesNothingIfSpaceIsTaken() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        long padding = Framing.padding(64);
        log.term(0).putLong(0, padding);
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        assertEquals(AppendResult.ADMIN_ACTION, appender.append(message, 0, 8, 0, NO_LIMIT));
        assertEquals(padding, log.term(0).getLong(0));
        assertEquals(0, log.term(0).getLong(FrameHeader.TERM_OFFSET));
        assertEquals(128, appender.append(message, 0, 8, 0, NO_LIMIT));
    }

    @Test
    void finishesRotationOfDeadOwnerAfterPaddingWasRead() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(7, TERM_LENGTH + 96));
        framing.pad(log.termAddress(0), TERM_LENGTH - 64, 64, 7);
        LogUnblocker unblocker = new LogUnblocker(log, false);
        assertEquals(
                AppendResult.ADMIN_ACTION,
                appender.append(new UnsafeBuffer(new byte[8]), 0, 8, 0, NO_LIMIT));
        assertFalse(unblocker.check(TERM_LENGTH, 0, TIMEOUT));
        assertTrue(unblocker.check(TERM_LENGTH, TIMEOUT, TIMEOUT));
        assertEquals(
                TERM_LENGTH + 64,
                appender.append(new UnsafeBuffer(new byte[8]), 0, 8, 0, NO_LIMIT));
    }

    @Test
    void reportsClaimThatExtendsPastTail() {
        log.metadata().getAndAddLong(LogLayout.RAW_TAILS, 64);
        framing.mark(log.termAddress(0), 0, 96);
        LogUnblocker unblocker = new LogUnblocker(log, false);
        unblocker.check(0, 0, TIMEOUT);
        InvalidFrameException e =
                assertThrows(
                        InvalidFrameException.class, () -> unblocker.check(0, TIMEOUT, TIMEOUT));
        assertEquals(0, e.position());
        assertEquals(-96, e.frameLength());
    }

    /** Simulates leftovers of an earlier lap: a frame at every possible start except the tail. */
    private void soilAllBut(int offset) {
        for (int at = 0; at < LogLayout.PARTITIONS * TERM_LENGTH; at += FrameHeader.ALIGNMENT) {
            if (at != offset) {
                log.term(at / TERM_LENGTH)
                        .putLong(
                                at % TERM_LENGTH,
                                FrameHeader.word(
                                        FrameHeader.LENGTH,
                                        FrameHeader.FLAGS_UNFRAGMENTED,
                                        FrameHeader.TYPE_DATA));
            }
        }
    }

    private void begin(int offset) {
        log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(INITIAL_TERM_ID, offset));
    }

    private interface Append {
        long append(DirectBuffer source, int offset, int length, long reservedValue, long limit);
    }

    private static long appendNumber(Append appender, long number, long limit, Random random) {
        UnsafeBuffer source = new UnsafeBuffer(new byte[8 + random.nextInt(200)]);
        source.setMemory(0, source.capacity(), (byte) 0x77);
        source.putLong(0, number);
        long result = AppendResult.ADMIN_ACTION;
        for (int i = 0; i < 3 && result == AppendResult.ADMIN_ACTION; i++) {
            result = appender.append(source, 0, source.capacity(), 0, limit);
        }
        return result;
    }

    /** Reads, and unblocks claims that block the reader, until nothing is left. */
    private void drain(LogReader reader, LogUnblocker unblocker, List<Long> received) {
        int idle = 0;
        for (long now = 0; idle < 4; now += TIMEOUT) {
            long before = reader.position();
            read(reader, received);
            boolean isUnblocked = unblocker.check(reader.position(), now, TIMEOUT);
            idle = isUnblocked || reader.position() != before ? 0 : idle + 1;
        }
        assertFalse(LogTail.isRotating(log));
    }

    private void read(LogReader reader, List<Long> received) {
        long before;
        do {
            before = reader.position();
            assertTrue(before <= LogTail.position(log), "read what was never claimed");
            reader.poll(
                    (buffer, offset, length, header) -> {
                        if (header.flags() == FrameHeader.FLAGS_UNFRAGMENTED) {
                            received.add(buffer.getLong(offset));
                        }
                    },
                    100);
        } while (reader.position() != before);
    }

    /** A tail or a start position that a faulty writer has stored. */
    @Test
    @Timeout(20)
    void sealsAtMostOneLapDespiteCorruptTail() {
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            log.term(i).putLong(0, FrameHeader.word(TERM_LENGTH, 0xC0, FrameHeader.TYPE_DATA));
        }
        log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(Integer.MAX_VALUE, 0));
        LogUnblocker unblocker = new LogUnblocker(log, false);
        assertEquals(3 * TERM_LENGTH, unblocker.seal(0));
        long before = Long.MIN_VALUE;
        assertEquals(before + 3 * TERM_LENGTH, unblocker.seal(before));
    }
}
