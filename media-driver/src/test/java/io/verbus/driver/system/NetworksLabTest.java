// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.tools.ToolRun;

import org.agrona.collections.MutableInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Aeron's UDP channels use RDMA if they lead to a network of rdma.networks. */
@Tag("lab")
@Timeout(120)
class NetworksLabTest {
    private static final int PORT = 24_348;
    private static final int STREAM = 10;
    private static final int MESSAGES = 1_000;
    private static final String TERMS = "|term-length=64k";

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    private static Host host(String address) {
        return Host.start(
                address,
                builder ->
                        builder.transportOption(
                                "rdma.networks", Host.addressA() + "," + Host.addressB()));
    }

    private Aeron connect(Host host) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(host.directory().toString())
                        .driverTimeoutMs(Host.PATIENCE.toMillis())
                        .errorHandler(errors::add));
    }

    private static String to(String endpoint) {
        return Host.overWire("aeron:udp?endpoint=" + endpoint);
    }

    private static String at(int port) {
        return Host.addressB() + ":" + port;
    }

    private static void carries(Publication publication, Subscription... subscriptions) {
        Await.until("connected", publication::isConnected);
        for (Subscription each : subscriptions) {
            Await.until("an image", () -> each.imageCount() == 1);
        }
        UnsafeBuffer message = new UnsafeBuffer(new byte[300]);
        for (int i = 0; i < MESSAGES; i++) {
            int number = i;
            message.putInt(0, number);
            Await.until("offered", () -> publication.offer(message) > 0);
            for (Subscription each : subscriptions) {
                MutableInteger read = new MutableInteger(-1);
                Await.until(
                        "read",
                        () ->
                                each.poll(
                                                (buffer, at, length, header) ->
                                                        read.value = buffer.getInt(at),
                                                1)
                                        == 1);
                assertEquals(number, read.value);
            }
        }
    }

    private static void left(Subscription subscription) {
        Await.until("left", () -> subscription.imageCount() == 0);
    }

    private static void assertNoUdp(Host... hosts) {
        for (Host host : hosts) {
            assertEquals(List.of(), host.counters("udp: "), "the UDP transport was opened");
            assertFalse(host.counters("rdma: ").isEmpty());
        }
    }

    @Test
    void carriesUnmodifiedProgramOverRdma() {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String channel = "aeron:udp?endpoint=" + at(PORT);
            Subscription subscription = in.addSubscription(channel + "|rcv-wnd=64k", STREAM);
            Publication publication =
                    out.addPublication(to(at(PORT)) + TERMS + "|ttl=3|cc=cubic", STREAM);
            Subscription spy = out.addSubscription("aeron-spy:" + channel, STREAM);
            carries(publication, subscription, spy);
            assertNoUdp(a, b);
            int label = subscription.imageAtIndex(0).subscriberPositionId();
            assertTrue(
                    in.countersReader().getCounterLabel(label).contains(" " + channel),
                    "the client's own words");
        }
        assertEquals(List.of(), errors);
    }

    @Test
    void subscribesAtPortChosenBySystem() {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            Subscription subscription = in.addSubscription("aeron:udp?endpoint=" + at(0), STREAM);
            String endpoint = subscription.resolvedEndpoint();
            assertFalse(endpoint.endsWith(":0"), endpoint);
            carries(out.addPublication(to(endpoint) + TERMS, STREAM), subscription);
            assertNoUdp(a, b);
        }
        assertEquals(List.of(), errors);
    }

    @Test
    void destinationsSelectTransportOfPublication() {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            Publication publication =
                    out.addPublication("aeron:udp?control-mode=manual|fc=min" + TERMS, STREAM);
            Subscription first = in.addSubscription("aeron:udp?endpoint=" + at(PORT), STREAM);
            Subscription second = in.addSubscription("aeron:udp?endpoint=" + at(PORT + 1), STREAM);
            publication.addDestination(to(at(PORT)));
            publication.addDestination(to(at(PORT + 1)));
            Await.until("images", () -> first.imageCount() + second.imageCount() == 2);
            carries(publication, first, second);
            assertNoUdp(b);
            publication.removeDestination(to(at(PORT + 1)));
            Await.until("left", () -> second.imageCount() == 0);
            carries(publication, first);
        }
        assertEquals(List.of(), errors);
    }

    /**
     * Each transport's receiver joins, leaves and rejoins, for which the other waits some seconds.
     */
    @Test
    @Timeout(300)
    void carriesOnePublicationOverRdmaAndUdp() {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String udp = "aeron:udp?endpoint=127.0.0.1:" + PORT;
            String rdma = "aeron:udp?endpoint=" + at(PORT);
            Publication publication =
                    out.addPublication("aeron:udp?control-mode=manual|fc=min" + TERMS, STREAM);
            Subscription byRdma = in.addSubscription(rdma, STREAM);
            Subscription byUdp = in.addSubscription(udp, STREAM);
            publication.addDestination(to(at(PORT)));
            publication.addDestination(udp);
            carries(publication, byRdma, byUdp);
            String streams = ToolRun.of("streams", "--dir", a.directory().toString()).out();
            assertTrue(streams.contains(" rdma,udp  publisher-position "), streams);
            byUdp.close();
            carries(publication, byRdma);
            byUdp = in.addSubscription(udp, STREAM);
            carries(publication, byRdma, byUdp);
            byRdma.close();
            carries(publication, byUdp);
            byRdma = in.addSubscription(rdma, STREAM);
            carries(publication, byRdma, byUdp);
            publication.removeDestination(udp);
            carries(publication, byRdma);
            left(byUdp);
            publication.addDestination(udp);
            carries(publication, byRdma, byUdp);
            publication.removeDestination(to(at(PORT)));
            left(byRdma);
            carries(publication, byUdp);
        }
        assertEquals(List.of(), errors);
    }

    @Test
    void neverFallsBackToUdp() {
        try (Host b = Host.start(Host.addressB(), builder -> {});
                Host a = host(Host.addressA());
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            Subscription subscription =
                    in.addSubscription("aeron:udp?endpoint=" + at(PORT), STREAM); // by UDP
            Publication publication = out.addPublication(to(at(PORT)), STREAM);
            a.awaitError("cannot connect to");
            assertFalse(publication.isConnected());
            assertEquals(0, subscription.imageCount());
        }
        assertEquals(List.of(), errors);
    }

    /** Two sources of one session arrive over RDMA in one image, and one continues alone. */
    @Test
    void mergesTwoSourcesIntoOneImage() {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA()).expectLoss(); // before and after its destination
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            Subscription subscription = in.addSubscription("aeron:udp?control-mode=manual", STREAM);
            String session = TERMS + "|session-id=7|init-term-id=1|term-id=1|term-offset=0";
            Publication replay = out.addExclusivePublication(to(at(PORT)) + session, STREAM);
            Publication live = out.addExclusivePublication(to(at(PORT + 1)) + session, STREAM);
            subscription.addDestination("aeron:udp?endpoint=" + at(PORT));
            subscription.addDestination("aeron:udp?endpoint=" + at(PORT + 1));
            Await.until("connected", () -> replay.isConnected() && live.isConnected());
            Await.until("an image", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            Await.until("both", () -> image.activeTransportCount() == 2);
            for (int i = 0; i < MESSAGES; i++) {
                int number = i;
                UnsafeBuffer message = new UnsafeBuffer(new byte[300]);
                message.putInt(0, number);
                for (Publication each : List.of(live, replay)) {
                    Await.until("offered", () -> each.offer(message) > 0);
                }
                MutableInteger read = new MutableInteger(-1);
                Await.until(
                        "read",
                        () ->
                                image.poll(
                                                (buffer, at, length, header) ->
                                                        read.value = buffer.getInt(at),
                                                1)
                                        == 1);
                assertEquals(number, read.value);
            }
            subscription.removeDestination("aeron:udp?endpoint=" + at(PORT));
            Await.until("one", () -> image.activeTransportCount() == 1);
            b.awaitCounter("streams moved to another log", moves -> moves > 0);
            carries(live, subscription);
            assertNoUdp(a, b);
            live.close();
            Await.until("the end", () -> subscription.imageCount() == 0);
            assertTrue(image.isEndOfStream());
        }
        assertEquals(List.of(), errors);
    }
}
