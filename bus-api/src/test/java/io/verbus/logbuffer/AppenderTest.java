// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AppenderTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int MTU = 1408;
    private static final int MAX_PAYLOAD = MTU - FrameHeader.LENGTH;
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private enum Kind {
        CONCURRENT,
        EXCLUSIVE
    }

    private interface Appender {
        long append(DirectBuffer source, int offset, int length, long reserved, long limit);

        long claim(int length, BufferClaim claim, long limit);

        long position();
    }

    private final UnsafeBuffer source = new UnsafeBuffer(new byte[TERM_LENGTH]);
    private LogBuffers log = TestLogs.create(TERM_LENGTH, MTU);

    @AfterEach
    void close() {
        log.close();
    }

    private Appender appender(Kind kind) {
        ConcurrentAppender concurrent =
                kind == Kind.CONCURRENT ? new ConcurrentAppender(log) : null;
        ExclusiveAppender exclusive = kind == Kind.EXCLUSIVE ? new ExclusiveAppender(log) : null;
        return new Appender() {
            @Override
            public long append(DirectBuffer source, int offset, int length, long r, long limit) {
                return concurrent != null
                        ? concurrent.append(source, offset, length, r, limit)
                        : exclusive.append(source, offset, length, r, limit);
            }

            @Override
            public long claim(int length, BufferClaim claim, long limit) {
                return concurrent != null
                        ? concurrent.claim(length, claim, limit)
                        : exclusive.claim(length, claim, limit);
            }

            @Override
            public long position() {
                return concurrent != null ? concurrent.position() : exclusive.position();
            }
        };
    }

    private void replaceLog(long position) {
        log.close();
        log = TestLogs.create(TestLogs.spec(TERM_LENGTH, MTU, Integer.MAX_VALUE - 1, position));
    }

    @ParameterizedTest
    @EnumSource
    void writesEveryHeaderField(Kind kind) {
        assertEquals(64, appender(kind).append(source, 0, 5, 0x1122_3344_5566_7788L, NO_LIMIT));
        UnsafeBuffer term = log.term(0);
        assertEquals(37, term.getInt(FrameHeader.FRAME_LENGTH));
        assertEquals(0, term.getByte(FrameHeader.VERSION));
        assertEquals((byte) 0xC0, term.getByte(FrameHeader.FLAGS));
        assertEquals(FrameHeader.TYPE_DATA, term.getShort(FrameHeader.TYPE));
        assertEquals(0, term.getInt(FrameHeader.TERM_OFFSET));
        assertEquals(TestLogs.SESSION_ID, term.getInt(FrameHeader.SESSION_ID));
        assertEquals(TestLogs.STREAM_ID, term.getInt(FrameHeader.STREAM_ID));
        assertEquals(7, term.getInt(FrameHeader.TERM_ID));
        assertEquals(0x1122_3344_5566_7788L, term.getLong(FrameHeader.RESERVED_VALUE));
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 100, 224, 225, 1000, MAX_PAYLOAD})
    void zeroesWordInEachCacheLineOfNextFrame(int length) {
        UnsafeBuffer term = log.term(0);
        term.setMemory(0, TERM_LENGTH, (byte) -1);
        term.putLong(0, 0);
        int end = (int) new ExclusiveAppender(log).append(source, 0, length, 0, NO_LIMIT);
        int behind = end + FrameHeader.LENGTH + length + BitUtil.CACHE_LINE_LENGTH;
        assertEquals(0, term.getLong(end));
        int line = BitUtil.align(end + FrameHeader.ALIGNMENT, BitUtil.CACHE_LINE_LENGTH);
        for (int at = line; at < TERM_LENGTH; at += BitUtil.CACHE_LINE_LENGTH) {
            assertEquals(at < behind ? 0 : -1, term.getLong(at), "at " + at + " behind " + end);
        }
    }

    @ParameterizedTest
    @EnumSource
    void appendsEmptyMessage(Kind kind) {
        assertEquals(32, appender(kind).append(source, 0, 0, 0, NO_LIMIT));
        assertEquals(32, log.term(0).getInt(0));
    }

    @ParameterizedTest
    @EnumSource
    void fragmentsMessageLongerThanMtu(Kind kind) {
        long end = appender(kind).append(source, 0, 2 * MAX_PAYLOAD + 1, 0, NO_LIMIT);
        assertEquals(2 * MTU + 64, end);
        assertFrame(0, MTU, FrameHeader.FLAG_BEGIN);
        assertFrame(MTU, MTU, 0);
        assertFrame(2 * MTU, 33, FrameHeader.FLAG_END);
    }

    @ParameterizedTest
    @EnumSource
    void appendsNoEmptyFragmentAfterFullFragments(Kind kind) {
        assertEquals(2 * MTU, appender(kind).append(source, 0, 2 * MAX_PAYLOAD, 0, NO_LIMIT));
        assertFrame(MTU, MTU, FrameHeader.FLAG_END);
        assertEquals(0, log.term(0).getLong(2 * MTU));
    }

    private void assertFrame(int offset, int length, int flags) {
        long word = log.term(0).getLong(offset);
        assertEquals(length, FrameHeader.length(word));
        assertEquals(flags, FrameHeader.flags(word));
        assertEquals(FrameHeader.TYPE_DATA, FrameHeader.type(word));
        assertEquals(offset, log.term(0).getInt(offset + FrameHeader.TERM_OFFSET));
    }

    @ParameterizedTest
    @EnumSource
    void backPressuresAtLimitAndWritesNothing(Kind kind) {
        Appender appender = appender(kind);
        assertEquals(AppendResult.BACK_PRESSURED, appender.append(source, 0, 8, 0, 0));
        assertEquals(AppendResult.BACK_PRESSURED, appender.claim(8, new BufferClaim(), 0));
        assertEquals(0, appender.position());
        assertEquals(0, log.term(0).getLong(0));
        assertEquals(64, appender.append(source, 0, 8, 0, 1));
    }

    @ParameterizedTest
    @EnumSource
    void padsTermAndContinuesInNextTerm(Kind kind) {
        replaceLog(TERM_LENGTH - 96);
        Appender appender = appender(kind);
        assertEquals(AppendResult.ADMIN_ACTION, appender.append(source, 0, 100, 0, NO_LIMIT));
        long pad = log.term(0).getLong(TERM_LENGTH - 96);
        assertEquals(96, FrameHeader.length(pad));
        assertEquals(FrameHeader.TYPE_PAD, FrameHeader.type(pad));
        assertEquals(TERM_LENGTH, appender.position());
        assertEquals(TERM_LENGTH + 160, appender.append(source, 0, 100, 0, NO_LIMIT));
        assertEquals(Integer.MAX_VALUE, log.term(1).getInt(FrameHeader.TERM_ID));
    }

    @ParameterizedTest
    @EnumSource
    void addsNoPaddingAfterFrameThatEndsWithTerm(Kind kind) {
        replaceLog(TERM_LENGTH - 96);
        Appender appender = appender(kind);
        assertEquals(TERM_LENGTH, appender.append(source, 0, 64, 0, NO_LIMIT));
        assertEquals(AppendResult.ADMIN_ACTION, appender.append(source, 0, 64, 0, NO_LIMIT));
        assertEquals(TERM_LENGTH + 96, appender.append(source, 0, 64, 0, NO_LIMIT));
        assertEquals(TERM_LENGTH + 96, LogTail.position(log));
    }

    @ParameterizedTest
    @EnumSource
    void rejectsMessagesBeyondMaximumPosition(Kind kind) {
        long max = LogLayout.maxPosition(TERM_LENGTH);
        replaceLog(max - 96);
        Appender appender = appender(kind);
        assertEquals(
                AppendResult.MAX_POSITION_EXCEEDED, appender.append(source, 0, 65, 0, NO_LIMIT));
        assertEquals(max, appender.append(source, 0, 64, 0, NO_LIMIT));
        assertEquals(
                AppendResult.MAX_POSITION_EXCEEDED, appender.append(source, 0, 0, 0, NO_LIMIT));
        assertEquals(
                AppendResult.MAX_POSITION_EXCEEDED, appender.claim(0, new BufferClaim(), NO_LIMIT));
        assertEquals(max, appender.position());
    }

    @ParameterizedTest
    @EnumSource
    void rotatesThroughAllPartitionsUntilLastTerm(Kind kind) {
        replaceLog(LogLayout.maxPosition(TERM_LENGTH) - 3L * TERM_LENGTH - 32);
        Appender appender = appender(kind);
        long before = appender.position();
        int appended = 0;
        long result = 0;
        for (int i = 0; i < 100; i++) {
            result = appender.append(source, 0, 8000, 0, NO_LIMIT);
            appended += result > 0 ? 1 : 0;
        }
        assertEquals(AppendResult.MAX_POSITION_EXCEEDED, result);
        assertTrue(appender.position() - before > 2 * TERM_LENGTH);
        assertEquals(3 * (TERM_LENGTH / 8192), appended + 3, 3);
    }

    @ParameterizedTest
    @EnumSource
    void claimsNothingForInvalidArguments(Kind kind) {
        Appender appender = appender(kind);
        int max = LogLayout.maxMessageLength(TERM_LENGTH);
        assertRefused("message length 8193", () -> appender.append(source, 0, max + 1, 0, 9));
        assertRefused(
                "message length -1 is negative: pass a length",
                () -> appender.append(source, 0, -1, 0, 9));
        assertRefused(
                "claim length 1377", () -> appender.claim(MAX_PAYLOAD + 1, new BufferClaim(), 9));
        assertRefused(
                "claim length -1 is negative: pass a length",
                () -> appender.claim(-1, new BufferClaim(), 9));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> appender.append(source, TERM_LENGTH - 4, 5, 0, 9));
        assertThrows(NullPointerException.class, () -> appender.append(null, 0, 5, 0, 9));
        assertThrows(NullPointerException.class, () -> appender.claim(5, null, 9));
        assertEquals(0, LogTail.position(log));
    }

    private static void assertRefused(String message, Runnable append) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, append::run);
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void marksClaimByNegativeLengthUntilCommit(Kind kind) {
        BufferClaim claim = new BufferClaim();
        assertEquals(64, appender(kind).claim(10, claim, NO_LIMIT));
        assertEquals(-42, log.term(0).getInt(0));
        assertEquals(10, claim.length());
        claim.buffer().putByte(claim.offset() + 9, (byte) 3);
        claim.flags(FrameHeader.FLAG_BEGIN).reservedValue(99).commit();
        assertFrame(0, 42, FrameHeader.FLAG_BEGIN);
        assertEquals(3, log.term(0).getByte(41));
        assertEquals(99, log.term(0).getLong(FrameHeader.RESERVED_VALUE));
    }

    @ParameterizedTest
    @EnumSource
    void turnsAbortedClaimIntoPadding(Kind kind) {
        BufferClaim claim = new BufferClaim();
        appender(kind).claim(10, claim, NO_LIMIT);
        claim.abort();
        long word = log.term(0).getLong(0);
        assertEquals(42, FrameHeader.length(word));
        assertEquals(FrameHeader.TYPE_PAD, FrameHeader.type(word));
    }

    @ParameterizedTest
    @EnumSource
    void rejectsUseOfFinishedClaim(Kind kind) {
        BufferClaim claim = new BufferClaim();
        appender(kind).claim(10, claim, NO_LIMIT);
        claim.commit();
        assertThrows(IllegalStateException.class, claim::commit);
        assertThrows(IllegalStateException.class, claim::abort);
        assertThrows(IndexOutOfBoundsException.class, () -> claim.buffer().putByte(32, (byte) 1));
        assertThrows(IndexOutOfBoundsException.class, () -> claim.reservedValue(1));
        assertEquals(0, claim.length());
    }

    @ParameterizedTest
    @EnumSource
    void rejectsWritePastClaim(Kind kind) {
        BufferClaim claim = new BufferClaim();
        appender(kind).claim(10, claim, NO_LIMIT);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> claim.buffer().putByte(claim.offset() + 10, (byte) 1));
    }

    @Test
    void continuesWherePreviousExclusiveAppenderStopped() {
        ExclusiveAppender first = new ExclusiveAppender(log);
        first.append(source, 0, 100, 0, NO_LIMIT);
        assertEquals(first.position(), new ExclusiveAppender(log).position());
    }

    @Test
    void returnsAdminActionForClaimsAfterEndOfTerm() {
        log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(7, TERM_LENGTH + 32));
        Appender appender = appender(Kind.CONCURRENT);
        for (int i = 0; i < 10; i++) {
            assertEquals(AppendResult.ADMIN_ACTION, appender.append(source, 0, 8000, 0, NO_LIMIT));
        }
        assertEquals(
                LogLayout.rawTail(7, TERM_LENGTH + 32),
                log.metadata().getLong(LogLayout.RAW_TAILS),
                "a tail past the end is not pushed on");
        assertEquals(TERM_LENGTH, appender.position());
    }

    @Test
    void padsClaimMadeAfterLogRotated() {
        int later = log.spec().initialTermId() + LogLayout.PARTITIONS;
        ConcurrentAppender appender = new ConcurrentAppender(log);
        assertEquals(
                AppendResult.ADMIN_ACTION, appender.giveUp(LogLayout.rawTail(later, 64), 2 * MTU));
        long pad = log.term(0).getLong(64);
        assertEquals(2 * MTU, FrameHeader.length(pad));
        assertEquals(FrameHeader.TYPE_PAD, FrameHeader.type(pad));
        assertEquals(64, log.term(0).getInt(64 + FrameHeader.TERM_OFFSET));
        assertEquals(later, log.term(0).getInt(64 + FrameHeader.TERM_ID));
        assertEquals(0, log.metadata().getInt(LogLayout.ACTIVE_TERM_COUNT));
    }

    @Test
    void rotatesAgainIfClaimMadeAfterRotationCrossesTermEnd() {
        int later = log.spec().initialTermId() + LogLayout.PARTITIONS;
        log.metadata().putInt(LogLayout.ACTIVE_TERM_COUNT, LogLayout.PARTITIONS);
        log.metadata()
                .putLong(LogLayout.RAW_TAILS + Long.BYTES, LogLayout.rawTail(later - 2, 4096));
        ConcurrentAppender appender = new ConcurrentAppender(log);
        assertEquals(
                AppendResult.ADMIN_ACTION,
                appender.giveUp(LogLayout.rawTail(later, TERM_LENGTH - 64), 96));
        assertEquals(64, FrameHeader.length(log.term(0).getLong(TERM_LENGTH - 64)));
        assertEquals(LogLayout.PARTITIONS + 1, log.metadata().getInt(LogLayout.ACTIVE_TERM_COUNT));
        assertEquals(
                LogLayout.rawTail(later + 1, 0),
                log.metadata().getLong(LogLayout.RAW_TAILS + Long.BYTES));
    }
}
