// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogNotes;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;
import io.verbus.transport.TransportException;
import io.verbus.udp.wire.Frames;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Tests the keys of channels between two transports in one thread, with a simulated clock. */
@Timeout(60)
class ChannelKeysTest {
    private static final int STREAM = 7;

    @TempDir Path folder;
    private TestDriver a;
    private TestDriver b;
    private int port;
    private int otherPort;

    @BeforeEach
    void open() throws IOException {
        a = new TestDriver(1, folder);
        b = new TestDriver(2, folder);
        try (RawSocket free = new RawSocket();
                RawSocket other = new RawSocket()) {
            port = free.port();
            otherPort = other.port();
        }
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private ChannelUri channel(String options) {
        return ChannelUri.parse(
                "verbus:udp?endpoint=127.0.0.1:" + port + "|term-length=64k" + options);
    }

    private void until(BooleanSupplier condition) {
        for (int i = 0; i < 30_000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            a.turn(1);
            b.turn(1);
        }
        throw new AssertionError("not within 30 s of the test's time");
    }

    private TestImage connect(TestStream stream) {
        until(() -> stream.connected && b.images.size() == 1);
        return b.images.getFirst();
    }

    private void exchange(TestStream stream, TestImage image, long count) {
        until(
                () -> {
                    while (stream.offered < count && stream.offer()) {
                        a.turn();
                    }
                    image.poll(10);
                    return image.next == count;
                });
    }

    private static void assertRefused(Executable what, String text) {
        BusException refused = assertThrows(BusException.class, what);
        assertTrue(refused.getMessage().contains(text), refused.getMessage());
        assertTrue(refused.getMessage().contains(": "), refused.getMessage());
    }

    @Test
    void rejectsDifferentBufferSizesForSharedSocket() {
        a.publish(channel("|so-sndbuf=64k|so-rcvbuf=32k"), STREAM);
        assertRefused(
                () -> a.publish(channel("|so-sndbuf=32k"), STREAM + 1),
                "a different so-sndbuf than the 65536 bytes");
        assertRefused(
                () -> a.publish(channel("|so-rcvbuf=64k"), STREAM + 1),
                "a different so-rcvbuf than the 32768 bytes");
        a.publish(channel("|so-sndbuf=64k"), STREAM + 1);
        a.publish(channel(""), STREAM + 2);
    }

    @Test
    void acceptsBufferEqualToOptionOnSharedSocket() {
        a.close();
        a = new TestDriver(1, folder, "udp.send-buffer", "128k");
        a.publish(channel(""), STREAM);
        a.publish(channel("|so-sndbuf=128k"), STREAM + 1);
        assertRefused(
                () -> a.publish(channel("|so-sndbuf=64k"), STREAM + 2), "than the 131072 bytes");
    }

    @Test
    void rejectsMtuLargerThanSendBuffer() {
        assertRefused(
                () -> a.publish(channel("|mtu=1056|so-sndbuf=1k"), STREAM),
                "an mtu of 1056, more than the 1024 bytes of the send buffer");
        a.publish(channel("|mtu=1024|so-sndbuf=1k"), STREAM);
    }

    @Test
    void rejectsWindowLargerThanReceiveBuffer() {
        assertRefused(
                () -> b.subscribe(channel("|window=33k|so-rcvbuf=32k"), STREAM),
                "a window of 33792, more than the 32768 bytes of the receive buffer");
        b.subscribe(channel("|window=32k|so-rcvbuf=32k"), STREAM);
        ChannelUri wide =
                ChannelUri.parse("aeron:udp?endpoint=127.0.0.1:" + otherPort + "|rcv-wnd=4m");
        assertRefused(() -> b.subscribe(wide, STREAM), "more than the 2097152 bytes");
    }

    @Test
    void refusesStreamWithMtuLargerThanWindow() {
        b.subscribe(channel("|window=1376"), STREAM);
        TestStream stream = a.publish(channel("|mtu=1408"), STREAM);
        until(() -> !b.errors.isEmpty());
        assertTrue(b.errors.getFirst().contains("mtuLength=1408 > initialWindowLength=1376"));
        assertFalse(stream.connected);
        assertEquals(0, b.setups);
    }

    @Test
    void limitsPublisherToChannelsPublicationWindow() {
        b.subscribe(channel("|window=16k"), STREAM);
        TestStream stream = a.publish(channel("|pub-wnd=8k"), STREAM);
        TestImage image = connect(stream);
        for (int i = 0; i < 1000; i++) {
            stream.offer();
            a.turn();
            b.turn();
        }
        long ahead = stream.position() - stream.senderPosition();
        assertTrue(ahead >= 7 * 1024 && ahead <= 9 * 1024, ahead + " bytes ahead");
        exchange(stream, image, 1000);
    }

    @Test
    void sendsPublicationFromControlAddress() {
        b.subscribe(channel(""), STREAM);
        TestStream stream = a.publish(channel("|control=127.0.0.1:" + otherPort), STREAM);
        TestImage image = connect(stream);
        assertEquals("127.0.0.1:" + otherPort, a.transport.outbound().localAddress(stream));
        assertEquals("127.0.0.1:" + otherPort, image.setup.source());
        exchange(stream, image, 100);
    }

    @Test
    void sendsPublicationFromInterfacePort() {
        TestStream stream = a.publish(channel("|interface=127.0.0.1:" + otherPort), STREAM);
        assertEquals("127.0.0.1:" + otherPort, a.transport.outbound().localAddress(stream));
    }

    @Test
    void subscribesWithControlAddressOnly() {
        String control = "aeron:udp?control=127.0.0.1:" + port;
        assertEquals(
                b.subscribe(ChannelUri.parse(control), STREAM),
                b.subscribe(ChannelUri.parse(control + "|group=true"), STREAM));
        TestStream stream =
                a.publish(
                        ChannelUri.parse(control + "|control-mode=dynamic|fc=min|term-length=64k"),
                        STREAM);
        TestImage image = connect(stream);
        exchange(stream, image, 100);
        assertEquals(1, a.value("fc-receivers"));
        stream.end();
        a.transport.outbound().closePublication(stream);
        until(() -> a.streams.isEmpty());
        assertEquals(-1, a.value("fc-receivers"), "freed with the publication");
    }

    @Test
    void ignoresInterfaceOfUnicastSubscription() {
        String endpoint = "endpoint=127.0.0.1:" + port;
        b.subscribe(ChannelUri.parse("aeron:udp?interface=127.0.0.1|" + endpoint), STREAM);
        b.subscribe(ChannelUri.parse("verbus:udp?interface=203.0.113.7|" + endpoint), STREAM);
        TestStream stream = a.publish(channel(""), STREAM);
        connect(stream);
        assertTrue(stream.offer());
    }

    /** Everything has arrived, so no NAK can follow. */
    @Test
    void endsLingerOnceReceiverHasEverything() {
        b.subscribe(channel(""), STREAM);
        TestStream stream = a.publish(channel("|linger=30s"), STREAM);
        connect(stream);
        assertTrue(stream.offer());
        stream.end();
        a.transport.outbound().closePublication(stream);
        long began = a.nowNs;
        until(() -> a.streams.isEmpty());
        long ms = (a.nowNs - began) / TestDriver.MS;
        assertTrue(ms < 1_000, ms + " ms");
    }

    @Test
    void sendsNakAfterChannelsDelay() throws IOException {
        assertTrue(nakDelayMs("|nak-delay=40ms") >= 40);
        assertTrue(nakDelayMs("|nak-delay=0s") <= 2);
        assertTrue(nakDelayMs("") <= 2);
    }

    @Test
    void sendsNakAfterRandomDelayInGroup() throws IOException {
        long most = 0;
        for (int i = 0; i < 8; i++) { // all within 2 ms by chance once in 300,000 runs
            most = Math.max(most, nakDelayMs("|nak-delay=40ms|group=true"));
        }
        assertTrue(most >= 4 && most <= 13, most + " ms");
    }

    /** Returns the time from a detectable loss to the NAK. */
    private long nakDelayMs(String options) throws IOException {
        try (TestDriver from = new TestDriver(3, folder, "udp.gso", "false");
                TestDriver to = new TestDriver(4, folder);
                RawSocket front = new RawSocket();
                RawSocket back = new RawSocket()) {
            to.subscribe(channel("|window=32k" + options), STREAM);
            TestStream stream =
                    from.publish(
                            ChannelUri.parse(
                                    "verbus:udp?term-length=64k|endpoint=127.0.0.1:"
                                            + front.port()),
                            STREAM);
            boolean isLost = false;
            long lostNs = 0;
            for (int i = 0; i < 20_000; i++) {
                from.turn(1);
                to.turn(1);
                if (stream.connected && stream.offered < 20) {
                    stream.offer();
                }
                int length;
                while ((length = front.receive()) >= 0) {
                    boolean isData = length > 32 && isData(front.buffer);
                    if (isData && stream.offered == 10 && !isLost) {
                        isLost = true;
                        lostNs = to.nowNs;
                    } else {
                        back.buffer.putBytes(0, front.buffer, 0, length);
                        back.send(RawSocket.at(port), length);
                    }
                }
                while ((length = back.receive()) >= 0) {
                    front.buffer.putBytes(0, back.buffer, 0, length);
                    front.send(front.source, length);
                }
                if (to.counter("NAKs sent") > 0) {
                    return (to.nowNs - lostNs) / TestDriver.MS - 1;
                }
            }
            throw new AssertionError("no NAK");
        }
    }

    private static boolean isData(UnsafeBuffer frame) {
        return Frames.type(frame) == 1;
    }

    @Test
    void recordsChannelSettingsInLogMetadata() {
        b.subscribe(channel("|window=16k|so-rcvbuf=64k|reliable=false"), STREAM);
        TestStream stream =
                a.publish(channel("|pub-wnd=8k|so-sndbuf=32k|max-resend=5|linger=3s"), STREAM);
        TestImage image = connect(stream);
        UnsafeBuffer sent = stream.log().metadata();
        assertEquals(8192, sent.getInt(LogNotes.PUBLICATION_WINDOW));
        assertEquals(32 * 1024, sent.getInt(LogNotes.SEND_BUFFER));
        assertTrue(sent.getInt(LogNotes.SEND_BUFFER + 4) >= 4096);
        assertTrue(sent.getInt(LogNotes.RECEIVE_BUFFER + 8) >= 4096);
        assertEquals(5, sent.getInt(LogNotes.MAX_RESEND));
        assertEquals(3_000_000_000L, sent.getLong(LogNotes.LINGER));
        assertEquals(0, sent.getByte(LogNotes.GROUP));
        UnsafeBuffer received = image.log().metadata();
        assertEquals(16 * 1024, received.getInt(LogNotes.RECEIVER_WINDOW));
        assertEquals(64 * 1024, received.getInt(LogNotes.RECEIVE_BUFFER));
        assertEquals(0, received.getByte(LogNotes.RELIABLE));
    }

    @Test
    void appliesDriverOptionsToChannelsWithoutGroupKeys() {
        a.close();
        b.close();
        a =
                new TestDriver(
                        1,
                        folder,
                        "udp.flow-control",
                        "tagged",
                        "udp.flow-control-tag",
                        "9",
                        "udp.flow-control-group-size",
                        "1");
        b = new TestDriver(2, folder, "udp.group-tag", "8");
        ChannelUri dynamic =
                ChannelUri.parse(
                        "verbus:udp?control-mode=dynamic|term-length=64k|control=127.0.0.1:"
                                + port);
        String receiver = "verbus:udp?endpoint=127.0.0.1:0|control=127.0.0.1:" + port;
        TestStream stream = a.publish(dynamic, STREAM);
        b.subscribe(ChannelUri.parse(receiver), STREAM);
        until(() -> b.images.size() == 1);
        a.turn(500);
        b.turn(500);
        assertFalse(stream.connected, "the receiver has another tag");
        b.subscribe(ChannelUri.parse(receiver + "|gtag=9"), STREAM);
        until(() -> stream.connected);
        assertEquals(1, a.value("fc-receivers"));
    }

    @Test
    void bindsPortsFromConfiguredRange() throws IOException {
        int first;
        try (RawSocket free = new RawSocket()) {
            first = free.port();
        }
        try (TestDriver driver =
                new TestDriver(
                        3,
                        folder,
                        "udp.receiver-port-range",
                        first + "  " + first,
                        "udp.sender-port-range",
                        first + " " + (first + 1))) {
            InboundEndpoint endpoint =
                    driver.transport
                            .inbound()
                            .openEndpoint(ChannelUri.parse("aeron:udp?endpoint=127.0.0.1:0"));
            assertEquals("127.0.0.1:" + first, endpoint.description());
            String none =
                    assertThrows(
                                    TransportException.class,
                                    () ->
                                            driver.transport
                                                    .inbound()
                                                    .openEndpoint(
                                                            ChannelUri.parse(
                                                                    "aeron:udp?control=127.0.0.1:7")))
                            .getMessage();
            assertTrue(none.contains("no available ports in range " + first + " " + first), none);
            TestStream stream =
                    driver.publish(
                            ChannelUri.parse(
                                    "verbus:udp?control-mode=dynamic|control=127.0.0.1:0"
                                            + "|term-length=64k"),
                            STREAM);
            assertEquals(
                    "127.0.0.1:" + (first + 1), driver.transport.outbound().localAddress(stream));
        }
        for (String wrong : List.of("5", "7 5", "0 5", "1 65536", "a b")) {
            TransportException refused =
                    assertThrows(
                            TransportException.class,
                            () -> new TestDriver(4, folder, "udp.receiver-port-range", wrong));
            assertTrue(refused.getMessage().contains("two ports"), refused.getMessage());
        }
    }
}
