// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.TestImage;
import io.verbus.udp.wire.ErrorFrame;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Attackers that know the ids of a stream, and send frames of it to a receiver. */
@Timeout(60)
class ForgedFramesTest {
    private static final int STREAM = 7;
    private static final int SESSION = 77;
    private static final int SILENCE_MS = 1_010;

    @TempDir Path folder;
    private TestDriver driver;
    private RawSocket sender;
    private final List<RawSocket> strangers = new ArrayList<>();
    private int port;

    @BeforeEach
    void open() throws IOException {
        driver = new TestDriver(1, folder);
        sender = new RawSocket("127.0.0.1");
        strangers.add(new RawSocket("127.0.0.1"));
        strangers.add(new RawSocket("127.0.0.2"));
        try (RawSocket free = new RawSocket()) {
            port = free.port();
        }
    }

    @AfterEach
    void close() throws IOException {
        driver.close();
        sender.close();
        for (RawSocket each : strangers) {
            each.close();
        }
    }

    private String endpoint() {
        return "verbus:udp?endpoint=127.0.0.1:" + port;
    }

    private TestImage image(String channel) {
        driver.subscribe(ChannelUri.parse(channel), STREAM);
        driver.turn(2);
        send(sender, Frame.setup(sender.buffer, SESSION, STREAM));
        driver.turn(2);
        sender.drain();
        return driver.image();
    }

    private void send(RawSocket from, int length) {
        from.send(port, length);
        driver.turn();
    }

    private void setup(RawSocket from) {
        send(from, Frame.setup(from.buffer, SESSION, STREAM));
    }

    private int data(RawSocket from, int offset, int n) {
        int length = Frame.data(from.buffer, SESSION, STREAM, offset, n);
        send(from, length);
        return length;
    }

    private void heartbeat(RawSocket from, int flags, int offset) {
        HeartbeatFrame.write(from.buffer, flags, SESSION, STREAM, Frame.INITIAL_TERM, offset);
        send(from, HeartbeatFrame.LENGTH);
    }

    private static int poll(TestImage image) {
        int count = 0;
        int polled;
        while ((polled = image.poll(10)) > 0) {
            count += polled;
        }
        return count;
    }

    private void assertGoesOn(TestImage image) {
        int first = data(sender, 0, 0);
        data(sender, first, 1);
        driver.turn(2);
        assertEquals(2, poll(image));
        assertNull(image.lost);
        assertEquals(-1, image.endingAt);
        assertEquals(-1, image.revokedAt);
    }

    @Test
    void ignoresForgedHeartbeats() {
        TestImage image = image(endpoint());
        for (RawSocket stranger : strangers) {
            heartbeat(stranger, Frames.FLAG_END_OF_STREAM, 0);
            heartbeat(stranger, Frames.FLAG_END_OF_STREAM | Frames.FLAG_REVOKED, 0);
            heartbeat(stranger, 0, 4_096);
            driver.turn(50);
        }
        assertEquals(0, driver.counter("NAKs sent"), "no frame is missing");
        assertEquals(6, driver.counter("forged frames"));
        assertGoesOn(image);
    }

    @Test
    void dropsForgedData() {
        TestImage image = image(endpoint());
        for (RawSocket stranger : strangers) {
            data(stranger, 0, 13);
            Frame.data(stranger.buffer, SESSION, STREAM, 0, 13);
            stranger.buffer.putShort(6, (short) FrameHeader.TYPE_PAD);
            send(stranger, FrameHeader.LENGTH);
        }
        assertEquals(0, poll(image));
        assertEquals(4, driver.counter("forged frames"));
        assertGoesOn(image);
    }

    @Test
    void timesOutDeadSenderDespiteForgedFrames() {
        TestImage image = image(endpoint());
        for (int i = 0; i < 130 && image.lost == null; i++) {
            strangers.forEach(each -> heartbeat(each, 0, 0));
            driver.turn(100);
        }
        assertNotNull(image.lost);
    }

    @Test
    void ignoresForgedRoundTripFrames() {
        TestImage image = image(endpoint() + "|cc=cubic");
        driver.turn(2);
        send(sender, Frame.setup(sender.buffer, SESSION, STREAM));
        driver.turn(1_100);
        UnsafeBuffer question = new UnsafeBuffer(new byte[RttFrame.LENGTH]);
        while (sender.receive() > 0) {
            if (Frames.type(sender.buffer) == Frames.RTT) {
                question.putBytes(0, sender.buffer, 0, RttFrame.LENGTH);
            }
        }
        assertEquals(Frames.RTT, Frames.type(question));
        for (RawSocket stranger : strangers) {
            RttFrame.reply(stranger.buffer, question);
            send(stranger, RttFrame.LENGTH);
            RttFrame.ask(stranger.buffer, SESSION, STREAM, 1, RttFrame.receiverId(question));
            send(stranger, RttFrame.LENGTH);
            assertEquals(0, stranger.drain());
        }
        assertEquals(0, driver.counter("round trips measured"));
        assertEquals(4, driver.counter("forged frames"));
        while (sender.receive() > 0) {
            assertFalse(
                    Frames.type(sender.buffer) == Frames.RTT && Frames.flags(sender.buffer, 0) == 0,
                    "an answer to a forged request");
        }
        RttFrame.reply(sender.buffer, question);
        send(sender, RttFrame.LENGTH);
        assertEquals(1, driver.counter("round trips measured"));
        assertGoesOn(image);
    }

