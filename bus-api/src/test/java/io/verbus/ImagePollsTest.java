// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BlockHandler;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.TestLogs;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.util.ArrayList;
import java.util.List;

/** Tests of the ways to read an image besides plain polls: bounded polls, peeks and blocks. */
class ImagePollsTest {
    private static final long NO_BOUND = Long.MAX_VALUE;

    private final Stream stream = new Stream();
    private final Publication publication = stream.publication(true);
    private final Image image = stream.ipcImage();
    private final List<Long> received = new ArrayList<>();
    private final FragmentHandler collect =
            (buffer, offset, length, header) -> received.add(buffer.getLong(offset));
    private final ControlledFragmentHandler collectAll =
            (buffer, offset, length, header) -> {
                received.add(buffer.getLong(offset));
                return Action.CONTINUE;
            };

    @AfterEach
    void close() {
        stream.close();
    }

    private void send(long... values) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[Long.BYTES]);
        stream.limit.setVolatile(1 << 20);
        for (long value : values) {
            message.putLong(0, value);
            assertTrue(publication.offer(message) > 0);
        }
    }

    /** Fills the first term except for some bytes, with frames of 1 KiB. */
    private void fillTermBut(int bytes) {
        stream.limit.setVolatile(1 << 20);
        UnsafeBuffer message = new UnsafeBuffer(new byte[Stream.MTU - FrameHeader.LENGTH]);
        while (publication.position() < Stream.TERM_LENGTH - bytes) {
            int rest = (int) (Stream.TERM_LENGTH - bytes - publication.position());
            int length = Math.min(message.capacity(), rest - FrameHeader.LENGTH);
            assertTrue(publication.offer(message, 0, length) > 0);
        }
        assertEquals(Stream.TERM_LENGTH - bytes, publication.position());
        while (image.position() < publication.position()) {
            image.poll((buffer, offset, length, header) -> {}, 100);
        }
    }

    @Test
    void boundedPollDeliversFragmentsThatStartBeforeBound() {
        send(1, 2, 3, 4);
        assertEquals(0, image.boundedPoll(collect, 0, 10));
        assertEquals(0, image.boundedPoll(collect, -1, 10));
        assertEquals(1, image.boundedPoll(collect, 64, 10));
        assertEquals(64, image.position());
        assertEquals(1, image.boundedPoll(collect, 65, 10), "it begins before, and ends behind");
        assertEquals(128, image.position());
        assertEquals(1, image.boundedPoll(collect, NO_BOUND, 1));
        assertEquals(1, image.boundedPoll(collect, NO_BOUND, 10));
        assertEquals(List.of(1L, 2L, 3L, 4L), received);
        assertEquals(0, image.boundedPoll(collect, NO_BOUND, 10));
    }

    @Test
    void boundedControlledPollObeysHandler() {
        send(1, 2, 3, 4);
        assertEquals(0, image.boundedControlledPoll(collectAll, 0, 10));
        assertEquals(0, image.boundedControlledPoll((b, o, l, h) -> Action.ABORT, 192, 10));
        assertEquals(0, image.position());
        assertEquals(3, image.boundedControlledPoll(collectAll, 192, 10));
        assertEquals(192, image.position());
        assertEquals(List.of(1L, 2L, 3L), received);
    }

    @Test
    void boundedPollStopsAtEndOfTermIfBoundIsInNextTerm() {
        fillTermBut(64);
        send(5);
        assertEquals(1, image.boundedPoll(collect, Stream.TERM_LENGTH + 64, 10));
        assertEquals(Stream.TERM_LENGTH, image.position());
        assertEquals(Publication.ADMIN_ACTION, publication.offer(new UnsafeBuffer(new byte[8])));
        send(6, 7);
        assertEquals(1, image.boundedPoll(collect, Stream.TERM_LENGTH + 64, 10));
        assertEquals(List.of(5L, 6L), received);
    }

    @Test
    void peekConsumesNothing() {
        send(1, 2, 3);
        long next = image.controlledPeek(0, collectAll, 128);
        assertEquals(128, next);
        assertEquals(0, image.position());
        next = image.controlledPeek(next, collectAll, NO_BOUND);
        assertEquals(192, next);
        assertEquals(List.of(1L, 2L, 3L), received);
        assertEquals(192, image.controlledPeek(192, collectAll, NO_BOUND));
        assertEquals(0, image.controlledPeek(0, (b, o, l, h) -> Action.ABORT, NO_BOUND));
        assertEquals(64, image.controlledPeek(0, (b, o, l, h) -> Action.BREAK, NO_BOUND));
        assertEquals(192, image.controlledPeek(0, (b, o, l, h) -> Action.COMMIT, NO_BOUND));
        assertEquals(0, image.position());
    }

    @Test
    void peekReturnsPositionAfterCompleteMessage() {
        send(1);
        long begin = publication.position();
        UnsafeBuffer message = new UnsafeBuffer(new byte[3 * Stream.MTU]);
        long end = publication.offer(message);
        assertTrue(end > 0);
        assertEquals(begin, image.controlledPeek(0, collectAll, begin + 1), "in its midst");
        assertEquals(end, image.controlledPeek(0, collectAll, NO_BOUND));
        image.position(end);
        send(2);
        received.clear();
        image.poll(collect, 10);
        assertEquals(List.of(2L), received);
    }

    @Test
    void peekStopsBeforeFragmentWhoseHandlerThrows() {
        send(1, 2, 3);
        ControlledFragmentHandler second =
                (buffer, offset, length, header) -> {
                    if (buffer.getLong(offset) == 2) {
                        throw new IllegalStateException("handler");
                    }
                    return Action.CONTINUE;
                };
        assertEquals(64, image.controlledPeek(0, second, NO_BOUND));
        assertEquals("handler", stream.errors.get(0).getMessage());
        assertEquals(0, image.controlledPeek(0, (b, o, l, h) -> null, NO_BOUND));
        assertTrue(stream.errors.get(1).getMessage().contains("returned null"));
        assertFalse(image.isClosed());
    }

    @Test
    void peekContinuesInNextTerm() {
        fillTermBut(64);
        send(5);
        assertEquals(Publication.ADMIN_ACTION, publication.offer(new UnsafeBuffer(new byte[8])));
        send(6);
        long start = image.position();
        assertEquals(Stream.TERM_LENGTH, image.controlledPeek(start, collectAll, NO_BOUND));
        long behind = image.controlledPeek(Stream.TERM_LENGTH, collectAll, NO_BOUND);
        assertEquals(Stream.TERM_LENGTH + 64, behind);
        assertEquals(List.of(5L, 6L), received);
        assertRefused(
                "is invalid: it must be between",
                () -> image.controlledPeek(behind, collectAll, NO_BOUND));
        image.position(Stream.TERM_LENGTH);
        assertEquals(behind, image.controlledPeek(behind, collectAll, NO_BOUND));
        image.poll(collect, 10);
        assertEquals(List.of(5L, 6L, 6L), received);
    }

    @Test
    void acceptsOnlyPositionsAtFragmentBoundaries() {
        send(1, 2, 3);
        long end = publication.position();
        for (long wrong : new long[] {-32, 32, 96, end + 32, end + 64, Stream.TERM_LENGTH}) {
            assertRefused("position " + wrong, () -> image.position(wrong));
            assertRefused(
                    "position " + wrong, () -> image.controlledPeek(wrong, collectAll, NO_BOUND));
        }
        assertEquals(0, image.position());
        image.position(128);
        assertEquals(128, image.position());
        assertRefused("position 64 is invalid: it must be between 128", () -> image.position(64));
        image.poll(collect, 10);
        assertEquals(List.of(3L), received);
        image.position(end);
        image.markClosed();
        image.position(0);
        assertEquals(end, image.position());
        assertEquals(7, image.controlledPeek(7, collectAll, NO_BOUND));
    }

    @Test
    void peekClosesImageAtInvalidFrame() {
        send(1, 2);
        Image remote = stream.remoteImage();
        stream.log.term(0).putInt(64, 31);
        assertEquals(64, remote.controlledPeek(0, collectAll, NO_BOUND));
        assertTrue(remote.isClosed());
        assertEquals(64, stream.faults.get(0).position());
        Image other = stream.remoteImage();
        other.position(128);
        assertTrue(other.isClosed());
        assertEquals(2, stream.faults.size());
    }

    @Test
    void blockPollDeliversWholeFrames() {
        send(1, 2, 3);
        List<Integer> blocks = new ArrayList<>();
        BlockHandler handler =
                (buffer, offset, length, sessionId, termId) -> {
                    assertEquals(TestLogs.SESSION_ID, sessionId);
                    assertEquals(image.initialTermId(), termId);
                    for (int at = offset; at < offset + length; at += 64) {
                        received.add(buffer.getLong(at + FrameHeader.LENGTH));
                    }
                    blocks.add(length);
                };
        assertEquals(0, image.blockPoll(handler, 63));
        assertEquals(128, image.blockPoll(handler, 191));
        assertEquals(128, image.position());
        assertEquals(64, image.blockPoll(handler, Integer.MAX_VALUE));
        assertEquals(0, image.blockPoll(handler, Integer.MAX_VALUE));
        assertEquals(List.of(128, 64), blocks);
        assertEquals(List.of(1L, 2L, 3L), received);
    }

    @Test
    void blockPollDeliversPaddingAlone() {
        fillTermBut(96);
        send(5);
        assertEquals(Publication.ADMIN_ACTION, publication.offer(new UnsafeBuffer(new byte[8])));
        send(6);
        List<Integer> types = new ArrayList<>();
        BlockHandler handler =
                (buffer, offset, length, sessionId, termId) ->
                        types.add((int) buffer.getShort(offset + FrameHeader.TYPE));
        assertEquals(64, image.blockPoll(handler, 1024));
        assertEquals(32, image.blockPoll(handler, 1));
        assertEquals(Stream.TERM_LENGTH, image.position());
        assertEquals(64, image.blockPoll(handler, 1024));
        assertEquals(
                List.of(FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD, FrameHeader.TYPE_DATA), types);
    }

    @Test
    void rawPollReportsMissingFileAndConsumesNothing() {
        send(1);
        assertEquals(0, image.rawPoll((c, f, b, o, l, s, t) -> received.add(1L), 1024));
        String message = stream.errors.get(0).getMessage();
        assertTrue(message.contains("cannot open the log"), message);
        assertEquals(0, image.position());
        assertEquals(List.of(), received);
    }

    @Test
    void blockPollConsumesBlockWhoseHandlerThrows() {
        send(1, 2);
        BlockHandler handler =
                (buffer, offset, length, sessionId, termId) -> {
                    throw new IllegalStateException("handler");
                };
        assertEquals(128, image.blockPoll(handler, 1024));
        assertEquals(128, image.position());
        assertEquals(1, stream.errors.size());
    }

    @Test
    void blockHandlerMayPoll() {
        send(1, 2, 3);
        BlockHandler handler =
                (buffer, offset, length, sessionId, termId) -> image.poll(collect, 2);
        assertEquals(64, image.blockPoll(handler, 64));
        assertEquals(128, image.position());
        assertEquals(List.of(1L, 2L), received);
    }

    @Test
    void blockPollStopsBeforeInvalidFrameThenClosesImage() {
        send(1, 2);
        Image remote = stream.remoteImage();
        stream.log.term(0).putInt(64, 31);
        BlockHandler handler = (buffer, offset, length, sessionId, termId) -> {};
        assertEquals(64, remote.blockPoll(handler, 1024));
        assertFalse(remote.isClosed());
        assertEquals(0, remote.blockPoll(handler, 1024));
        assertTrue(remote.isClosed());
        assertEquals(0, remote.blockPoll(handler, 1024));
        assertEquals(1, stream.faults.size());
    }

    @Test
    void subscriptionPollsBlocksOfAllImages() {
        Subscription subscription = stream.subscription(ChannelUri.ipc().build());
        subscription.addImage(stream.image(subscription, 1, stream.counter(0)));
        subscription.addImage(stream.image(subscription, 2, stream.counter(0)));
        send(1, 2);
        assertEquals(256, subscription.blockPoll((b, o, l, s, t) -> {}, 1024));
        assertEquals(0, subscription.blockPoll((b, o, l, s, t) -> {}, 1024));
        assertEquals(2, subscription.images().size());
        assertEquals(2, subscription.imageAtIndex(1).imageId());
        assertThrows(IndexOutOfBoundsException.class, () -> subscription.imageAtIndex(2));
    }

    @Test
    void reportsStateOfStream() {
        assertEquals(Stream.MTU, image.mtuLength());
        assertEquals(16, image.positionBitsToShift());
        assertEquals(Long.MAX_VALUE, image.endOfStreamPosition());
        assertFalse(image.isPublicationRevoked());
        stream.log.metadata().putInt(LogLayout.ACTIVE_TRANSPORT_COUNT, 2);
        assertEquals(2, image.activeTransportCount());
        stream.log.metadata().putByte(LogLayout.REVOKED, (byte) 1);
        stream.end(64);
        assertTrue(image.isPublicationRevoked());
        image.markClosed();
        stream.log.metadata().putByte(LogLayout.REVOKED, (byte) 0);
        stream.end(0);
        assertTrue(image.isPublicationRevoked());
        assertEquals(64, image.endOfStreamPosition());
        assertFalse(image.isEndOfStream());
        assertEquals(0, image.activeTransportCount());
    }

    @Test
    void rejectsNullHandlersAndNegativeLimits() {
        BlockHandler block = (buffer, offset, length, sessionId, termId) -> {};
        assertRefused("handler is null", () -> image.boundedPoll(null, 1, 1));
        assertRefused("handler is null", () -> image.boundedControlledPoll(null, 1, 1));
        assertRefused("handler is null", () -> image.controlledPeek(0, null, 1));
        assertRefused("handler is null", () -> image.blockPoll(null, 1));
        assertRefused("handler is null", () -> image.rawPoll(null, 1));
        assertRefused("-1 is negative", () -> image.boundedPoll(collect, 1, -1));
        assertRefused("-1 is negative", () -> image.boundedControlledPoll(collectAll, 1, -1));
        assertRefused("-1 is negative", () -> image.blockPoll(block, -1));
        assertRefused("-1 is negative", () -> image.rawPoll((c, f, b, o, l, s, t) -> {}, -1));
    }

    private static void assertRefused(String words, Executable poll) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, poll);
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }
}
