// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.Announcement;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * Driver A sends requests, and driver B responds: A announces itself at B's control address for the
 * session that B has reported.
 */
class ResponsesTest {
    private static final int REQUESTS = 42;
    private static final int RESPONSES = 43;
    private static final String CONTROL = "10.0.0.2:7401";

    @TempDir Path directory;
    private TwoDrivers net;

    private TestStream requests;
    private InboundEndpoint answered;

    @AfterEach
    void close() {
        net.close();
    }

    private void net() {
        net =
                new TwoDrivers(
                        System.nanoTime(),
                        directory,
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
                        "rdma.resume-timeout",
                        "200ms");
    }

    private void request() {
        net.b.subscribe(TwoDrivers.CHANNEL, REQUESTS);
        answered = net.a.subscribe(ChannelUri.rdmaResponses(CONTROL).build(), RESPONSES);
        requests =
                net.a.publish(
                        ChannelUri.parse(
                                "verbus:rdma?endpoint=10.0.0.2:7400|response-correlation-id=99"
                                        + "|term-length=64k|mtu=1408"),
                        REQUESTS);
        net.until("requests arrive", () -> net.b.images.size() == 1 && requests.connected);
    }

    private TestStream respond(int sessionId) {
        TestStream stream =
                net.b.publish(
                        ChannelUri.parse(
                                "verbus:rdma?control="
                                        + CONTROL
                                        + "|control-mode=response|response-correlation-id=98"
                                        + "|term-length=64k|mtu=1408"),
                        RESPONSES,
                        sessionId);
        net.b.transport.inbound().tellResponseSession(net.b.image(), sessionId);
        return stream;
    }

    private void await(int sessionId) {
        net.until("told", () -> net.a.responseSessions.contains(sessionId));
        net.a.transport.inbound().awaitResponses(answered, RESPONSES, sessionId);
    }

    private void untilAnswered(TestStream responses) {
        net.until("connected", () -> responses.connected && !net.a.images.isEmpty());
        TestImage image = net.a.image();
        assertEquals(responses.log().spec().sessionId(), image.setup.sessionId());
        long before = responses.offered;
        net.until(
                "answered",
                () -> {
                    if (responses.offered < before + 100) {
                        responses.clean();
                        responses.offer();
                    }
                    image.poll(10);
                    return image.next == before + 100;
                });
    }

    @RepeatedTest(3)
    void deliversResponsesToRequester() {
        net();
        request();
        assertTrue(net.b.image().setup.wantsResponses());
        TestStream responses = respond(-7);
        await(-7);
        untilAnswered(responses);
        net.b.transport.inbound().tellResponseSession(net.b.image(), null);
        long announced = net.b.counter("receiver announcements");
        net.forMillis(300);
        assertEquals(announced, net.b.counter("receiver announcements"));
        untilAnswered(responses);
    }

    @Test
    void rejectsAnnouncementsOfOtherHosts() {
        net();
        request();
        TestStream responses = respond(8);
        assertEquals(RejectCode.NOT_ALLOWED, ask(Announcement.ofSession(666, 7400, RESPONSES, 8)));
        assertEquals(
                RejectCode.NO_PUBLICATION, ask(Announcement.ofSession(666, 7400, RESPONSES, 9)));
        assertEquals(
                RejectCode.NO_PUBLICATION,
                ask(Announcement.ofSession(666, 7400, RESPONSES + 1, 8)));
        assertEquals(RejectCode.ANNOUNCED, ask(Announcement.ofAll(666, 7400)));
        await(8);
        untilAnswered(responses);
        assertEquals(-1, net.b.value("connected to 10.0.0.9:7400"));
    }

    @RepeatedTest(3)
    void repeatsResponseSessionAfterReconnect() {
        net();
        request();
        net.publishing = false;
        net.network.cutWire();
        respond(8);
        net.forMillis(40);
        net.network.restoreWire();
        await(8);
        TestStream responses = net.b.streams.getFirst();
        untilAnswered(responses);
        net.network.cutWire();
        net.until("given up", () -> !responses.connected);
        net.network.restoreWire();
        net.until("comes back", () -> responses.connected);
    }

    @Test
    void sharesListenerBetweenRequestersOfOneDriver() {
        net();
        request();
        InboundEndpoint other =
                net.a.subscribe(ChannelUri.rdmaResponses(CONTROL).build(), RESPONSES);
        assertEquals(answered, other);
        TestStream one = respond(8);
        TestStream two = respond(9);
        await(8);
        await(9);
        net.until("both", () -> one.connected && two.connected && net.a.images.size() == 2);
        net.a.transport.inbound().forgetResponses(other, RESPONSES, 9);
        net.a.transport.inbound().closeEndpoint(other);
        net.forMillis(50);
        assertTrue(one.connected);
    }

    private RejectCode ask(Announcement announcement) {
        return new Stranger(net.network.fabric("10.0.0.9"))
                .ask(new InetSocketAddress("10.0.0.2", 7401), announcement, net::until)
                .code();
    }
}
