// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.Announcement;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.sim.FanOutNet.Place;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Receivers that announce themselves to a publication. */
class DynamicReceiversTest {
    private static final long TERM = FanOutNet.TERM_LENGTH;
    private static final InetSocketAddress CONTROL = new InetSocketAddress("10.0.0.1", 7401);

    @TempDir Path directory;
    private FanOutNet net;

    private void net(String... options) {
        net =
                new FanOutNet(
                        System.nanoTime(),
                        directory,
                        Stream.concat(
                                        Stream.of(
                                                "rdma.backoff-min",
                                                "1ms",
                                                "rdma.backoff-max",
                                                "4ms",
                                                "rdma.probe-timeout",
                                                "20ms",
                                                "rdma.probe-interval",
                                                "5ms",
                                                "rdma.status-interval",
                                                "2ms",
                                                "rdma.linger",
                                                "2ms",
                                                "rdma.resume-timeout",
                                                "50ms"),
                                        Stream.of(options))
                                .toArray(String[]::new));
        net.isDynamic = true;
    }

    @AfterEach
    void close() {
        net.close();
    }

    private Place come() {
        Place place = net.place(false);
        place.subscribe();
        return place;
    }

    private void untilAllRead(TestStream stream) {
        long at = stream.position();
        net.until("three terms", () -> stream.position() > at + 3 * TERM);
        net.publishing = false;
        net.until("all read", () -> net.places.stream().allMatch(place -> place.isAtEnd(stream)));
        net.publishing = true;
    }

    @RepeatedTest(3)
    void deliversToEachReceiverThatJoins() {
        net();
        come();
        net.forMillis(10);
        TestStream stream = net.publish("min");
        assertFalse(stream.connected);
        net.until("the first", () -> net.places.getFirst().isConnected());
        untilAllRead(stream);
        come();
        come();
        net.until("all three", () -> net.places.stream().allMatch(Place::isConnected));
        untilAllRead(stream);
        assertEquals(stream.offered, net.places.getFirst().image().received);
        long announced = net.a.counter("receiver announcements");
        net.forMillis(500);
        assertEquals(
                announced,
                net.a.counter("receiver announcements"),
                "one that is connected is quiet");
        assertEquals(3, net.network.connections());
    }

    @RepeatedTest(3)
    void removesReceiverThatLeavesAndLetsItRejoin() {
        net();
        TestStream stream = net.publish("min");
        Place stays = come();
        Place leaves = come();
        net.until("both", () -> stays.isConnected() && leaves.isConnected());
        net.until("some", () -> leaves.image() != null && leaves.image().received > 10);
        leaves.leave();
        long at = stream.position();
        net.until("continues", () -> stream.position() > at + 5 * TERM);
        net.until("forgotten", () -> net.a.value("connected to 10.0.0.3:7400") == -1);
        assertEquals(List.of(), net.a.failures, "who came by itself may go");
        assertEquals(List.of(), net.a.errors);
        leaves.subscribe();
        net.until("back", () -> leaves.isConnected() && leaves.image() != null);
        untilAllRead(stream);
        assertEquals(stream.offered, stays.next());
    }

    @RepeatedTest(3)
    void reconnectsReceiverAfterDriverRestart() {
        net();
        TestStream stream = net.publish("min");
        Place place = come();
        net.until("connected", () -> place.isConnected() && place.image() != null);
        place.crash();
        net.forMillis(net.random.nextInt(200));
        place.subscribe();
        net.until("back", () -> place.isConnected() && place.image() != null);
        untilAllRead(stream);
    }

    @RepeatedTest(3)
    void joinsNextPublicationAtSameAddress() {
        net();
        TestStream first = net.publish("min");
        Place place = come();
        net.until("connected", () -> place.isConnected() && place.image() != null);
        net.publishing = false;
        net.until("read", () -> place.isAtEnd(first));
        first.end();
        net.a.transport.outbound().closePublication(first);
        net.until("released", () -> net.a.releasedStreams.contains(first));
        net.forMillis(net.random.nextInt(100));
        assertTrue(place.driver.errors.isEmpty(), place.driver.errors.toString());
        TestStream second = net.publish("min");
        net.publishing = true;
        net.until("again", () -> place.isConnected() && place.image() != null);
        untilAllRead(second);
    }

    @Test
    void sharesReceiversBetweenPublicationsAtSameAddress() {
        net();
        TestStream first = net.publish("min");
        Place place = come();
        net.until("connected", place::isConnected);
        TestStream second = net.publish("min");
        net.until("both", () -> place.driver.images.size() == 2 && second.connected);
        long at = second.position();
        net.until("both go on", () -> second.position() > at + TERM && first.connected);
        assertEquals(1, net.network.connections(), "one connection carries both");
    }

    /** The system chooses the port of a receiver that does not specify one. */
    @Test
    void connectsWithControlAddressAlone() {
        net();
        TestStream stream = net.publish("min");
        Place place = net.place(false);
        place.driver.subscribe(
                ChannelUri.parse("aeron:rdma?control=" + FanOutNet.CONTROL), FanOutNet.STREAM);
        net.until("connected", () -> stream.connected && place.image() != null);
        untilAllRead(stream);
    }

