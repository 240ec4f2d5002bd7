// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.verbus.BusException;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.UnsafeBufferPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

class LogReaderTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final FragmentHandler IGNORE = (buffer, offset, length, header) -> {};

    private final LogBuffers log = TestLogs.create(TERM_LENGTH, 1408);
    private final ExclusiveAppender appender = new ExclusiveAppender(log);
    private final CountedPosition position = new CountedPosition();
    private final LogReader reader = new LogReader(log, position, false);
    private final List<Integer> lengths = new ArrayList<>();

    /** A subscriber's position that counts how often it is published. */
    private static final class CountedPosition extends AtomicLongPosition {
        private int published;

        @Override
        public void setRelease(long value) {
            published++;
            super.setRelease(value);
        }
    }

    @AfterEach
    void close() {
        log.close();
    }

    private void append(int... messages) {
        for (int length : messages) {
            appender.append(new UnsafeBuffer(new byte[length]), 0, length, 0, NO_LIMIT);
        }
    }

    private void take(DirectBuffer buffer, int offset, int length, Header header) {
        lengths.add(length);
    }

    @Test
    void rejectsInvalidStartPositions() {
        long end = LogLayout.maxPosition(TERM_LENGTH);
        for (long wrong : new long[] {-32, -1, 8, 31, TERM_LENGTH - 8, end + 32, Long.MAX_VALUE}) {
            AtomicLongPosition at = new AtomicLongPosition();
            at.setRelease(wrong);
            BusException e = assertThrows(BusException.class, () -> new LogReader(log, at, true));
            assertTrue(
                    e.getMessage().contains("position " + wrong + " is invalid"), e.getMessage());
        }
        for (long right : new long[] {0, 32, TERM_LENGTH - 32, TERM_LENGTH, end}) {
            AtomicLongPosition at = new AtomicLongPosition();
            at.setRelease(right);
            assertEquals(right, new LogReader(log, at, true).position());
        }
    }

    @Test
    void publishesPositionOncePerNonEmptyPoll() {
        append(1, 2, 3);
        assertEquals(3, reader.poll(this::take, 10));
        assertEquals(1, position.published);
        assertEquals(192, position.get());
        assertEquals(0, reader.poll(this::take, 10));
        assertEquals(1, position.published);
        assertEquals(List.of(1, 2, 3), lengths);
    }

    @Test
    void deliversAtMostFragmentLimit() {
        append(1, 2, 3);
        assertEquals(2, reader.poll(this::take, 2));
        assertEquals(0, reader.poll(this::take, 0));
        assertEquals(1, reader.poll(this::take, 2));
        assertEquals(List.of(1, 2, 3), lengths);
    }

    @Test
    void skipsPaddingAndContinuesInNextTerm() {
        BufferClaim claim = new BufferClaim();
        appender.claim(100, claim, NO_LIMIT);
        claim.abort();
        for (int i = 0; i < 30; i++) {
            append(5000);
        }
        for (int i = 0; i < 20; i++) {
            reader.poll(IGNORE, 100);
        }
        assertTrue(position.get() > 2 * TERM_LENGTH);
        assertEquals(appender.position(), position.get());
    }

    @Test
    void advancesPastFragmentWhoseHandlerThrows() {
        append(1, 2, 3);
        assertThrows(
                IllegalStateException.class,
                () ->
                        reader.poll(
                                (buffer, offset, length, header) -> {
                                    if (length == 2) {
                                        throw new IllegalStateException();
                                    }
                                },
                                10));
        assertEquals(128, position.get());
        assertEquals(128, reader.position());
        reader.poll(this::take, 10);
        assertEquals(List.of(3), lengths);
    }

    @Test
    void nestedPollDeliversRestOnce() {
        append(1, 2, 3, 4);
        int delivered = reader.poll(this::takeAllBehindTwo, 10);
        assertEquals(2, delivered);
        assertEquals(List.of(1, 2, 3, 4), lengths);
        assertEquals(256, position.get());
        assertEquals(0, reader.poll(this::take, 10));
    }

    @Test
    void nestedPollIntoNextTermLosesNothing() {
        append(1, 2);
        while (appender.position() < TERM_LENGTH) {
            append(1000);
        }
        append(3, 4);
        reader.poll(this::takeAllBehindTwo, 10);
        reader.controlledPoll(
                (buffer, offset, length, header) -> {
                    take(buffer, offset, length, header);
                    return Action.CONTINUE;
                },
                10);
        assertEquals(List.of(1, 2, 3, 4), lengths.stream().filter(each -> each < 5).toList());
        assertEquals(appender.position(), position.get());
    }

    @Test
    void nestedPollAfterLastFrameOfTermLosesNothing() {
        FragmentHandler polls =
                (buffer, offset, length, header) -> {
                    take(buffer, offset, length, header);
                    reader.poll(this::take, 2);
                };
        assertTakesThreeTerms(() -> reader.poll(polls, 1));
    }

    @Test
    void nestedControlledPollAfterLastFrameOfTermLosesNothing() {
        ControlledFragmentHandler takes =
                (buffer, offset, length, header) -> {
                    take(buffer, offset, length, header);
                    return Action.CONTINUE;
                };
        ControlledFragmentHandler polls =
                (buffer, offset, length, header) -> {
                    take(buffer, offset, length, header);
                    reader.controlledPoll(takes, 2);
                    return Action.CONTINUE;
                };
        assertTakesThreeTerms(() -> reader.controlledPoll(polls, 1));
    }

    /** Checks that a poll reads three frames of each term, one of which is left at the end. */
    private void assertTakesThreeTerms(IntSupplier poll) {
        int frames = TERM_LENGTH / 64;
        assertEquals(1, frames % 3);
        for (int term = 1; term <= LogLayout.PARTITIONS; term++) {
            long end = (long) term * TERM_LENGTH;
            while (appender.position() < end) {
                append(32);
            }
            for (int polls = 0; polls <= frames / 3; polls++) {
                poll.getAsInt();
            }
            assertEquals(term * frames, lengths.size());
            assertEquals(end, position.get());
        }
    }

    private void takeAllBehindTwo(DirectBuffer buffer, int offset, int length, Header header) {
        take(buffer, offset, length, header);
        while (length == 2 && reader.poll(this::take, 10) > 0) {
            // Until nothing is left, in this term and the next.
        }
    }

    @Test
    void controlledHandlerAbortsBreaksAndCommits() {
        append(1, 2, 3, 4, 5);
        List<Long> published = new ArrayList<>();
        ControlledFragmentHandler handler =
                (buffer, offset, length, header) -> {
                    lengths.add(length);
                    published.add(position.get());
                    return switch (length) {
                        case 1 -> Action.COMMIT;
                        case 2 -> Action.CONTINUE;
                        case 3 -> Action.BREAK;
                        default -> Action.ABORT;
                    };
                };
        assertEquals(3, reader.controlledPoll(handler, 10));
        assertEquals(List.of(0L, 64L, 64L), published);
        assertEquals(192, position.get());
        assertEquals(0, reader.controlledPoll(handler, 10));
        assertEquals(0, reader.controlledPoll(handler, 10));
        assertEquals(192, position.get());
        assertEquals(List.of(1, 2, 3, 4, 4), lengths);
    }

    @Test
    void controlledPollContinuesAfterCommitAtEndOfTerm() {
        log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(7, TERM_LENGTH - 64));
        ExclusiveAppender late = new ExclusiveAppender(log);
        AtomicLongPosition at = new AtomicLongPosition();
        at.set(TERM_LENGTH - 64);
        LogReader follower = new LogReader(log, at, false);
        for (int i = 0; i < 3; i++) {
            late.append(new UnsafeBuffer(new byte[32]), 0, 32, 0, NO_LIMIT);
        }
        ControlledFragmentHandler handler = (buffer, offset, length, header) -> Action.COMMIT;
        assertEquals(1, follower.controlledPoll(handler, 10));
        assertEquals(TERM_LENGTH, at.get());
        assertEquals(1, follower.controlledPoll(handler, 10));
        assertEquals(TERM_LENGTH + 64, at.get());
    }

    @Test
    void headerReportsPositionRegardlessOfFrameContent() {
        append(100, 5);
        UnsafeBuffer term = log.term(0);
        term.setMemory(160 + FrameHeader.TERM_OFFSET, 16, (byte) 0x7F);
        reader.poll(IGNORE, 1);
        reader.poll(
                (buffer, offset, length, header) -> {
                    assertEquals(224, header.position());
                    assertEquals(160, header.termOffset());
                    assertEquals(7, header.termId());
                    assertEquals(TestLogs.SESSION_ID, header.sessionId());
                    assertEquals(TestLogs.STREAM_ID, header.streamId());
                    assertEquals(37, header.frameLength());
                    lengths.add(length);
                },
                1);
        assertEquals(List.of(5), lengths);
    }

    @Test
    void stopsAtOpenClaim() {
        append(1);
        appender.claim(10, new BufferClaim(), NO_LIMIT);
        append(2);
        assertEquals(1, reader.poll(this::take, 10));
        assertEquals(64, reader.position());
    }

    @Test
    void reportsInvalidFrameOfReplicaWithoutSkippingIt() {
        LogReader replica = new LogReader(log, position, true);
        append(1);
        refused(replica, -64, "has length -64, less than the 32 bytes of its header");
        refused(replica, 31, "has length 31, less than the 32 bytes of its header");
        refused(replica, TERM_LENGTH - 63, "but only 65472 bytes are left in its term");
        refused(replica, Integer.MAX_VALUE, "has length 2147483647, but only");
        refused(replica, Integer.MIN_VALUE, "has length -2147483648, less than");
        log.term(0).putLong(64, FrameHeader.word(64, 0xC0, 2));
        refused(replica, 64, "has unknown type 2");
        log.term(0).putLong(64, FrameHeader.word(0, 0xC0, 1));
        refused(replica, 0, "has length 0, less than");
    }

    private void refused(LogReader replica, int frameLength, String problem) {
        log.term(0).putInt(64, frameLength);
        InvalidFrameException e =
                assertThrows(
                        InvalidFrameException.class,
                        () -> {
                            replica.poll(IGNORE, 10);
                            replica.poll(IGNORE, 10);
                        });
        assertTrue(e.getMessage().contains("position 64 "), e.getMessage());
        assertTrue(e.getMessage().contains(problem), e.getMessage());
        assertEquals(64, replica.position());
        assertEquals(64, position.get());
        assertThrows(
                InvalidFrameException.class,
                () -> replica.controlledPoll((b, o, l, h) -> Action.CONTINUE, 10));
    }

    /** A counter as a driver keeps it: the position, and the fields that the subscriber reads. */
    private static final class Leased {
        private static final int REFERENCE = CountersReader.REFERENCE_ID_OFFSET;

        private final UnsafeBuffer values =
                new UnsafeBuffer(ByteBuffer.allocateDirect(CountersReader.COUNTER_LENGTH));
        private final UnsafeBufferPosition position = new UnsafeBufferPosition(values, 0);
        private final SubscriberLease lease;
        private final LogReader reader;

        private Leased(LogBuffers log) {
            values.putLong(REFERENCE, 7);
            lease = new SubscriberLease(values, 0);
            reader = new LogReader(log, position, false, lease);
        }
    }

    @Test
    void untetheredSubscriberReadsLikeTetheredOne() {
        Leased leased = new Leased(log);
        append(1, 2, 3);
        assertEquals(2, leased.reader.poll(this::take, 2));
        assertEquals(128, leased.position.get());
        assertEquals(128, leased.lease.position());
        assertEquals(1, leased.reader.controlledPoll((b, o, l, h) -> Action.COMMIT, 2));
        assertEquals(192, leased.position.get());
        append(1, 2);
        int[] nested = new int[1];
        leased.reader.poll((b, o, l, h) -> nested[0] += leased.reader.poll(this::take, 1), 1);
        assertEquals(1, nested[0], "a handler may poll");
        assertEquals(320, leased.position.get());
    }

    @Test
    void deliversNothingAfterDetach() {
        Leased leased = new Leased(log);
        append(1, 2, 3);
        assertEquals(1, leased.reader.poll(this::take, 1));
        leased.values.putLong(Leased.REFERENCE, -7);
        assertEquals(0, leased.reader.poll(this::take, 10));
        assertEquals(0, leased.reader.controlledPoll((b, o, l, h) -> Action.COMMIT, 10));
        leased.values.putLong(Leased.REFERENCE, 7);
        assertEquals(0, leased.reader.poll(this::take, 10), "for good");
        assertEquals(64, leased.position.get());
        assertEquals(List.of(1), lengths);
    }

    @Test
    void peeksAndBlockPollsDeliverNothingAfterDetach() {
        Leased leased = new Leased(log);
        LogPeek peek = new LogPeek(log, leased.reader);
        LogBlocks blocks = new LogBlocks(log, leased.reader);
        append(1, 2, 3);
        int[] blockLength = new int[1];
        assertEquals(
                64,
                blocks.poll((term, offset, length, session, id) -> blockLength[0] = length, 64));
        assertEquals(64, blockLength[0]);
        leased.values.putLong(Leased.REFERENCE, -7);
        peek.begin(64);
        peek.deliver((b, o, l, h) -> fail("a fragment"), Long.MAX_VALUE);
        assertEquals(64, peek.result());
        assertEquals(0, blocks.poll((term, offset, length, session, id) -> fail("a block"), 192));
        assertThrows(IllegalArgumentException.class, () -> peek.begin(128), "unread by now");
        leased.reader.moveTo(128);
        assertEquals(64, leased.position.get(), "the driver's");
    }

    /** A subscriber suspended past its resting time finds its rejoin position in the counter. */
    @Test
    void deliversNothingAfterDriverHasMovedPosition() {
        Leased leased = new Leased(log);
        append(1, 2, 3);
        assertEquals(1, leased.reader.poll(this::take, 1));
        leased.position.setRelease(128);
        assertEquals(0, leased.reader.poll(this::take, 10));
        assertEquals(0, leased.reader.controlledPoll((b, o, l, h) -> Action.COMMIT, 10));
        assertEquals(128, leased.position.get(), "the driver's");
        assertEquals(64, leased.lease.position());
    }

    @Test
    void deliversAndWritesNothingAfterDetachDuringHandler() {
        Leased leased = new Leased(log);
        append(1, 2, 3);
        FragmentHandler letsGo =
                (b, o, l, h) -> {
                    lengths.add(l);
                    leased.values.putLong(Leased.REFERENCE, -7);
                };
        assertEquals(1, leased.reader.poll(letsGo, 10));
        assertEquals(List.of(1), lengths);
        assertEquals(0, leased.position.get());
        Leased other = new Leased(log);
        other.reader.controlledPoll(
                (b, o, l, h) -> {
                    other.position.setRelease(192);
                    return Action.COMMIT;
                },
                10);
        assertEquals(192, other.position.get());
    }

    /** The driver may write the rejoin position after the subscriber's check. */
    @Test
    void keepsRejoinPositionInCounter() {
        Leased leased = new Leased(log);
        assertFalse(leased.lease.isOver());
        leased.position.setRelease(192);
        leased.lease.publish(64);
        assertEquals(192, leased.position.get());
        assertEquals(0, leased.lease.position());
        leased.position.setRelease(0);
        assertTrue(leased.lease.isOver(), "for good");
        Leased raced = new Leased(log);
        raced.lease.publish(64);
        assertEquals(64, raced.position.get());
        assertEquals(64, raced.lease.position());
    }

    /** Overwritten data is neither delivered as a frame nor reported as an invalid one. */
    @Test
    void ignoresOverwrittenFramesAfterDetach() {
        Leased leased = new Leased(log);
        append(1, 2, 3);
        assertEquals(1, leased.reader.poll(this::take, 1));
        log.term(0).putLong(64, 0x7777_7777_7777_7777L);
        leased.values.putLong(Leased.REFERENCE, -7);
        assertEquals(0, leased.reader.poll(this::take, 10));
        assertEquals(64, leased.reader.position());
    }
}
