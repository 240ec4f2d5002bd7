// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;
import io.verbus.transport.TransportException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** Connects two transports over loopback in one thread, with a simulated clock. */
@Timeout(60)
class UdpTransportTest {
    private static final int STREAM = 7;
    private static final int TERM_LENGTH = 64 * 1024;

    /** Longer than any frame of a test stream, including the header. */
    private static final int LONGEST_FRAME = 576;

    @TempDir Path folder;
    private TestDriver a;
    private TestDriver b;
    private int port;

    @BeforeEach
    void open() throws IOException {
        a = new TestDriver(1, folder);
        b = new TestDriver(2, folder);
        try (RawSocket free = new RawSocket()) {
            port = free.port();
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

    /** Runs both drivers until a condition holds, a millisecond of their clocks per turn. */
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

    private TestImage connect(TestStream stream) {
        until(() -> stream.connected && b.images.size() == 1);
        return b.images.getFirst();
    }

    /** Subscribes to the stream, and waits for an image. */
    private TestImage receive(TestStream stream) {
        b.subscribe(channel(""), STREAM);
        return connect(stream);
    }

    @Test
    void transfersStreamOverManyTerms() {
        InboundEndpoint endpoint = b.subscribe(channel(""), STREAM);
        assertEquals("127.0.0.1:" + port, endpoint.description());
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = connect(stream);
        exchange(stream, image, 5000);
        assertTrue(stream.position() > 15L * 64 * 1024);
        assertEquals(0, b.counter("invalid frames from senders"));
        assertEquals(0, a.counter("invalid frames from receivers"));
        assertEquals(0, b.counter("Flow control over runs"));
    }

    /**
     * The socket of the first publication is closed a little later, when the sender has detached
     * it.
     */
    @Test
    void reusesControlAddressOfClosingPublication() {
        String control = "aeron:udp?control=127.0.0.1:" + port;
        ChannelUri channel = ChannelUri.parse(control + "|control-mode=dynamic|term-length=64k");
        TestStream first = a.publish(channel, STREAM);
        first.end();
        a.transport.outbound().closePublication(first);
        until(() -> a.releasedStreams.contains(first));
        TestStream second = a.publish(channel, STREAM);
        b.subscribe(ChannelUri.parse(control), STREAM);
        exchange(second, connect(second), 100);
        assertThrows(
                TransportException.class,
                () -> b.publish(channel, STREAM),
                "another driver must not get the address");
    }

    /** There must be data to send when the window grows while the publisher sleeps. */
    @Test
    void limitsPublisherToHalfTermAheadOfSender() {
        assertLimits(16 * 1024, TERM_LENGTH / 2);
    }

    @Test
    void limitsPublisherToPublicationWindow() {
        a.close();
        a = new TestDriver(1, folder, "udp.publication-window", "8k");
        assertLimits(16 * 1024, 8 * 1024);
    }

    @Test
    void capsPublicationWindowAtHalfTerm() {
        a.close();
        a = new TestDriver(1, folder, "udp.publication-window", "1g");
        assertLimits(16 * 1024, TERM_LENGTH / 2);
    }

    private void assertLimits(int granted, int ahead) {
        b.subscribe(channel("|window=" + granted), STREAM);
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = connect(stream);
        exchange(stream, image, 100);
        for (int i = 0; i < 2_000; i++) {
            stream.offer();
            a.turn();
            b.turn();
        }
        assertBetween(granted - LONGEST_FRAME, granted, stream.senderPosition() - image.position());
        assertBetween(
                ahead - ahead / 8,
                ahead + LONGEST_FRAME,
                stream.position() - stream.senderPosition());
        assertTrue(stream.stalls > 0);
        exchange(stream, image, 5_000);
        assertEquals(0, b.counter("Flow control over runs"));
    }

    private static void assertBetween(long min, long max, long actual) {
        assertTrue(actual >= min && actual <= max, actual + ": not from " + min + " to " + max);
    }

    /** Simulates a receiver that is interrupted between inserting frames and counting them. */
    @Test
    void neverCleansFramesInsertedButNotCounted() {
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = receive(stream);
        exchange(stream, image, 10);
        int begin = LogLayout.termOffset(image.position(), TERM_LENGTH);
        while (stream.position() < image.position() + TERM_LENGTH / 4) {
            assertTrue(stream.offer());
        }
        int length = (int) (stream.position() - image.position());
        image.log().term(0).putBytes(begin, stream.log().term(0), begin, length);
        while (image.poll(10) > 0) {
            // read all
        }
        assertEquals(stream.position(), image.position());
        for (int i = 0; i < 100; i++) {
            b.transport.conduct(b.nowNs);
        }
        assertNotEquals(0, image.log().term(0).getLong(begin));
        exchange(stream, image, 5000);
        assertEquals(0, b.counter("NAKs sent"));
    }

    @Test
    void transfersStreamOverIpv6() {
        ChannelUri channel =
                ChannelUri.parse("verbus:udp?endpoint=[::1]:" + port + "|term-length=64k");
        try {
            b.subscribe(channel, STREAM);
        } catch (TransportException absent) {
            Assumptions.abort("this host has no IPv6: " + absent.getMessage());
        }
        TestStream stream = a.publish(channel, STREAM);
        TestImage image = connect(stream);
        exchange(stream, image, 1000);
        assertTrue(image.setup.source().startsWith("[0:0:0:0:0:0:0:1]:"), image.setup.source());
    }

    @Test
    void sendsFramesBeforeDamageAndReportsIt() {
        b.subscribe(channel(""), STREAM);
        TestStream stream = a.publish(channel(""), STREAM);
        TestStream other = a.publish(channel(""), STREAM + 1);
        b.subscribe(channel(""), STREAM + 1);
        until(() -> stream.connected && other.connected && b.images.size() == 2);
        for (int i = 0; i < 20; i++) {
            assertTrue(stream.offer());
        }
        stream.log().term(0).putInt((int) stream.position(), 31);
        until(() -> !a.errors.isEmpty());
        assertTrue(a.errors.getFirst().contains("is damaged"), a.errors.getFirst());
        assertEquals(stream.position(), stream.senderPosition());
        assertFalse(stream.connected);
        for (TestImage image : b.images) {
            if (image.setup.streamId() == STREAM) {
                until(() -> image.poll(10) == 0 && image.next == 20);
            } else {
                exchange(other, image, 100);
            }
        }
        stream.end();
        a.transport.outbound().closePublication(stream);
        until(() -> a.releasedStreams.contains(stream));
    }

    @Test
    void endsStreamAndReleasesImageBeforeLingerTime() {
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = receive(stream);
        exchange(stream, image, 10);
        stream.end();
        a.transport.outbound().closePublication(stream);
        until(() -> image.endingAt >= 0);
        assertEquals(stream.finalPosition(), image.endingAt);
        assertEquals(
                image.endingAt, image.log().metadata().getLongAcquire(LogLayout.END_OF_STREAM));
        assertFalse(a.releasedStreams.contains(stream));
        b.transport.inbound().closeImage(image);
        long before = a.nowNs;
        until(() -> image.released && a.releasedStreams.contains(stream));
        assertTrue(a.nowNs - before < 1000 * TestDriver.MS);
        b.turn(1000);
        assertEquals(1, b.setups, "an ended stream is not offered again");
    }

    @Test
    void endsStreamWithoutReceiversImmediately() {
        TestStream stream = a.publish(channel(""), STREAM);
        a.turn(500);
        assertFalse(stream.connected);
        stream.end();
        a.transport.outbound().closePublication(stream);
        a.turn(3);
        assertTrue(a.releasedStreams.contains(stream));
    }

    @Test
    void endsImageOfSilentSenderAfterTimeout() {
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = receive(stream);
        exchange(stream, image, 10);
        b.turn(9_900);
        assertNull(image.lost);
        b.turn(200);
        assertNotNull(image.lost);
        b.transport.inbound().closeImage(image);
        b.turn(2);
        assertTrue(image.released);
    }

    @Test
    void disconnectsSilentReceiverAndReconnects() {
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = receive(stream);
        exchange(stream, image, 10);
        a.turn(4_900);
        assertTrue(stream.connected);
        a.turn(200);
        assertFalse(stream.connected);
        until(() -> stream.connected);
        exchange(stream, image, 20);
    }

    @Test
    void joinsStreamAtCurrentPosition() {
        InboundEndpoint endpoint = b.subscribe(channel(""), STREAM);
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = connect(stream);
        exchange(stream, image, 100);
        b.transport.inbound().closeImage(image);
        b.transport.inbound().closeEndpoint(endpoint);
        until(() -> !stream.connected && image.released);
        b.subscribe(channel(""), STREAM);
        TestImage next = connect(stream);
        assertEquals(stream.senderPosition(), next.setup.position());
        next.next = 100;
        exchange(stream, next, 200);
    }

    @Test
    void reusesClosingEndpoint() {
        InboundEndpoint endpoint = b.subscribe(channel(""), STREAM);
        TestStream stream = a.publish(channel(""), STREAM);
        TestImage image = connect(stream);
        for (int i = 0; i < 3; i++) {
            b.transport.inbound().closeEndpoint(endpoint);
            assertEquals(endpoint, b.subscribe(channel(""), STREAM));
        }
        b.transport.inbound().closeImage(image);
        until(() -> image.released);
        TestImage next = connect(stream);
        exchange(stream, next, 100);
    }

    @Test
    void separatesStreamsThatShareSocket() {
        b.subscribe(channel(""), STREAM);
        b.subscribe(channel(""), STREAM + 1);
        TestStream first = a.publish(channel(""), STREAM);
        TestStream second = a.publish(channel(""), STREAM + 1);
        until(() -> first.connected && second.connected && b.images.size() == 2);
        assertEquals(
                b.images.getFirst().setup.source(),
                b.images.getLast().setup.source(),
                "must use one socket");
        for (TestImage image : b.images) {
            exchange(image.setup.streamId() == STREAM ? first : second, image, 500);
        }
    }

    @Test
    void ignoresStreamWithoutSubscription() {
        b.subscribe(channel(""), STREAM);
        TestStream stream = a.publish(channel(""), STREAM + 1);
        for (int i = 0; i < 500; i++) {
            a.turn(1);
            b.turn(1);
        }
        assertFalse(stream.connected);
        assertEquals(0, b.setups);
        b.subscribe(channel(""), STREAM + 1);
        until(() -> stream.connected);
    }

    @Test
    void rejectsConflictingSubscriptionsAtEndpoint() {
        b.subscribe(channel("|window=16k|so-rcvbuf=64k"), STREAM);
        TransportException window =
                assertThrows(
                        TransportException.class,
                        () -> b.transport.inbound().openEndpoint(channel("|window=32k")));
        assertTrue(window.getMessage().contains("window 32768 differs from window 16384"));
        TransportException buffer =
                assertThrows(
                        TransportException.class,
                        () -> b.transport.inbound().openEndpoint(channel("|so-rcvbuf=128k")));
        assertTrue(buffer.getMessage().contains("a different so-rcvbuf than the 65536 bytes"));
        b.transport.inbound().openEndpoint(channel(""));
    }

    @Test
    void rejectsUnusableGroups() {
        for (String group : new String[] {"224.0.1.2:4000", "[ff02::1]:4000"}) {
            TransportException refused =
                    assertThrows(
                            TransportException.class,
                            () ->
                                    b.transport
                                            .inbound()
                                            .openEndpoint(
                                                    ChannelUri.parse(
                                                            "verbus:udp?endpoint=" + group)));
            assertTrue(refused.getMessage().contains("last octet is odd"), refused.getMessage());
        }
        TransportException refused =
                assertThrows(TransportException.class, () -> a.publish(channel("|fc=min"), STREAM));
        assertTrue(refused.getMessage().contains("remove fc"), refused.getMessage());
    }

    @Test
    void rejectsInvalidOption() {
        TransportException refused =
                assertThrows(
                        TransportException.class,
                        () -> new TestDriver(3, folder, "udp.nak-delay", "soon"));
        assertTrue(
                refused.getMessage().startsWith("option udp.nak-delay is 'soon': it must be from"),
                refused.getMessage());
    }
}
