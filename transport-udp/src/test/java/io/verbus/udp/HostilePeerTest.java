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
import io.verbus.transport.TestStream;
import io.verbus.udp.wire.ErrorFrame;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.ResponseSetupFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Tests a misbehaving peer, which gets no more data than it is entitled to, and breaks nothing. */
@Timeout(120)
class HostilePeerTest {
    private static final int STREAM = 7;
    private static final int SESSION = 77;
    private static final int FUZZED = Integer.getInteger("verbus.fuzz.frames", 200_000);

    @TempDir Path folder;
    private TestDriver driver;
    private RawSocket peer;
    private int port;

    @BeforeEach
    void open() throws IOException {
        driver = new TestDriver(1, folder, "udp.max-images", "8", "udp.max-term-length", "512m");
        peer = new RawSocket();
        try (RawSocket free = new RawSocket()) {
            port = free.port();
        }
    }

    @AfterEach
    void close() throws IOException {
        driver.close();
        peer.close();
    }

    private static ChannelUri channel(int port) {
        return ChannelUri.parse("verbus:udp?endpoint=127.0.0.1:" + port + "|term-length=64k");
    }

    private void toDriver(int length) {
        peer.send(port, length);
        driver.turn();
    }

    private TestImage image() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        toDriver(Frame.setup(peer.buffer, SESSION, STREAM));
        driver.turn(2);
        assertEquals(1, driver.images.size());
        return driver.images.getFirst();
    }

    /** Returns a publication that has sent 64 messages to the peer, which has consumed none. */
    private TestStream publication() {
        TestStream stream = driver.publish(channel(peer.port()), STREAM);
        driver.turn(200);
        do {
            assertTrue(peer.receive() > 0, "no setup");
        } while (Frames.type(peer.buffer) != Frames.SETUP);
        int length =
                Frame.status(peer.buffer, 0, stream.log().spec().sessionId(), STREAM, 0, 32 * 1024);
        SocketAddress sender = peer.source;
        peer.send(sender, length);
        driver.turn(2);
        assertTrue(stream.connected);
        while (stream.offered < 64 && stream.offer()) {
            driver.turn();
        }
        drainPeer();
        peer.source = sender;
        return stream;
    }

    /** Returns the number of bytes that have arrived at the peer. */
    private long drainPeer() {
        return peer.drain();
    }

    /** A request at a control address with a forged source causes no more than setups. */
    @Test
    void sendsOnlySetupsToForgedAddressOfUnknownReceiver() {
        TestStream stream = dynamic();
        int session = stream.log().spec().sessionId();
        int asked = 500;
        for (int i = 0; i < asked; i++) {
            toDriver(Frame.status(peer.buffer, StatusFrame.FLAG_SEND_SETUP, 0, 0, 0, 0));
        }
        // Guessing the stream's ids has no effect.
        for (int i = 1; i < asked; i++) {
            toDriver(Frame.status(peer.buffer, 0, session + i, STREAM, 0, 32 * 1024));
        }
        driver.turn(50);
        long answered = drainPeer();
        assertTrue(answered > 0, "a receiver gets an answer");
        assertTrue(answered <= 40L * asked, answered + " bytes for " + asked + " status messages");
        assertFalse(stream.connected);
        // A peer that reads a setup and proves that it receives is accepted, and gets data.
        joinDynamic(peer, session);
        assertTrue(stream.connected);
        while (stream.offered < 10 && stream.offer()) {
            driver.turn();
        }
        assertTrue(drainPeer() > 10, "data");
    }

    /** The attacker receives the stream, so it knows the ids and every position. */
    @Test
    void sendsOnlyChallengesToVictimOfForgedStatusMessages() throws IOException {
        TestStream stream = dynamic();
        int session = stream.log().spec().sessionId();
        joinDynamic(peer, session);
        assertTrue(stream.connected);
        try (RawSocket victim = new RawSocket()) {
            long brought = 0;
            int forged = 0;
            for (int i = 0; i < 5_000; i++) {
                stream.offer();
                int offset = (int) (stream.senderPosition() % Frame.TERM_LENGTH);
                int term = (int) (stream.senderPosition() / Frame.TERM_LENGTH);
                Frame.status(peer.buffer, 0, session, STREAM, offset, 32 * 1024);
                peer.buffer.putInt(16, Frame.INITIAL_TERM + term);
                victim.buffer.putBytes(0, peer.buffer, 0, StatusFrame.LENGTH);
                toDriver(StatusFrame.LENGTH);
                if (i % 50 == 0) {
                    victim.send(port, StatusFrame.LENGTH);
                    forged++;
                }
                driver.turn(1);
                answerQuestions(peer);
                int length;
                while ((length = victim.receive()) >= 0) {
                    assertEquals(Frames.RTT, Frames.type(victim.buffer));
                    brought += length;
                }
            }
            assertTrue(
                    stream.senderPosition() > 20L * Frame.TERM_LENGTH, "the stream must continue");
            assertTrue(
                    brought <= (long) RttFrame.LENGTH * forged,
                    brought + " bytes for " + forged + " status messages");
            assertEquals(1, driver.value("mdc-num-dest"));
        }
    }

    /** A forged request does not make the sender answer other receivers, either. */
    @Test
    void answersRoundTripRequestsOfReceiversOnly() throws IOException {
        TestStream stream = dynamic();
        int session = stream.log().spec().sessionId();
        RawSocket[] receivers = new RawSocket[8];
        for (int i = 0; i < receivers.length; i++) {
            receivers[i] = new RawSocket();
            joinDynamic(receivers[i], session);
            receivers[i].drain();
        }
        int asked = 100;
        for (int i = 0; i < asked; i++) {
            RttFrame.ask(peer.buffer, session, STREAM, i, 99);
            toDriver(RttFrame.LENGTH);
            Frame.status(peer.buffer, StatusFrame.FLAG_SEND_SETUP, session, STREAM, 0, 0);
            toDriver(StatusFrame.LENGTH);
            driver.nowNs += TestDriver.MS / 10;
        }
        assertTrue(drainPeer() <= (long) SetupFrame.LENGTH * asked, "only setups");
        for (RawSocket receiver : receivers) {
            assertEquals(0, receiver.drain(), "sent to a receiver that requested nothing");
        }
        for (int i = 0; i < asked; i++) {
            RttFrame.ask(receivers[0].buffer, session, STREAM, i, 99);
            receivers[0].send(port, RttFrame.LENGTH);
            driver.turn();
        }
        long answered = receivers[0].drain();
        assertTrue(answered > 0 && answered <= 16L * RttFrame.LENGTH, answered + " bytes");
        for (int i = 1; i < receivers.length; i++) {
            assertEquals(0, receivers[i].drain(), "sent to a receiver that requested nothing");
        }
        for (RawSocket receiver : receivers) {
            receiver.close();
        }
    }

    /** Each requester gets its own stream; other peers get setups at most. */
    @Test
    void sendsResponsesOnlyToTheirRequester() throws IOException {
        ChannelUri channel =
                ChannelUri.parse(
                        "verbus:udp?control=127.0.0.1:"
                                + port
                                + "|control-mode=response|term-length=64k");
        TestStream first = driver.publish(channel, STREAM);
        TestStream second = driver.publish(channel, STREAM);
        driver.turn(50);
        try (RawSocket other = new RawSocket()) {
            joinDynamic(peer, first.log().spec().sessionId());
            joinDynamic(other, second.log().spec().sessionId());
            assertTrue(first.connected && second.connected);
            drainPeer();
            other.drain();
            while (first.offered < 10 && first.offer()) {
                driver.turn();
            }
            assertTrue(drainPeer() > 10 * FrameHeader.LENGTH, "the requester's data");
            assertEquals(0, other.drain(), "data of another requester");
            // A later requester of a stream that has one already gets nothing.
            joinDynamic(other, first.log().spec().sessionId());
            other.drain();
            while (first.offered < 20 && first.offer()) {
                driver.turn();
            }
            assertEquals(0, other.drain(), "data of another requester's stream");
            // A request for all streams does not reveal any, either.
            int asked = Frame.status(other.buffer, StatusFrame.FLAG_SEND_SETUP, 0, 0, 0, 0);
            other.send(port, asked);
            driver.turn(2);
            assertEquals(0, other.drain(), "setups of other requesters' streams");
        }
    }

    /** Session ids of responses are passed on, but at a limited rate. */
    @Test
    void acceptsResponseSessionsAtLimitedRateForTheirStreamOnly() {
        TestStream stream =
                driver.publish(
                        ChannelUri.parse(channel(peer.port()) + "|response-correlation-id=4"),
                        STREAM);
        TestStream other = driver.publish(channel(peer.port()), STREAM);
        driver.turn(200);
        assertTrue(peer.receive() > 0, "no setup");
        SocketAddress sender = peer.source;
        for (int i = 0; i < 100; i++) {
            ResponseSetupFrame.write(peer.buffer, stream.log().spec().sessionId(), STREAM, i);
            peer.send(sender, ResponseSetupFrame.LENGTH);
            ResponseSetupFrame.write(peer.buffer, other.log().spec().sessionId(), STREAM, 1_000);
            peer.send(sender, ResponseSetupFrame.LENGTH);
            driver.turn(1);
        }
        int told = driver.responseSessions.size();
        assertTrue(told > 0 && told <= 11, told + " in 100 ms");
        assertFalse(driver.responseSessions.contains(1_000));
    }

    private TestStream dynamic() {
        TestStream stream =
                driver.publish(
                        ChannelUri.parse(
                                "verbus:udp?control=127.0.0.1:"
                                        + port
                                        + "|control-mode=dynamic|term-length=64k"),
                        STREAM);
        driver.turn(2);
        return stream;
    }

    /** Joins a dynamic publication as a receiver does, from its start position. */
    private void joinDynamic(RawSocket receiver, int session) {
        for (int i = 0; i < 2; i++) {
            Frame.status(receiver.buffer, 0, session, STREAM, 0, 32 * 1024);
            receiver.send(port, StatusFrame.LENGTH);
            driver.turn(2);
            answerQuestions(receiver);
        }
    }

    private void answerQuestions(RawSocket receiver) {
        UnsafeBuffer question = new UnsafeBuffer(new byte[RttFrame.LENGTH]);
        while (receiver.receive() > 0) {
            if (Frames.type(receiver.buffer) == Frames.RTT) {
                question.putBytes(0, receiver.buffer, 0, RttFrame.LENGTH);
                RttFrame.reply(receiver.buffer, question);
                receiver.send(port, RttFrame.LENGTH);
                driver.turn();
            }
        }
    }

    @Test
    void deliversReorderedFramesInOrder() {
        TestImage image = image();
        int[] offsets = new int[41];
        for (int n = 0; n < 40; n++) {
            offsets[n + 1] = offsets[n] + Frame.data(peer.buffer, SESSION, STREAM, offsets[n], n);
        }
        for (int n = 39; n >= 0; n--) {
            assertEquals(0, image.poll(10));
            toDriver(Frame.data(peer.buffer, SESSION, STREAM, offsets[n], n));
            toDriver(Frame.data(peer.buffer, SESSION, STREAM, offsets[n], n));
        }
        while (image.poll(10) > 0) {
            // read on
        }
        assertEquals(40, image.next);
        assertEquals(39, driver.counter("duplicate frames"));
        assertEquals(1, driver.counter("Flow control under runs"));
        assertEquals(0, driver.counter("invalid frames from senders"));
    }

    @Test
    void splitsDatagramsJoinedByKernel() {
        TestImage image = image();
        UnsafeBuffer one = new UnsafeBuffer(new byte[2048]);
        int length = 0;
        int first = Frame.data(one, SESSION, STREAM, 0, 0);
        int second = Frame.data(one, SESSION, STREAM, first, 1);
        int third = Frame.data(one, SESSION, STREAM, first + second, 2);
        length = append(one, length, Frame.data(one, SESSION, STREAM, first + second, 2));
        length = append(one, length, Frame.setup(one, SESSION, STREAM));
        length = append(one, length, Frame.data(one, SESSION + 1, STREAM, 0, 5));
        HeartbeatFrame.write(one, 0, SESSION, STREAM, Frame.INITIAL_TERM, 0);
        length = append(one, length, HeartbeatFrame.LENGTH);
        length = append(one, length, Frame.data(one, SESSION, STREAM, 0, 0));
        length = append(one, length, Frame.data(one, SESSION, STREAM, first, 1));
        toDriver(length);
        while (image.poll(10) > 0) {
            // read on
        }
        assertEquals(3, image.next);
        assertEquals(first + second + third, image.position());
        assertEquals(0, driver.counter("invalid frames from senders"));
    }

    private int append(UnsafeBuffer one, int length, int more) {
        peer.buffer.putBytes(length, one, 0, more);
        return length + more;
    }

    @Test
    void acceptsOnlyAnswersToOwnRoundTripRequests() {
        driver.subscribe(ChannelUri.parse(channel(port) + "|cc=cubic"), STREAM);
        driver.turn(2);
        toDriver(Frame.setup(peer.buffer, SESSION, STREAM));
        driver.turn(2);
        int window = -1;
        UnsafeBuffer question = new UnsafeBuffer(new byte[RttFrame.LENGTH]);
        while (peer.receive() > 0) {
            if (Frames.type(peer.buffer) == Frames.STATUS) {
                window = StatusFrame.window(peer.buffer);
            } else {
                question.putBytes(0, peer.buffer, 0, RttFrame.LENGTH);
            }
        }
        assertTrue(window >= 1408 && window <= 10 * 1408, "window " + window);
        assertEquals(Frames.RTT, Frames.type(question));
        assertEquals(RttFrame.FLAG_REPLY, Frames.flags(question, 0));
        RttFrame.reply(peer.buffer, question);
        peer.buffer.putLong(16, RttFrame.echoTimestamp(question) - 1);
        toDriver(RttFrame.LENGTH);
        RttFrame.reply(peer.buffer, question);
        peer.buffer.putLong(32, RttFrame.receiverId(question) + 1);
        toDriver(RttFrame.LENGTH);
        assertEquals(0, driver.counter("round trips measured"));
        for (int i = 0; i < 3; i++) {
            RttFrame.reply(peer.buffer, question);
            toDriver(RttFrame.LENGTH);
        }
        assertEquals(1, driver.counter("round trips measured"));
    }

    @Test
    void rejectsFrameLongerThanDatagram() {
        TestImage image = image();
        int length = Frame.data(peer.buffer, SESSION, STREAM, 0, 3);
        // The buffer keeps earlier data, none of which may count as part of this datagram.
        toDriver(Frame.data(peer.buffer, SESSION + 1, STREAM, 0, 3));
        Frame.data(peer.buffer, SESSION, STREAM, 0, 3);
        for (int cut = 0; cut < length - FrameHeader.ALIGNMENT; cut++) {
            toDriver(cut);
        }
        assertEquals(0, image.poll(10));
        assertEquals(0, image.log().term(0).getLong(0));
        assertTrue(driver.counter("invalid frames from senders") >= length - 64);
    }

    @Test
    void rejectsFramesBeyondWindowOrAtInvalidPosition() {
        TestImage image = image();
        toDriver(Frame.data(peer.buffer, SESSION, STREAM, 32 * 1024, 0));
        assertEquals(1, driver.counter("Flow control over runs"));
        int length = Frame.data(peer.buffer, SESSION, STREAM, 64, 0);
        peer.buffer.putInt(FrameHeader.TERM_OFFSET, 65);
        toDriver(length);
        peer.buffer.putInt(FrameHeader.TERM_OFFSET, -64);
        toDriver(length);
        peer.buffer.putInt(FrameHeader.TERM_OFFSET, 64);
        peer.buffer.putInt(FrameHeader.TERM_ID, Frame.INITIAL_TERM - 1);
        toDriver(length);
        assertEquals(3, driver.counter("invalid frames from senders"));
        for (int i = 0; i < 3; i++) {
            assertEquals(0, image.log().term(i).getLong(64));
            assertEquals(0, image.log().term(i).getLong(32 * 1024));
        }
    }

    @Test
    void keepsGroupImageAfterSingleFrameFarAhead() {
        TestImage image = groupImage();
        int offset = 0;
        for (int n = 0; n < 64; n++) {
            offset += Frame.data(peer.buffer, SESSION, STREAM, offset, n);
            toDriver(FrameHeader.align(peer.buffer.getInt(0)));
            toDriver(frameFromAfar());
            driver.turn(20);
            image.poll(10);
        }
        assertEquals(64, driver.counter("Flow control over runs"));
        assertNull(image.lost);
        assertEquals(64, image.next);
    }

    @Test
    void endsGroupImageWhenSenderStaysFarAhead() {
        TestImage image = groupImage();
        for (int i = 0; i < 50; i++) {
            toDriver(frameFromAfar());
            driver.turn(10);
            assertNull(image.lost);
        }
        toDriver(frameFromAfar());
        driver.turn(2);
        assertNotNull(image.lost);
        assertTrue(image.lost.contains("left this receiver behind"), image.lost);
    }

    /** Some senders, such as Aeron's, do not resend everything that their log holds. */
    @Test
    void endsImageIfSenderIsAheadAndResendsNothing() {
        TestImage image = image();
        for (int i = 0; i < 99; i++) {
            heartbeat(48 * 1024);
            driver.turn(100);
            assertNull(image.lost);
        }
        heartbeat(48 * 1024);
        driver.turn(200);
        assertNotNull(image.lost);
        assertTrue(image.lost.contains("has not retransmitted the data at position 0"), image.lost);
    }

    @Test
    void keepsImageWithSlowSubscriberWhileSenderIsAhead() {
        TestImage image = image();
        int offset = 0;
        for (int n = 0; offset < 32 * 1024 - 2 * 1408; n++) {
            int length = Frame.data(peer.buffer, SESSION, STREAM, offset, n);
            toDriver(length);
            offset += FrameHeader.align(length);
        }
        while (offset < 32 * 1024) {
            int length = Math.min(1408, 32 * 1024 - offset);
            Frame.data(peer.buffer, SESSION, STREAM, offset, 0);
            peer.buffer.putInt(FrameHeader.FRAME_LENGTH, length);
            toDriver(length);
            offset += length;
        }
        for (int i = 0; i < 150; i++) {
            heartbeat(48 * 1024);
            driver.turn(100);
        }
        assertNull(image.lost);
    }

    private void heartbeat(int termOffset) {
        HeartbeatFrame.write(peer.buffer, 0, SESSION, STREAM, Frame.INITIAL_TERM, termOffset);
        toDriver(HeartbeatFrame.LENGTH);
    }

    private int frameFromAfar() {
        int length = Frame.data(peer.buffer, SESSION, STREAM, 64, 0);
        peer.buffer.putInt(FrameHeader.TERM_ID, Frame.INITIAL_TERM + 3);
        return length;
    }

    private TestImage groupImage() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        Frame.setup(peer.buffer, SESSION, STREAM);
        peer.buffer.putByte(5, (byte) SetupFrame.FLAG_GROUP);
        toDriver(SetupFrame.LENGTH);
        driver.turn(2);
        return driver.image();
    }

    @Test
    void endsImageWithReasonWhenFramesOverlap() {
        TestImage image = image();
        int length = Frame.data(peer.buffer, SESSION, STREAM, 256, 1);
        peer.buffer.setMemory(FrameHeader.LENGTH, length - FrameHeader.LENGTH, (byte) 0xFF);
        toDriver(length);
        Frame.data(peer.buffer, SESSION, STREAM, 0, 0);
        peer.buffer.putInt(0, 288); // ends where the other frame's payload starts
        toDriver(288);
        driver.turn(2);
        assertNotNull(image.lost);
        assertTrue(image.lost.contains("overlap"), image.lost);
    }

    @Test
    void limitsRetransmissionsOfRepeatedNaks() {
        TestStream stream = publication();
        int session = stream.log().spec().sessionId();
        long unconsumed = stream.senderPosition();
        SocketAddress sender = peer.source;
        Random random = new Random(3);
        long lingers = 5;
        for (int i = 0; i < 20_000; i++) {
            int offset = random.nextInt((int) unconsumed) & -32;
            peer.send(sender, Frame.nak(peer.buffer, session, STREAM, offset, 32 * 1024));
            driver.turn();
            if (i % 4_000 == 0) {
                driver.nowNs += 10 * TestDriver.MS;
            }
        }
        long bytes = drainPeer();
        assertTrue(bytes > 0);
        assertTrue(bytes <= (lingers + 1) * unconsumed, bytes + " bytes for " + unconsumed);
        assertEquals(20_000, driver.counter("NAKs received"));
    }

    /** Sends as many NAKs as the table has ranges, each for a separate frame or a part of it. */
    @ParameterizedTest
    @ValueSource(ints = {32, 1024})
    void retransmitsRequestedFrameDespiteForgedNaks(int forgedLength) {
        TestStream stream = publication();
        int session = stream.log().spec().sessionId();
        SocketAddress sender = peer.source;
        for (int i = 0; i < 200; i++) {
            stream.offer();
            driver.turn();
        }
        drainPeer();
        List<Integer> offsets = new ArrayList<>();
        int end = (int) stream.senderPosition();
        for (int at = 0; at < end; ) {
            offsets.add(at);
            at += FrameHeader.align(stream.log().term(0).getInt(at));
        }
        assertTrue(offsets.size() > 70, offsets.size() + " frames");
        int wanted = offsets.get(offsets.size() / 2);
        int length = FrameHeader.align(stream.log().term(0).getInt(wanted));
        for (int round = 0; round < 20; round++) {
            for (int offset : offsets) {
                if (offset != wanted) {
                    peer.send(
                            sender, Frame.nak(peer.buffer, session, STREAM, offset, forgedLength));
                    driver.turn();
                }
            }
            peer.send(sender, Frame.nak(peer.buffer, session, STREAM, wanted, length));
            driver.nowNs += TestDriver.MS;
            driver.turn(1);
            for (int i = 0; i < offsets.size(); i++) {
                driver.turn();
            }
            assertTrue(isSentAgain(wanted), "not retransmitted in round " + round);
            driver.nowNs += 9 * TestDriver.MS;
        }
    }

    /** Whether a frame is among those that have arrived at the peer. */
    private boolean isSentAgain(int termOffset) {
        boolean isSent = false;
        int length;
        while ((length = peer.receive()) >= 0) {
            int at = 0;
            while (at < length) {
                int frame = FrameHeader.align(peer.buffer.getInt(at));
                isSent |= frame > 0 && peer.buffer.getInt(at + 8) == termOffset;
                at += Math.max(frame, HeartbeatFrame.LENGTH);
            }
        }
        return isSent;
    }

    @Test
    void ignoresNaksForUnavailableRanges() {
        TestStream stream = publication();
        int session = stream.log().spec().sessionId();
        SocketAddress sender = peer.source;
        int[][] ranges = {
            {-32, 64},
            {0, 0},
            {0, -1},
            {0, 64 * 1024 + 32},
            {33, 64},
            {(int) stream.senderPosition(), 64},
            {Integer.MAX_VALUE - 31, 64},
            {32, Integer.MAX_VALUE}
        };
        for (int[] range : ranges) {
            peer.send(sender, Frame.nak(peer.buffer, session, STREAM, range[0], range[1]));
            driver.turn();
        }
        // In the middle of a frame.
        peer.send(sender, Frame.nak(peer.buffer, session, STREAM, 32, 32));
        driver.turn();
        driver.turn();
        assertEquals(0, drainPeer());
        assertEquals(ranges.length + 1, driver.counter("NAKs ignored"));
        assertEquals(0, driver.counter("Retransmits sent"));
    }

    @Test
    void rejectsImpossibleStatusMessagesAndLimitsRequestedSetups() {
        TestStream stream = publication();
        int session = stream.log().spec().sessionId();
        SocketAddress sender = peer.source;
        int far = (int) stream.senderPosition() + 32;
        peer.send(sender, Frame.status(peer.buffer, 0, session, STREAM, far, 1024));
        driver.turn();
        peer.send(sender, Frame.status(peer.buffer, 0, session, STREAM, -32, 1024));
        driver.turn();
        peer.send(sender, Frame.status(peer.buffer, 0, session, STREAM, 0, -1));
        driver.turn();
        assertEquals(3, driver.counter("Status Messages rejected"));
        driver.turn(20);
        drainPeer();
        for (int i = 0; i < 1_000; i++) {
            peer.send(
                    sender,
                    Frame.status(peer.buffer, StatusFrame.FLAG_SEND_SETUP, session, STREAM, 0, 0));
            driver.turn();
        }
        assertEquals(SetupFrame.LENGTH, drainPeer());
    }

    @Test
    void answersRoundTripRequest() {
        TestStream stream = publication();
        peer.buffer.setMemory(0, RttFrame.LENGTH, (byte) 0);
        peer.buffer.putInt(0, RttFrame.LENGTH);
        peer.buffer.putByte(5, (byte) RttFrame.FLAG_REPLY);
        peer.buffer.putShort(6, (short) Frames.RTT);
        peer.buffer.putInt(8, stream.log().spec().sessionId());
        peer.buffer.putInt(12, STREAM);
        peer.buffer.putLong(16, 123_456_789L);
        peer.buffer.putLong(32, 42);
        peer.send(peer.source, RttFrame.LENGTH);
        driver.turn();
        assertEquals(RttFrame.LENGTH, peer.receive());
        assertEquals(Frames.RTT, Frames.type(peer.buffer));
        assertEquals(0, Frames.flags(peer.buffer, 0));
        assertEquals(123_456_789L, peer.buffer.getLong(16));
        assertEquals(42, peer.buffer.getLong(32));
    }

    @Test
    void limitsSetupRequestsForUnknownStreams() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        int sent = 5_000;
        for (int session = 0; session < sent; session++) {
            toDriver(Frame.data(peer.buffer, session, STREAM, 0, 0));
            toDriver(Frame.data(peer.buffer, session, STREAM + 1, 0, 0));
        }
        long bytes = drainPeer();
        assertTrue(bytes > 0);
        assertTrue(bytes <= 32 * StatusFrame.LENGTH, bytes + " bytes");
        assertEquals(0, driver.setups);
    }

    @Test
    void limitsImagesCreatedBySetups() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        for (int session = 0; session < 1_000; session++) {
            toDriver(Frame.setup(peer.buffer, session, STREAM));
        }
        driver.turn(5);
        assertEquals(8, driver.images.size());
        assertEquals(992, driver.counter("set-ups refused"));
    }

    @Test
    void refusesSetupsWithTooLongTermsAndReportsThemOnce() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        for (int session = 0; session < 1_000; session++) {
            Frame.setup(peer.buffer, session, STREAM);
            peer.buffer.putInt(28, 1 << 30);
            toDriver(SetupFrame.LENGTH);
        }
        driver.turn(25);
        assertEquals(0, driver.setups);
        assertEquals(1000, driver.counter("set-ups refused"));
        // The receiver itself refuses those that arrive while eight are pending.
        long told = driver.counter("errors caused by peers");
        assertTrue(told > 900, told + " told");
        assertEquals(1, driver.errors.size(), driver.errors.toString());
        assertTrue(driver.errors.getFirst().contains("127.0.0.1"), driver.errors.getFirst());
        assertTrue(driver.errors.getFirst().contains("udp.max-term-length"));
    }

    /** As if there were no space for their logs, each of which has a unique name. */
    @Test
    void countsFailedSetupsAsImagesAndReportsOnce() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        for (int session = 0; session < 1_000; session++) {
            driver.setupRefusal = "image-" + session + ".log does not fit";
            toDriver(Frame.setup(peer.buffer, session, STREAM));
        }
        driver.turn(20); // one command of the conductor per turn
        assertEquals(8, driver.setups);
        assertEquals(1000, driver.counter("set-ups refused"));
        assertEquals(2, driver.errors.size(), driver.errors.toString());
        assertTrue(driver.errors.getFirst().endsWith("does not fit"), driver.errors.getFirst());
        assertTrue(driver.errors.getLast().contains("udp.max-images"), driver.errors.getLast());
        driver.setupRefusal = null;
        driver.turn(11_000);
        toDriver(Frame.setup(peer.buffer, SESSION, STREAM));
        driver.turn(2);
        assertEquals(1, driver.images.size(), "there is room again");
    }

    /**
     * The sender of a stream without room for its image gets the reason, in a frame of limited
     * length.
     */
    @Test
    void reportsToSenderWhyStreamHasNoRoom() throws IOException {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        driver.setupRefusal = "there is no room" + ".".repeat(1100);
        toDriver(Frame.setup(peer.buffer, SESSION, STREAM));
        driver.turn(20);
        int length = peer.receive();
        while (length > 0 && Frames.type(peer.buffer) != Frames.ERROR) {
            length = peer.receive();
        }
        assertEquals(ErrorFrame.MAX_LENGTH, length);
        assertEquals(SESSION, ErrorFrame.sessionId(peer.buffer));
        assertEquals(STREAM, ErrorFrame.streamId(peer.buffer));
        String text = ErrorFrame.text(peer.buffer, length);
        assertTrue(text.startsWith("there is no room"), text);
    }

    @Test
    void limitsImagesAndMemoryPerHost() throws IOException {
        driver.close();
        driver =
                new TestDriver(
                        1, folder, "udp.max-images-per-host", "3", "udp.max-image-memory", "1m");
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        for (int session = 0; session < 100; session++) {
            toDriver(Frame.setup(peer.buffer, session, STREAM));
        }
        driver.turn(5);
        assertEquals(3, driver.images.size());
        try (RawSocket other = new RawSocket("127.0.0.2")) {
            for (int session = 100; session < 110; session++) {
                Frame.setup(other.buffer, session, STREAM);
                other.buffer.putInt(28, 128 * 1024);
                other.send(port, SetupFrame.LENGTH);
                driver.turn();
            }
            driver.turn(5);
        }
        assertEquals(5, driver.images.size(), "two logs of somewhat more than 384k fit into 1m");
        assertEquals(2, driver.errors.size(), driver.errors.toString());
        assertTrue(driver.errors.getFirst().contains("udp.max-images-per-host"));
        assertTrue(driver.errors.getLast().contains("127.0.0.2"), driver.errors.getLast());
        assertTrue(driver.errors.getLast().contains("udp.max-image-memory"));
    }

    /** Ended images still count for a while, because their logs are not deleted immediately. */
    @Test
    void countsEndedImagesTowardsLimitTemporarily() {
        driver.subscribe(channel(port), STREAM);
        driver.turn(2);
        for (int session = 0; session < 100; session++) {
            toDriver(Frame.setup(peer.buffer, session, STREAM));
            HeartbeatFrame.write(
                    peer.buffer, Frames.FLAG_END_OF_STREAM, session, STREAM, Frame.INITIAL_TERM, 0);
            driver.turn(2);
            toDriver(HeartbeatFrame.LENGTH);
            driver.turn(2);
            for (TestImage image : List.copyOf(driver.images)) {
                assertTrue(image.endingAt >= 0);
                driver.transport.inbound().closeImage(image);
            }
            driver.turn(2);
        }
        assertEquals(8, driver.setups);
    }

    @Test
    void survivesRandomFrames() {
        long seed = System.nanoTime();
        System.out.println("HostilePeerTest seed " + seed);
        Random random = new Random(seed);
        TestImage image = image();
        TestStream stream = publication();
        SocketAddress sender = peer.source;
        int session = stream.log().spec().sessionId();
        for (int i = 0; i < FUZZED; i++) {
            int length = randomFrame(random, random.nextBoolean() ? SESSION : session);
            for (int flips = random.nextInt(4); flips > 0; flips--) {
                peer.buffer.putByte(random.nextInt(64), (byte) random.nextInt());
            }
            if (random.nextInt(4) == 0) {
                length = random.nextInt(length + 64);
            }
            if (random.nextBoolean()) {
                peer.send(sender, length);
            } else {
                peer.send(port, length);
            }
            if (i % 8 == 0) {
                driver.turn();
                drainPeer();
            }
            if (i % 1000 == 0) {
                driver.turn(1);
            }
        }
        driver.turn(5);
        assertTrue(driver.images.size() <= 9, driver.images.size() + " images");
        assertTrue(driver.counter("invalid frames from senders") > 0);
        assertTrue(driver.counter("invalid frames from receivers") > 0);
        assertFalse(image.released);
        assertTrue(stream.senderPosition() <= stream.position());
    }

    private int randomFrame(Random random, int session) {
        int offset = random.nextInt(2048) * 32;
        return switch (random.nextInt(8)) {
            case 0 -> Frame.setup(peer.buffer, random.nextInt(20), STREAM);
            case 1 -> Frame.status(peer.buffer, 0, session, STREAM, offset, random.nextInt());
            case 2 -> Frame.status(peer.buffer, random.nextInt(256), session, STREAM, 0, 32 * 1024);
            case 3 -> Frame.nak(peer.buffer, session, STREAM, offset, random.nextInt(1 << 17));
            case 4 -> {
                HeartbeatFrame.write(
                        peer.buffer,
                        random.nextInt(50) == 0 ? Frames.FLAG_END_OF_STREAM : 0,
                        session,
                        STREAM,
                        Frame.INITIAL_TERM,
                        offset);
                yield HeartbeatFrame.LENGTH;
            }
            default -> Frame.data(peer.buffer, session, STREAM, offset, random.nextInt(64));
        };
    }
}
