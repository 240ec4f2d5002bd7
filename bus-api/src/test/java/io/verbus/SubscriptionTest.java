// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.TestLogs;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

class SubscriptionTest {
    private final Stream[] streams = {new Stream(), new Stream(), new Stream()};
    private final Subscription subscription = streams[0].subscription(ChannelUri.ipc().build());
    private final List<Byte> received = new ArrayList<>();

    @AfterEach
    void close() {
        for (Stream stream : streams) {
            stream.close();
        }
    }

    private void sendAndJoin(int messages) {
        for (int i = 0; i < streams.length; i++) {
            Publication publication = streams[i].publication(true);
            streams[i].limit.setVolatile(1 << 20);
            for (int n = 0; n < messages; n++) {
                publication.offer(new UnsafeBuffer(new byte[] {(byte) i}));
            }
            subscription.addImage(streams[i].image(subscription, i, streams[i].counter(0)));
        }
    }

    @Test
    void pollsImagesInTurn() {
        sendAndJoin(2);
        for (int n = 0; n < 6; n++) {
            assertEquals(
                    1, subscription.poll((b, offset, l, h) -> received.add(b.getByte(offset)), 1));
        }
        assertEquals(0, subscription.poll((b, o, l, h) -> received.add((byte) 9), 1));
        assertEquals(
                List.<Byte>of((byte) 0, (byte) 1, (byte) 2, (byte) 0, (byte) 1, (byte) 2),
                received);
    }

    @Test
    void appliesFragmentLimitAcrossAllImages() {
        sendAndJoin(3);
        assertEquals(7, subscription.poll((b, o, l, h) -> {}, 7));
        assertEquals(2, subscription.controlledPoll((b, o, l, h) -> Action.CONTINUE, 7));
    }

    @Test
    void findsVisitsAndRemovesImages() {
        assertFalse(subscription.isConnected());
        assertTrue(subscription.hasNoImages());
        sendAndJoin(0);
        assertEquals(3, subscription.imageCount());
        assertTrue(subscription.isConnected());
        assertEquals(0, subscription.imageBySessionId(TestLogs.SESSION_ID).imageId());
        assertNull(subscription.imageBySessionId(1));
        List<Image> visited = new ArrayList<>();
        subscription.forEachImage(visited::add);
        assertEquals(3, visited.size());
        assertSame(visited.get(1), subscription.removeImage(1));
        assertTrue(visited.get(1).isClosed());
        assertNull(subscription.removeImage(1));
        assertEquals(2, subscription.imageCount());
    }

    @Test
    void closesImagesWhenClosed() {
        sendAndJoin(1);
        Image image = subscription.imageBySessionId(TestLogs.SESSION_ID);
        subscription.close();
        assertTrue(subscription.isClosed());
        assertTrue(image.isClosed());
        assertEquals(0, subscription.imageCount());
        assertEquals(0, subscription.poll((b, o, l, h) -> {}, 10));
        assertFalse(subscription.addImage(image));
        assertEquals(3, subscription.takeClosedImages().length);
        assertEquals(0, subscription.takeClosedImages().length);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void rejectsNullHandlersAndNegativeLimits(int imageCount) {
        try (Stream stream = new Stream()) {
            Subscription subscription = stream.subscription(ChannelUri.ipc().build());
            for (int i = 0; i < imageCount; i++) {
                subscription.addImage(stream.image(subscription, i, stream.counter(0)));
            }
            FragmentHandler handler = (buffer, offset, length, header) -> {};
            ControlledFragmentHandler controlled = (buffer, offset, length, header) -> null;
            assertRefused("handler is null", () -> subscription.poll(null, 1));
            assertRefused("handler is null", () -> subscription.controlledPoll(null, 1));
            assertRefused("limit -1 is negative", () -> subscription.poll(handler, -1));
            assertRefused("limit -9 is", () -> subscription.controlledPoll(controlled, -9));
            assertEquals(0, subscription.poll(handler, 0));
            subscription.forEachImage(
                    image -> {
                        assertRefused("handler is null", () -> image.poll(null, 1));
                        assertRefused("handler is null", () -> image.controlledPoll(null, 1));
                        assertRefused("limit -1 is", () -> image.poll(handler, -1));
                        assertRefused("limit -1 is", () -> image.controlledPoll(controlled, -1));
                    });
        }
    }

    private static void assertRefused(String words, Executable poll) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, poll);
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }

    @Test
    void treatsNullFromControlledHandlerAsException() {
        try (Stream stream = new Stream()) {
            Image image = stream.ipcImage();
            stream.limit.setVolatile(1 << 20);
            stream.publication(true).offer(new UnsafeBuffer(new byte[8]));
            assertEquals(1, image.controlledPoll((buffer, offset, length, header) -> null, 10));
            assertEquals(1, stream.errors.size());
            assertTrue(stream.errors.get(0).getMessage().contains("returned null"));
            assertEquals(64, image.position());
        }
    }
}