    @RepeatedTest(3)
    void reconnectsAfterOutage() {
        net();
        TestStream stream = net.publish("min");
        Place place = come();
        net.until("connected", () -> place.isConnected() && place.image() != null);
        TestImage image = place.image();
        net.network.cutWire();
        net.forMillis(10 + net.random.nextInt(15));
        net.network.restoreWire();
        net.until("resumed", () -> net.a.counter(": resumes") > 0);
        assertEquals(image, place.image());
        untilAllRead(stream);
        net.network.cutWire();
        net.until("given up", () -> place.image() == null && !stream.connected);
        net.network.restoreWire();
        net.until("back", () -> place.isConnected() && place.image() != null);
        untilAllRead(stream);
    }

    @Test
    void reportsMissingPublicationOnce() {
        net();
        Place place = come();
        net.forMillis(300);
        assertEquals(1, place.driver.errors.size(), place.driver.errors.toString());
        assertTrue(
                place.driver
                        .errors
                        .getFirst()
                        .contains("cannot announce the endpoint 10.0.0.2:7400 at control="),
                place.driver.errors.toString());
    }

    @Test
    void rejectsEndpointOfSubscriptionAsControlAddress() {
        net();
        net.a.subscribe(ChannelUri.rdma(FanOutNet.CONTROL).build(), 7);
        Place place = come();
        net.until("told", () -> !place.driver.errors.isEmpty());
        assertTrue(
                place.driver.errors.getFirst().contains("the address is a subscription's endpoint"),
                place.driver.errors.toString());
    }

    @Test
    void rejectsReceiversBeyondLimit() {
        net("rdma.max-connections", "2");
        net.publish("min");
        come();
        come();
        net.until("both", () -> net.places.stream().allMatch(Place::isConnected));
        Place third = come();
        net.until("told", () -> !third.driver.errors.isEmpty());
        assertTrue(
                third.driver.errors.getFirst().contains("raise that driver's rdma.max-connections"),
                third.driver.errors.toString());
        assertTrue(
                net.a.errors.getFirst().contains("raise rdma.max-connections above 2"),
                net.a.errors.toString());
        net.places.getFirst().leave();
        net.until("has its place", third::isConnected);
    }

    @Test
    void rejectsInvalidAnnouncements() {
        net("rdma.allow", "10.0.0.1,10.0.0.2,10.0.0.9");
        TestStream stream = net.publish("min");
        Place place = come();
        net.until("connected", place::isConnected);
        assertEquals(RejectCode.UNSPECIFIED, helloOf(ask("10.0.0.9", new byte[56])));
        assertEquals(
                RejectCode.UNSPECIFIED,
                helloOf(ask("10.0.0.9", Hello.of(9, RejectCode.UNSPECIFIED))));
        assertEquals(
                RejectCode.UNSPECIFIED,
                answerOf(ask("10.0.0.9", Announcement.ofAll(9, 0).bytes())));
        assertEquals(
                RejectCode.VERSION_MISMATCH,
                answerOf(
                        ask(
                                "10.0.0.9",
                                new Announcement(new Versions(8, 9), 9, 7400, false, 0, 0, 0, 0, 0)
                                        .bytes())));
        assertEquals(
                RejectCode.NO_PUBLICATION,
                answerOf(
                        ask(
                                "10.0.0.9",
                                Announcement.ofSession(9, 7400, FanOutNet.STREAM, 5).bytes())));
        assertEquals(
                RejectCode.NOT_ALLOWED,
                answerOf(ask("10.0.0.8", Announcement.ofAll(9, 7400).bytes())));
        assertEquals(3, net.a.errors.stream().distinct().count(), net.a.errors.toString());
        assertEquals(1, net.a.fabric.connections().size());
        untilAllRead(stream);
    }

    /**
     * A receiver that announces an address without a listener takes up a destination for a while.
     */
    @Test
    void removesAnnouncedReceiverThatDoesNotListen() {
        net();
        TestStream stream = net.publish("min");
        Place place = come();
        net.until("connected", place::isConnected);
        assertEquals(
                RejectCode.ANNOUNCED,
                answerOf(ask("10.0.0.9", Announcement.ofAll(9, 7400).bytes())));
        assertEquals(0, net.a.value("connected to 10.0.0.9:7400"));
        net.until("forgotten", () -> net.a.value("connected to 10.0.0.9:7400") == -1);
        untilAllRead(stream);
    }

    private byte[] ask(String from, byte[] words) {
        return new Stranger(net.network.fabric(from)).ask(CONTROL, words, net::until);
    }

    private static RejectCode helloOf(byte[] refusal) {
        return Hello.read(refusal).rejectCode();
    }

    private static RejectCode answerOf(byte[] refusal) {
        return Announcement.Answer.read(refusal).code();
    }

    @Test
    void rejectsControlAddressInUse() {
        net();
        net.a.subscribe(ChannelUri.rdma(FanOutNet.CONTROL).build(), 7);
        BusException refused = assertThrows(BusException.class, () -> net.publish("min"));
        assertTrue(refused.getMessage().contains("is in use"), refused.getMessage());
        net.place(false);
        net.forMillis(5);
    }
}
