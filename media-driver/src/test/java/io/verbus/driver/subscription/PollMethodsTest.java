// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Image;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.logbuffer.FrameHeader;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Messages of an Aeron client are read with each poll method of an image, with the same results as
 * in Aeron.
 */
@Timeout(120)
class PollMethodsTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 2000; // some terms of 64 KiB, each with padding at its end

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;
    private Bus bus;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        String directory = driver.directory().toString();
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(directory)
                                .errorHandler(clientErrors::add));
        bus =
                Bus.connect(
                        new BusContext().directoryName(directory).errorHandler(clientErrors::add));
        endpoint = "aeron:udp?term-length=64k|endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        bus.close();
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    /** Bytes of the delivered frames; only the header for padding. */
    private static final class Blocks {
        private final ByteArrayOutputStream frames = new ByteArrayOutputStream();
        private long padding;

        private void take(byte[] block) {
            UnsafeBuffer buffer = new UnsafeBuffer(block);
            boolean isPadding = buffer.getShort(FrameHeader.TYPE) == FrameHeader.TYPE_PAD;
            frames.write(block, 0, isPadding ? FrameHeader.LENGTH : block.length);
            padding += isPadding ? block.length : 0;
        }

        private void take(FileChannel channel, long at, int length) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            try {
                assertEquals(length, channel.read(bytes, at));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            take(bytes.array());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pollsSameBlocksAsAeronClient(boolean isUdp) {
        String channel = isUdp ? endpoint : "aeron:ipc?term-length=64k";
        Blocks ours = new Blocks();
        Blocks raw = new Blocks();
        Blocks theirs = new Blocks();
        try (Subscription first = bus.addSubscription(channel, STREAM);
                Subscription second = bus.addSubscription(channel, STREAM);
                io.aeron.Subscription third = aeron.addSubscription(channel, STREAM);
                io.aeron.Publication publication = aeron.addPublication(channel, STREAM)) {
            Await.until("images", () -> first.imageCount() * second.imageCount() == 1);
            Await.until("image of Aeron's", () -> third.imageCount() == 1);
            Image block = first.imageAtIndex(0);
            Image file = second.imageAtIndex(0);
            io.aeron.Image peer = third.imageAtIndex(0);
            UnsafeBuffer message = new UnsafeBuffer(new byte[3000]);
            for (int sent = 0; sent < MESSAGES; ) {
                message.putInt(0, sent);
                if (publication.offer(message, 0, 4 + sent * 37 % 2996) > 0) {
                    sent++;
                }
                block.blockPoll((b, at, n, s, t) -> ours.take(bytes(b, at, n)), 4096);
                file.rawPoll((c, at, b, o, n, s, t) -> raw.take(c, at, n), 8192);
                peer.blockPoll((b, at, n, s, t) -> theirs.take(bytes(b, at, n)), 2048);
            }
            long end = publication.position();
            Await.done(
                    "all read",
                    () -> {
                        block.blockPoll((b, at, n, s, t) -> ours.take(bytes(b, at, n)), 4096);
                        file.rawPoll((c, at, b, o, n, s, t) -> raw.take(c, at, n), 8192);
                        peer.blockPoll((b, at, n, s, t) -> theirs.take(bytes(b, at, n)), 2048);
                        return block.position() == end
                                && file.position() == end
                                && peer.position() == end;
                    });
        }
        assertTrue(theirs.padding > 0);
        assertEquals(theirs.padding, ours.padding);
        assertEquals(theirs.padding, raw.padding);
        assertArrayEquals(theirs.frames.toByteArray(), ours.frames.toByteArray());
        assertArrayEquals(theirs.frames.toByteArray(), raw.frames.toByteArray());
    }

    private static byte[] bytes(DirectBuffer buffer, int at, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        return bytes;
    }

    /**
     * Peeks, then consumes the same messages; the other image is polled up to the same position.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void peekAndBoundedPollDeliverEachMessageOnce(boolean isUdp) {
        String channel = isUdp ? endpoint : "aeron:ipc?term-length=64k";
        List<Integer> peeked = new ArrayList<>();
        List<Integer> polled = new ArrayList<>();
        try (Subscription first = bus.addSubscription(channel, STREAM);
                Subscription second = bus.addSubscription(channel, STREAM);
                io.aeron.Publication publication = aeron.addPublication(channel, STREAM)) {
            Await.until("images", () -> first.imageCount() * second.imageCount() == 1);
            Image leader = first.imageAtIndex(0);
            Image follower = second.imageAtIndex(0);
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            int[] sent = {0};
            Await.done(
                    "all read",
                    () -> {
                        message.putInt(0, sent[0]);
                        if (sent[0] < MESSAGES
                                && publication.offer(message, 0, 4 + sent[0] * 37 % 996) > 0) {
                            sent[0]++;
                        }
                        long next =
                                leader.controlledPeek(
                                        leader.position(),
                                        (buffer, offset, length, header) -> {
                                            peeked.add(buffer.getInt(offset));
                                            return Action.CONTINUE;
                                        },
                                        Long.MAX_VALUE);
                        leader.position(next);
                        follower.boundedPoll(
                                (buffer, offset, length, header) ->
                                        polled.add(buffer.getInt(offset)),
                                next,
                                Integer.MAX_VALUE);
                        assertTrue(follower.position() <= next);
                        return sent[0] == MESSAGES && follower.position() == publication.position();
                    });
        }
        assertEquals(MESSAGES, peeked.size());
        for (int i = 0; i < MESSAGES; i++) {
            assertEquals(i, peeked.get(i));
        }
        assertEquals(peeked, polled);
    }
}
