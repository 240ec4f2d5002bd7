// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Publications to several destinations over loopback, with a Verbus receiver and an Aeron receiver,
 * in both directions.
 */
@Timeout(120)
class UdpDestinationsTest {
    private static final int STREAM = 10;
    private static final int TERM = 64 * 1024;

    @TempDir Path folder;
    private AeronPeer aeron;
    private MediaDriver driver;
    private MediaDriver other;
    private Bus publisher;
    private Bus subscriber;
    private int control;
    private int port;
    private int aeronPort;

    @BeforeEach
    void launch() throws IOException {
        aeron = new AeronPeer(folder.resolve("aeron"));
        driver = MediaDriver.launch(config());
        other = MediaDriver.launch(config());
        publisher = Drivers.connect(driver);
        subscriber = Drivers.connect(other);
        control = UdpInteropTest.freePort();
        port = UdpInteropTest.freePort();
        aeronPort = UdpInteropTest.freePort();
    }

    private static DriverConfig config() {
        return Drivers.config()
                .directory(DriverDirectory.uniquePath())
                .transportOption("udp.connection-timeout", "2s")
                .build();
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        errors.addAll(Drivers.errors(other));
        publisher.close();
        subscriber.close();
        driver.close();
        other.close();
        aeron.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), aeron.errors());
    }

    private static String at(int port) {
        return "endpoint=127.0.0.1:" + port;
    }

    private String controlled(int port, String tag) {
        return at(port) + "|control=127.0.0.1:" + control + tag;
    }

    @ParameterizedTest
    @ValueSource(strings = {"min", "tagged,g:7", "max"})
    void deliversToVerbusAndAeronDestinations(String flowControl) {
        try (ExclusivePublication publication =
                publisher.addExclusivePublication(
                        "verbus:udp?control-mode=manual|term-length=64k|fc=" + flowControl,
                        STREAM)) {
            publication.addDestination("verbus:udp?" + at(port));
            publication.addDestination("verbus:udp?" + at(aeronPort));
            exchange()
                    .run(
                            publication,
                            "verbus:udp?" + at(port) + "|gtag=7",
                            "aeron:udp?" + at(aeronPort) + "|gtag=7");
            assertTrue(publication.position() > 50 * TERM, "terms wrapped");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"min", "tagged,g:7"})
    void aeronDeliversToVerbusAndAeronDestinations(String flowControl) {
        try (io.aeron.ExclusivePublication publication =
                aeron.client()
                        .addExclusivePublication(
                                "aeron:udp?control-mode=manual|term-length=64k|fc=" + flowControl,
                                STREAM)) {
            publication.addDestination("aeron:udp?" + at(port));
            publication.addDestination("aeron:udp?" + at(aeronPort));
            exchange()
                    .run(
                            publication,
                            "verbus:udp?" + at(port) + "|gtag=7",
                            "aeron:udp?" + at(aeronPort) + "|gtag=7");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"min", "tagged,g:7", "max"})
    void acceptsDynamicVerbusAndAeronReceivers(String flowControl) {
        try (ExclusivePublication publication = addDynamic(flowControl)) {
            exchange()
                    .run(
                            publication,
                            "verbus:udp?" + controlled(port, "|gtag=7"),
                            "aeron:udp?" + controlled(aeronPort, "|control-mode=dynamic|gtag=7"));
            assertTrue(publication.position() > 50 * TERM, "terms wrapped");
        }
    }

    @Test
    @Tag("slow")
    void removesDynamicReceiversThatLeave() {
        try (ExclusivePublication publication = addDynamic("max")) {
            try (Subscription ours =
                            subscriber.addSubscription(
                                    "verbus:udp?" + controlled(port, ""), STREAM);
                    io.aeron.Subscription theirs =
                            aeron.client()
                                    .addSubscription(
                                            "aeron:udp?"
                                                    + controlled(
                                                            aeronPort, "|control-mode=dynamic"),
                                            STREAM)) {
                Await.until("both", () -> ours.isConnected() && theirs.isConnected());
                Await.until("both known", () -> value(CounterTypes.DESTINATIONS) == 2);
                Await.until("connected", publication::isConnected);
            }
            Await.until("no receiver", () -> value(CounterTypes.DESTINATIONS) == 0);
            Await.until("not connected", () -> !publication.isConnected());
        }
    }

    /** The attacker has requested the stream's setup; the victim has not. */
    @Test
    void forgedStatusMessageDirectsNoStreamToVictim() throws IOException {
        try (ExclusivePublication publication = addDynamic("max");
                DatagramChannel attacker = DatagramChannel.open();
                DatagramChannel victim = DatagramChannel.open()) {
            InetAddress host = InetAddress.getLoopbackAddress();
            attacker.bind(new InetSocketAddress(host, 0)).configureBlocking(false);
            victim.bind(new InetSocketAddress(host, 0)).configureBlocking(false);
            InetSocketAddress at = new InetSocketAddress(host, control);
            ByteBuffer setup = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
            Await.done(
                    "a set-up",
                    () -> {
                        send(attacker, status(0x80, 0, 0, 0, 0), at);
                        return receive(attacker, setup.clear()) == 40;
                    });
            int sent = 20;
            for (int i = 0; i < sent; i++) {
                int session = setup.getInt(12);
                int term = setup.getInt(24);
                send(victim, status(0, session, STREAM, term, setup.getInt(8)), at);
            }
            exchange()
                    .run(
                            publication,
                            "verbus:udp?" + controlled(port, ""),
                            "aeron:udp?" + controlled(aeronPort, "|control-mode=dynamic"));
            assertTrue(publication.position() > 50 * TERM, "terms wrapped");
            assertTrue(value(CounterTypes.DESTINATIONS) <= 2, "the victim is a destination");
            int brought = 0;
            int length;
            while ((length = receive(victim, setup.clear())) > 0) {
                brought += length;
            }
            assertTrue(brought <= 40 * sent, brought + " bytes for " + sent + " status messages");
        }
    }

    private static ByteBuffer status(int flags, int session, int stream, int term, int offset) {
        return ByteBuffer.allocate(36)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(36)
                .put((byte) 0)
                .put((byte) flags)
                .putShort((short) 3)
                .putInt(session)
                .putInt(stream)
                .putInt(term)
                .putInt(offset)
                .putInt(TERM / 2)
                .putLong(9)
                .flip();
    }

    private static void send(DatagramChannel from, ByteBuffer datagram, SocketAddress to) {
        try {
            from.send(datagram, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Length of the received datagram; 0 if there is none. */
    private static int receive(DatagramChannel at, ByteBuffer datagram) {
        try {
            return at.receive(datagram) == null ? 0 : datagram.position();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ExclusivePublication addDynamic(String flowControl) {
        return publisher.addExclusivePublication(
                "verbus:udp?control=127.0.0.1:"
                        + control
                        + "|control-mode=dynamic|term-length=64k|fc="
                        + flowControl,
                STREAM);
    }

    @ParameterizedTest
    @ValueSource(strings = {"min", "tagged,g:7"})
    void aeronAcceptsDynamicVerbusAndAeronReceivers(String flowControl) {
        try (io.aeron.ExclusivePublication publication =
                aeron.client()
                        .addExclusivePublication(
                                "aeron:udp?control=127.0.0.1:"
                                        + control
                                        + "|control-mode=dynamic|term-length=64k|fc="
                                        + flowControl,
                                STREAM)) {
            exchange()
                    .run(
                            publication,
                            "verbus:udp?" + controlled(port, "|gtag=7"),
                            "aeron:udp?" + controlled(aeronPort, "|control-mode=dynamic|gtag=7"));
        }
    }

    private UdpExchange exchange() {
        return new UdpExchange(subscriber, aeron, STREAM);
    }

    private long value(int typeId) {
        long[] sum = new long[1];
        CountersReader counters = publisher.counters();
        counters.forEach(
                (id, type, key, label) ->
                        sum[0] += type == typeId ? counters.getCounterValue(id) : 0);
        return sum[0];
    }

    /** Offers until back pressure lasts for a while; polls the subscription in the meantime. */
    private static long fill(Publication publication, Subscription polled) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
        long lastNs = System.nanoTime();
        while (System.nanoTime() - lastNs < 400_000_000 && publication.position() < 20 * TERM) {
            if (publication.offer(message) > 0) {
                lastNs = System.nanoTime();
            }
            polled.poll((buffer, at, size, h) -> {}, 10);
        }
        return publication.position();
    }

    @Test
    void minWaitsForSlowestDestinationUntilRemoved() {
        try (Subscription slow = subscriber.addSubscription("verbus:udp?" + at(port), STREAM);
                Subscription fast =
                        subscriber.addSubscription("verbus:udp?" + at(aeronPort), STREAM);
                Publication publication =
                        publisher.addPublication(
                                "verbus:udp?control-mode=manual|term-length=64k|fc=min", STREAM)) {
            assertEquals(
                    Publication.NOT_CONNECTED, publication.offer(new UnsafeBuffer(new byte[9])));
            publication.addDestination("verbus:udp?" + at(port));
            publication.addDestination("verbus:udp?" + at(aeronPort));
            Await.until("both", () -> value(CounterTypes.DESTINATION_CONNECTED) == 2);
            assertTrue(fill(publication, fast) <= TERM, "position " + publication.position());
            publication.removeDestination("verbus:udp?" + at(port));
            assertTrue(fill(publication, fast) >= 20 * TERM, "position " + publication.position());
            assertEquals(1, slow.imageCount());
        }
    }

    @Test
    void doesNotWaitForReceiverWithoutTag() {
        try (Subscription slow = subscriber.addSubscription("verbus:udp?" + at(port), STREAM);
                Subscription fast =
                        subscriber.addSubscription(
                                "verbus:udp?" + at(aeronPort) + "|gtag=7", STREAM);
                Publication publication =
                        publisher.addPublication(
                                "verbus:udp?control-mode=manual|term-length=64k|fc=tagged,g:7",
                                STREAM)) {
            publication.addDestination("verbus:udp?" + at(port));
            Await.until("an image", slow::isConnected);
            assertEquals(
                    Publication.NOT_CONNECTED, publication.offer(new UnsafeBuffer(new byte[9])));
            publication.addDestination("verbus:udp?" + at(aeronPort));
            Await.until("connected", publication::isConnected);
            assertTrue(fill(publication, fast) >= 20 * TERM, "position " + publication.position());
        }
    }

    @Test
    void rejectsInvalidDestinationsAndNamesRemedy() {
        try (Publication publication =
                publisher.addPublication("verbus:udp?control-mode=manual", STREAM)) {
            String first = "verbus:udp?" + at(port);
            publication.addDestination(first);
            assertTrue(
                    Drivers.refusal(() -> publication.addDestination(first))
                            .contains(
                                    "already has destination 127.0.0.1:" + port + ": remove that"));
            publication.removeDestination("verbus:udp?endpoint=h:9"); // there is none: no error
            assertTrue(
                    Drivers.refusal(() -> publication.addDestination("verbus:rdma?endpoint=h:9"))
                            .contains("uses rdma, but the publication uses udp"));
            assertTrue(
                    Drivers.refusal(
                                    () ->
                                            publication.addDestination(
                                                    "verbus:udp?endpoint=239.1.1.1:9"))
                            .contains("is a multicast group"));
            assertTrue(
                    Drivers.refusal(() -> publication.addDestination("verbus:udp?endpoint=[::1]:9"))
                            .contains("mixes IPv4 and IPv6"));
            publication.removeDestination(first);
            publication.addDestination(first);
        }
    }

    @Test
    void receiverJoinsStreamConnectedBySpy() {
        String channel = "verbus:udp?" + at(port);
        UdpMessages spied = new UdpMessages(System.nanoTime(), 1000);
        UdpMessages received = new UdpMessages(System.nanoTime(), 1000);
        try (Subscription spy = publisher.addSubscription("verbus-spy:udp?" + at(port), STREAM);
                Publication publication =
                        publisher.addExclusivePublication(
                                channel + "|term-length=64k|ssc=true", STREAM)) {
            Await.until("carried", publication::isConnected);
            carry(publication, spy, spied, 1000);
            assertTrue(publication.position() > 6 * TERM, "terms wrapped");
            try (Subscription receiver = subscriber.addSubscription(channel, STREAM)) {
                Await.until("joined", receiver::isConnected);
                Await.done(
                        "received",
                        () -> {
                            if (publication.offer(spied.buffer(), 0, spied.length()) > 0) {
                                spied.onSent();
                            }
                            spy.poll((buffer, at, size, h) -> spied.onMessage(buffer, at, size), 9);
                            receiver.poll(
                                    (buffer, at, size, h) ->
                                            received.onMessageWithGaps(buffer, at, size),
                                    9);
                            return received.received() > spied.sent() - 50
                                    && received.received() > 1500;
                        });
            }
            carry(publication, spy, spied, spied.sent() + 1000);
        }
    }

    private static void carry(
            Publication publication, Subscription spy, UdpMessages messages, long until) {
        Await.done(
                "carried by the spy",
                () -> {
                    if (messages.sent() < until
                            && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                        messages.onSent();
                    }
                    spy.poll((buffer, at, size, h) -> messages.onMessage(buffer, at, size), 10);
                    return messages.received() == until;
                });
    }

    @Test
    void spyReadsStreamSentToSeveralDestinations() {
        try (Subscription receiver = subscriber.addSubscription("verbus:udp?" + at(port), STREAM);
                Subscription spy =
                        publisher.addSubscription("verbus-spy:udp?control-mode=manual", STREAM);
                Publication publication =
                        publisher.addPublication("verbus:udp?control-mode=manual", STREAM)) {
            publication.addDestination("verbus:udp?" + at(port));
            Await.until("connected", () -> publication.isConnected() && receiver.isConnected());
            long[] read = new long[2];
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            Await.until(
                    "both read",
                    () -> {
                        publication.offer(message);
                        receiver.poll((buffer, at, size, h) -> read[0]++, 10);
                        spy.poll((buffer, at, size, h) -> read[1]++, 10);
                        return read[0] > 1000 && read[1] > 1000;
                    });
        }
    }
}
