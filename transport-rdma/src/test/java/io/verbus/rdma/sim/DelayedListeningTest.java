// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestStream;
import io.verbus.transport.TransportException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A device that delays listening for as long as the test wants. */
class DelayedListeningTest {
    private static final int STREAM = 42;
    private static final ChannelUri ANY_PORT =
            ChannelUri.rdma("10.0.0.2:0").termLength(64 * 1024).build();
    private static final ChannelUri CONTROL =
            ChannelUri.parse(
                    "verbus:rdma?control=10.0.0.1:7500|control-mode=dynamic|term-length=64k|mtu=1408");
    private static final ChannelUri ANNOUNCED =
            ChannelUri.parse("verbus:rdma?endpoint=10.0.0.2:7400|control=10.0.0.1:7500");

    @TempDir Path directory;
    private TwoDrivers net;

    @BeforeEach
    void start() {
        net =
                new TwoDrivers(
                        Long.getLong("verbus.seed", System.nanoTime()),
                        directory,
                        "rdma.backoff-min",
                        "1ms",
                        "rdma.backoff-max",
                        "4ms");
        net.b.fabric.delayListening();
    }

    @AfterEach
    void stop() {
        net.close();
    }

    private Set<InetSocketAddress> listening() {
        return net.network.listeners().keySet();
    }

    private void awaitResult(CompletableFuture<Void> result) {
        net.until("a result", result::isDone);
    }

    @Test
    void carriesStreamOnceListenerIsOpen() {
        InboundEndpoint endpoint = net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        assertFalse(endpoint.opened().isDone());
        assertEquals("10.0.0.2:7400", endpoint.description());
        assertEquals(Set.of(), listening());

        net.b.fabric.listen();
        awaitResult(endpoint.opened());
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("it flows", () -> stream.connected && net.b.image().received > 50);
    }

    @Test
    void reportsPortOnceBound() {
        InboundEndpoint first = net.b.open(ANY_PORT);
        InboundEndpoint second = net.b.open(ANY_PORT);
        assertNotSame(first, second, "each has its own port");
        net.b.fabric.listen();
        awaitResult(second.opened());
        assertFalse(first.description().endsWith(":0"), first.description());
        assertEquals(2, listening().size());
    }

    @Test
    void sharesEndpointThatIsOpening() {
        InboundEndpoint first = net.b.open(TwoDrivers.CHANNEL);
        assertSame(first, net.b.open(TwoDrivers.CHANNEL));
        net.b.transport.inbound().closeEndpoint(first);
        net.b.fabric.listen();
        awaitResult(first.opened());
        assertEquals(1, listening().size());
        net.b.transport.inbound().closeEndpoint(first);
        assertEquals(Set.of(), listening());
    }

    @Test
    void neverListensIfClosedBeforeOpening() {
        InboundEndpoint endpoint = net.b.open(TwoDrivers.CHANNEL);
        net.b.transport.inbound().closeEndpoint(endpoint);
        net.b.fabric.listen();
        InboundEndpoint next = net.b.open(TwoDrivers.CHANNEL);
        assertNotSame(endpoint, next);
        awaitResult(next.opened());
        net.forMillis(5);
        assertFalse(endpoint.opened().isDone());
        assertEquals(1, listening().size());
    }

    @Test
    void opensNewEndpointAfterListenFailure() {
        var other =
                net.network
                        .fabric("10.0.0.2")
                        .listen(new InetSocketAddress("10.0.0.2", 7400), ConnectionOptions.DEFAULT);
        InboundEndpoint refused = net.b.open(TwoDrivers.CHANNEL);
        net.b.fabric.listen();
        awaitResult(refused.opened());
        assertTrue(
                refused.opened().exceptionNow() instanceof TransportException failure
                        && failure.getMessage().contains("in use"),
                refused.opened().toString());
        other.close();
        InboundEndpoint next = net.b.open(TwoDrivers.CHANNEL);
        assertNotSame(refused, next);
        awaitResult(next.opened());
        net.b.transport.inbound().closeEndpoint(refused);
        assertEquals(1, listening().size(), "the refused one has no part in it");
    }

    @Test
    void announcesEndpointOnceListenerIsOpen() {
        TestStream stream = net.a.publish(CONTROL, STREAM);
        net.b.subscribe(ANNOUNCED, STREAM);
        net.forMillis(20);
        assertEquals(0, net.a.counter("receiver announcements"));
        net.b.fabric.listen();
        net.until("connected", () -> stream.connected);
    }

    @Test
    void addsPublicationOnceControlAddressIsOpen() {
        net.b.fabric.listen();
        net.a.fabric.delayListening();
        net.b.subscribe(ANNOUNCED, STREAM);
        TestStream stream = net.a.publish(CONTROL, STREAM);
        net.forMillis(20);
        assertFalse(stream.connected);
        assertEquals(null, net.a.transport.outbound().localAddress(stream));
        net.a.fabric.listen();
        net.until("connected", () -> stream.connected);
        assertEquals("10.0.0.1:7500", net.a.transport.outbound().localAddress(stream));
    }
}
