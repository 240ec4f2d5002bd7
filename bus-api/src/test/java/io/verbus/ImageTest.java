// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.TestLogs;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.UnsafeBufferPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

class ImageTest {
    private final Stream stream = new Stream();
    private final Publication publication = stream.publication(true);
    private final List<Long> received = new ArrayList<>();
    private final FragmentHandler collect =
            (buffer, offset, length, header) -> received.add(buffer.getLong(offset));

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

    @Test
    void deliversUpToLimitAndPublishesPosition() {
        Image image = stream.ipcImage();
        assertEquals(0, image.poll(collect, 10));
        send(1, 2, 3);
        assertEquals(2, image.poll(collect, 2));
        assertEquals(128, image.position());
        assertEquals(1, image.poll(collect, 2));
        assertEquals(192, image.position());
        assertEquals(List.of(1L, 2L, 3L), received);
        assertEquals(0, image.joinPosition());
        assertEquals(TestLogs.SESSION_ID, image.sessionId());
        assertEquals(TestLogs.STREAM_ID, image.streamId());
    }

    @Test
    void publishesPositionOncePerPoll() {
        Image image = stream.ipcImage();
        send(1, 2);
        List<Long> seen = new ArrayList<>();
        image.poll((b, o, l, h) -> seen.add(image.position()), 10);
        assertEquals(List.of(0L, 0L), seen);
        assertEquals(128, image.position());
    }

    @Test
    void joinsAtPositionOfCounter() {
        send(1, 2, 3);
        Image image =
                stream.image(stream.subscription(ChannelUri.ipc().build()), 3, stream.counter(128));
        assertEquals(128, image.joinPosition());
        image.poll(collect, 10);
        assertEquals(List.of(3L), received);
    }

    @Test
    void continuesAfterFragmentWhoseHandlerThrows() {
        Image image = stream.ipcImage();
        send(1, 2, 3);
        assertEquals(
                1,
                image.poll(
                        (buffer, offset, length, header) -> {
                            throw new IllegalStateException("handler");
                        },
                        10));
        assertEquals("handler", stream.errors.get(0).getMessage());
        assertEquals(64, image.position());
        assertEquals(
                1,
                image.controlledPoll(
                        (buffer, offset, length, header) -> {
                            throw new IllegalStateException("controlled");
                        },
                        10));
        assertEquals(2, stream.errors.size());
        image.poll(collect, 10);
        assertEquals(List.of(3L), received);
    }

    @Test
    void propagatesErrorsOfHandler() {
        Image image = stream.ipcImage();
        send(1, 2);
        assertThrows(
                AssertionError.class,
                () ->
                        image.poll(
                                (buffer, offset, length, header) -> {
                                    throw new AssertionError("seen");
                                },
                                10));
        assertEquals(64, image.position());
        assertEquals(List.of(), stream.errors);
    }

    @Test
    void appliesActionsOfControlledHandler() {
        Image image = stream.ipcImage();
        send(1, 2, 3, 4);
        assertEquals(0, image.controlledPoll((b, o, l, h) -> Action.ABORT, 10));
        assertEquals(0, image.position());
        assertEquals(1, image.controlledPoll((b, o, l, h) -> Action.BREAK, 10));
        assertEquals(64, image.position());
        List<Long> seen = new ArrayList<>();
        image.controlledPoll(
                (b, o, l, h) -> {
                    seen.add(image.position());
                    return Action.COMMIT;
                },
                10);
        assertEquals(List.of(64L, 128L, 192L), seen);
        send(5, 6);
        assertEquals(2, image.controlledPoll((b, o, l, h) -> Action.CONTINUE, 10));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 31, -1, 65, 1 << 20, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void closesAtInvalidFrame(int frameLength) {
        Image image = stream.remoteImage();
        send(1);
        int at = frameLength == 65 ? Stream.TERM_LENGTH - 64 : 64;
        UnsafeBufferPosition position = stream.counter(at);
        Image broken =
                stream.image(stream.subscription(ChannelUri.rdma("host:1").build()), 4, position);
        stream.log.term(0).putInt(at, frameLength);
        assertEquals(1, image.poll(collect, 1));
        assertEquals(0, broken.poll(collect, 10));
        assertTrue(broken.isClosed());
        assertEquals(1, stream.faults.size());
        assertEquals(at, stream.faults.get(0).position());
        assertEquals(at, broken.position());
        assertEquals(0, broken.poll(collect, 10));
        assertEquals(1, stream.faults.size());
        assertFalse(image.isClosed());
    }

    @Test
    void waitsForOpenClaimsAndSkipsAbortedClaims() {
        Image image = stream.ipcImage();
        stream.limit.setVolatile(1 << 20);
        BufferClaim claim = new BufferClaim();
        assertEquals(64, publication.tryClaim(8, claim));
        send(2);
        assertEquals(0, image.poll(collect, 10));
        claim.buffer().putLong(claim.offset(), 1);
        claim.commit();
        assertTrue(publication.tryClaim(100, claim) > 0);
        claim.abort();
        send(3);
        image.poll(collect, 10);
        assertEquals(List.of(1L, 2L, 3L), received);
        assertFalse(image.isClosed());
    }

    @Test
    void reportsEndOfStreamOnceConsumed() {
        Image image = stream.ipcImage();
        send(1);
        stream.end(64);
        assertFalse(image.isEndOfStream());
        image.poll(collect, 10);
        assertTrue(image.isEndOfStream());
        image.markClosed();
        stream.end(Long.MAX_VALUE);
        assertTrue(image.isEndOfStream());
        assertEquals(64, image.position());
    }

    @Test
    void readsStreamThroughManyTerms() {
        Image image = stream.ipcImage();
        Publication publication = stream.publication(false);
        UnsafeBuffer message = new UnsafeBuffer(new byte[1500]);
        long sent = 0;
        long cleaned = 0;
        FragmentHandler assembler = new ImageFragmentAssembler(collect);
        stream.limit.setVolatile(Stream.TERM_LENGTH);
        while (image.position() < 12L * Stream.TERM_LENGTH) {
            message.putLong(0, sent);
            if (publication.offer(message, 0, (int) (8 + sent * 97 % 1492)) > 0) {
                sent++;
            }
            image.poll(assembler, 3);
            stream.consumed(image.position(), cleaned);
            cleaned = image.position();
        }
        for (int i = 0; i < received.size(); i++) {
            assertEquals(i, received.get(i));
        }
        assertTrue(received.size() > 500);
        assertEquals(List.of(), stream.faults);
    }
}
