// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Errors that occur after a channel was added name it as the client wrote it. */
class ChannelsInErrorsTest {
    private static final int STREAM = 42;

    @TempDir private Path directory;
    private TwoDrivers net;

    @BeforeEach
    void open() {
        net = new TwoDrivers(System.nanoTime(), directory);
    }

    @AfterEach
    void close() {
        net.close();
    }

    private TestStream publish(String written) {
        return net.a.publish(ChannelUri.parse(written), STREAM);
    }

    private Listener listener(String host, int port) {
        return net.network.listeners().get(new InetSocketAddress(host, port));
    }

    private static void last(TestDriver driver, String written, String text) {
        String error = driver.errors.getLast();
        assertTrue(error.contains("channel '" + written + "'"), error);
        assertTrue(error.contains(text), error);
    }

    @Test
    void namesChannelOfReceiverThatDoesNotListen() {
        String written = "aeron:rdma?x=1|endpoint=10.0.0.2:7999|term-length=64k";
        publish(written);
        net.until("told", () -> !net.a.errors.isEmpty());
        last(net.a, written, "10.0.0.2:7999");
    }

    @Test
    void namesChannelWithUnknownHost() {
        String written = "aeron:rdma?x=1|endpoint=nobody.x:7999|term-length=64k";
        publish(written);
        net.until("told", () -> !net.a.errors.isEmpty());
        last(net.a, written, "host name 'nobody.x' cannot be resolved");
    }

    @Test
    void namesDestinationThatDoesNotListen() {
        String written = "aeron:rdma?x=1|endpoint=10.0.0.2:7999";
        TestStream stream = publish("aeron:rdma?control-mode=manual|term-length=64k");
        net.a.transport.outbound().addDestination(stream, ChannelUri.parse(written));
        net.until("told", () -> !net.a.errors.isEmpty());
        last(net.a, written, "10.0.0.2:7999");
    }

    @Test
    void namesChannelOfSubscriptionWithoutPublication() {
        String written = "aeron:rdma?x=1|endpoint=10.0.0.2:7400|control=10.0.0.1:7999";
        net.b.subscribe(ChannelUri.parse(written), STREAM);
        net.until("told", () -> !net.b.errors.isEmpty());
        last(net.b, written, "cannot announce the endpoint 10.0.0.2:7400");
    }

    @Test
    void namesChannelsWhenListenersAreLostAndRestored() {
        String subscribed = "aeron:rdma?x=1|endpoint=10.0.0.2:7400";
        String published = "aeron:rdma?x=1|control=10.0.0.1:7500|control-mode=dynamic";
        net.b.subscribe(ChannelUri.parse(subscribed), STREAM);
        publish(published + "|term-length=64k");
        Listener ofSubscription = listener("10.0.0.2", 7400);
        net.b.transport.onListenerLost(ofSubscription, "its device is gone");
        last(net.b, subscribed, "stopped listening at");
        net.b.transport.onListenerBack(ofSubscription);
        last(net.b, subscribed, "can connect at");
        Listener ofPublication = listener("10.0.0.1", 7500);
        net.a.transport.onListenerLost(ofPublication, "its device is gone");
        last(net.a, published + "|term-length=64k", "stopped listening at");
        net.a.transport.onListenerBack(ofPublication);
        last(net.a, published + "|term-length=64k", "can connect at");
    }

    @Test
    void namesChannelOfStreamThatReceiverRejects() {
        String written = "aeron:rdma?x=1|endpoint=10.0.0.2:7400|term-length=64k";
        String read = "aeron:rdma?y=1|endpoint=10.0.0.2:7400";
        net.b.setupRefusal = "has no room for the proof";
        net.b.subscribe(ChannelUri.parse(read), STREAM);
        publish(written);
        net.until("told", () -> !net.a.errors.isEmpty());
        last(net.a, written, "has no room for the proof");
        last(net.b, read, "has no room for the proof");
    }
}