    /** Senders never send error frames to receivers. */
    @Test
    void ignoresForgedErrors() {
        TestImage image = image(endpoint());
        byte[] text = "gone".getBytes(StandardCharsets.US_ASCII);
        for (RawSocket stranger : strangers) {
            int length =
                    ErrorFrame.write(
                            stranger.buffer,
                            SESSION,
                            STREAM,
                            1,
                            ErrorFrame.IMAGE_REJECTED,
                            text,
                            text.length);
            send(stranger, length);
        }
        driver.turn(2);
        assertGoesOn(image);
    }

    @Test
    void ignoresForgedSetupsWhileSenderIsActive() {
        TestImage image = image(endpoint());
        for (int i = 0; i < 3 * SILENCE_MS / 100; i++) {
            strangers.forEach(this::setup);
            heartbeat(sender, 0, 0);
            driver.turn(100);
        }
        strangers.forEach(each -> assertEquals(0, each.drain()));
        heartbeat(strangers.getFirst(), Frames.FLAG_END_OF_STREAM, 0);
        assertTrue(driver.counter("forged frames") > 2 * SILENCE_MS / 100);
        assertGoesOn(image);
    }

    @Test
    void acceptsSetupFromNewAddressOnceOldAddressIsSilent() {
        TestImage image = image(endpoint());
        int first = data(sender, 0, 0);
        driver.turn(SILENCE_MS);
        RawSocket moved = strangers.getLast();
        setup(moved);
        driver.turn(2);
        assertTrue(moved.receive() > 0, "no status message");
        assertEquals(Frames.STATUS, Frames.type(moved.buffer));
        data(moved, first, 1);
        driver.turn(2);
        assertEquals(2, poll(image));
        assertEquals(0, driver.counter("forged frames"));
        heartbeat(sender, Frames.FLAG_END_OF_STREAM, 0);
        assertEquals(
                1,
                driver.counter("forged frames"),
                "the old address is no longer the" + " sender's");
        assertEquals(-1, image.endingAt);
    }

    /** The ids of a stream are easier to learn than its initial term id, which is random. */
    @Test
    void ignoresSetupOfOtherStreamWithSameIds() {
        TestImage image = image(endpoint());
        driver.turn(SILENCE_MS);
        RawSocket stranger = strangers.getLast();
        Frame.setup(stranger.buffer, SESSION, STREAM);
        stranger.buffer.putInt(20, Frame.INITIAL_TERM + 1);
        stranger.buffer.putInt(24, Frame.INITIAL_TERM + 1);
        send(stranger, SetupFrame.LENGTH);
        Frame.setup(stranger.buffer, SESSION, STREAM);
        stranger.buffer.putInt(28, 2 * Frame.TERM_LENGTH);
        send(stranger, SetupFrame.LENGTH);
        driver.turn(2);
        assertEquals(0, stranger.drain());
        assertEquals(2, driver.counter("forged frames"));
        assertGoesOn(image);
    }

    /** As if a router had changed the sender's port: the sender does not send setups unasked. */
    @Test
    void requestsSetupAtNewSourceOnceOldAddressIsSilent() {
        TestImage image = image(endpoint());
        RawSocket moved = strangers.getLast();
        heartbeat(moved, 0, 0);
        driver.turn(2);
        assertEquals(0, moved.drain(), "the sender was heard just before");
        driver.turn(SILENCE_MS);
        for (int i = 0; i < 5; i++) {
            heartbeat(moved, 0, 0);
        }
        driver.turn(2);
        assertEquals(StatusFrame.LENGTH, moved.receive());
        assertEquals(Frames.STATUS, Frames.type(moved.buffer));
        assertEquals(StatusFrame.FLAG_SEND_SETUP, Frames.flags(moved.buffer, 0));
        assertEquals(SESSION, StatusFrame.sessionId(moved.buffer));
        assertEquals(-1, moved.receive(), "requested more than once");
        setup(moved);
        driver.turn(2);
        int first = data(moved, 0, 0);
        data(moved, first, 1);
        driver.turn(2);
        assertEquals(2, poll(image));
    }

    /** Receivers respond to the publication's control address, regardless of its source address. */
    @Test
    void acceptsFramesOnlyFromSourceOfSetupWithControlAddress() throws IOException {
        try (RawSocket control = new RawSocket()) {
            TestImage image = image(endpoint() + "|control=127.0.0.1:" + control.port());
            strangers.forEach(each -> heartbeat(each, Frames.FLAG_END_OF_STREAM, 0));
            heartbeat(control, Frames.FLAG_END_OF_STREAM, 0);
            assertEquals(3, driver.counter("forged frames"));
            assertGoesOn(image);
            assertTrue(control.drain() > 0, "no status messages");
            assertEquals(0, sender.drain());
        }
    }
}
