// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.TestStream;
import io.verbus.udp.wire.Frames;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Streams that share one control address, each with its own receivers. */
@Timeout(60)
class SharedControlTest {
    private static final int STREAM = 7;
    private static final int WINDOW = 32 * 1024;

    @TempDir Path folder;
    private TestDriver driver;
    private final List<RawSocket> receivers = new ArrayList<>();
    private int port;

    @BeforeEach
    void open() throws IOException {
        driver = new TestDriver(1, folder, "udp.max-receivers", "2");
        try (RawSocket free = new RawSocket()) {
            port = free.port();
        }
    }

    @AfterEach
    void close() throws IOException {
        driver.close();
        for (RawSocket each : receivers) {
            each.close();
        }
    }

    private TestStream publish(int streamId) {
        String control = "verbus:udp?control-mode=dynamic|control=127.0.0.1:" + port;
        TestStream stream =
                driver.publish(ChannelUri.parse(control + "|term-length=64k"), streamId);
        driver.turn(2);
        return stream;
    }

    private RawSocket receiver() {
        RawSocket receiver = new RawSocket();
        receivers.add(receiver);
        return receiver;
    }

    private void status(RawSocket receiver, TestStream stream, int flags) {
        int session = stream.log().spec().sessionId();
        int streamId = stream.log().spec().streamId();
        receiver.send(port, Frame.status(receiver.buffer, flags, session, streamId, 0, WINDOW));
        driver.turn(2);
    }

    /** Joins as a receiver does: answers the challenge, and sends its window. */
    private void join(RawSocket receiver, TestStream stream) {
        status(receiver, stream, 0);
        UnsafeBuffer question = new UnsafeBuffer(new byte[RttFrame.LENGTH]);
        while (receiver.receive() > 0) {
            if (Frames.type(receiver.buffer) == Frames.RTT) {
                question.putBytes(0, receiver.buffer, 0, RttFrame.LENGTH);
                RttFrame.reply(receiver.buffer, question);
                receiver.send(port, RttFrame.LENGTH);
                driver.turn();
            }
        }
        status(receiver, stream, 0);
    }

    /** Offers messages, and lets them be sent. */
    private void offer(TestStream stream, int count) {
        long target = stream.offered + count;
        while (stream.offered < target && stream.offer()) {
            driver.turn();
        }
        assertEquals(target, stream.offered);
    }

    /**
     * Returns the number of bytes of data that have arrived, all of which must be of one stream.
     */
    private static long received(RawSocket receiver, TestStream stream) {
        long bytes = 0;
        int length;
        while ((length = receiver.receive()) > 0) {
            if (Frames.type(receiver.buffer) == FrameHeader.TYPE_DATA) {
                assertEquals(
                        stream.log().spec().sessionId(),
                        receiver.buffer.getInt(FrameHeader.SESSION_ID));
                bytes += receiver.buffer.getInt(0) == 0 ? 0 : length;
            }
        }
        return bytes;
    }

    @Test
    void sendsStreamToItsReceiverOnly() {
        List<TestStream> streams = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            streams.add(publish(STREAM + i));
            join(receiver(), streams.get(i));
        }
        receivers.forEach(RawSocket::drain);
        for (TestStream stream : streams) {
            assertTrue(stream.connected);
            offer(stream, 20);
        }
        for (int i = 0; i < 10; i++) {
            TestStream stream = streams.get(i);
            assertEquals(
                    stream.senderPosition(), received(receivers.get(i), stream), "stream " + i);
        }
        assertEquals(10, driver.value("mdc-num-dest"));
    }

    @Test
    void keepsOtherStreamWhenReceiverLeavesOne() {
        TestStream first = publish(STREAM);
        TestStream second = publish(STREAM + 1);
        RawSocket receiver = receiver();
        join(receiver, first);
        join(receiver, second);
        assertEquals(1, driver.value("mdc-num-dest"));
        status(receiver, first, StatusFrame.FLAG_END_OF_STREAM);
        assertFalse(first.connected);
        receiver.drain();
        offer(second, 10);
        assertEquals(second.senderPosition(), received(receiver, second));
    }

    @Test
    void appliesMaxReceiversPerStream() {
        TestStream first = publish(STREAM);
        TestStream second = publish(STREAM + 1);
        for (int i = 0; i < 4; i++) {
            join(receiver(), i < 2 ? first : second);
        }
        assertEquals(4, driver.value("mdc-num-dest"));
        assertEquals(0, driver.counter("receivers refused"));
        RawSocket fifth = receiver();
        fifth.send(port, Frame.status(fifth.buffer, StatusFrame.FLAG_SEND_SETUP, 0, 0, 0, 0));
        driver.turn(2);
        assertEquals(0, fifth.drain(), "got setups of streams that have no room");
        join(fifth, first);
        assertEquals(4, driver.value("mdc-num-dest"));
        assertTrue(driver.counter("receivers refused") > 0);
    }

    /** A receiver requests all streams only while it has none. */
    @Test
    void offersLaterStreamToReceiversOfOtherStreams() {
        TestStream first = publish(STREAM);
        RawSocket receiver = receiver();
        join(receiver, first);
        receiver.drain();
        TestStream second = publish(STREAM + 1);
        driver.turn(200);
        int offers = 0;
        while (receiver.receive() > 0) {
            if (Frames.type(receiver.buffer) == Frames.SETUP) {
                assertEquals(
                        second.log().spec().sessionId(), SetupFrame.sessionId(receiver.buffer));
                offers++;
            }
        }
        assertTrue(offers >= 2, offers + " set-ups");
        join(receiver, second);
        assertTrue(second.connected);
    }

    @Test
    void announcesAllStreamsOverSeveralRequests() {
        for (int i = 0; i < 40; i++) {
            publish(STREAM + i);
        }
        RawSocket receiver = receiver();
        Set<Integer> told = new HashSet<>();
        for (int asked = 0; asked < 3; asked++) {
            int length = Frame.status(receiver.buffer, StatusFrame.FLAG_SEND_SETUP, 0, 0, 0, 0);
            receiver.send(port, length);
            driver.turn(20);
            int answered = 0;
            while (receiver.receive() > 0) {
                told.add(SetupFrame.streamId(receiver.buffer));
                answered++;
            }
            assertTrue(answered <= 16, answered + " setups at a time");
        }
        assertEquals(40, told.size());
    }
}
