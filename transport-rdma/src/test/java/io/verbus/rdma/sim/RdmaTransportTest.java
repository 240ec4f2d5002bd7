// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.RdmaTransport;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class RdmaTransportTest {
    private static final int STREAM = 42;

    @TempDir Path directory;
    private TwoDrivers net;

    @BeforeEach
    void start() {
        start(System.nanoTime());
    }

    private void start(long seed, String... options) {
        if (net != null) {
            net.close();
        }
        net = new TwoDrivers(Long.getLong("verbus.seed", seed), directory, options);
    }

    @AfterEach
    void stop() {
        net.close();
    }

    private TestStream connected() {
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        return stream;
    }

    private void assertNoErrors() {
        assertEquals(List.of(), net.a.errors, () -> "seed " + net.seed);
        assertEquals(List.of(), net.b.errors, () -> "seed " + net.seed);
    }

    @RepeatedTest(5)
    void deliversEveryMessageInOrderThroughManyTerms() {
        TestStream stream = connected();
        net.until("ten terms", () -> stream.position() > 10L * 64 * 1024);
        net.publishing = false;
        net.until("all read", () -> net.b.image().received == stream.offered);
        assertNoErrors();
        assertEquals(1, net.network.connections());
        assertTrue(net.a.counter("bytes") >= stream.position() - 11L * 1024, net.a.counterText());
    }

    @Test
    void endsStreamAfterLastMessage() {
        TestStream stream = connected();
        net.until("some", () -> stream.offered > 500);
        net.publishing = false;
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        TestImage image = net.b.image();
        net.until("end of stream", image::isEndOfStream);
        net.until("ending told", () -> image.endingAt >= 0);
        assertEquals(stream.offered, image.received);
        assertEquals(stream.finalPosition(), image.endingAt);
        assertFalse(stream.connected);
        net.b.transport.inbound().closeImage(image);
        net.until("image released", () -> image.released);
        net.until("disconnected when idle", () -> net.a.fabric.connections().isEmpty());
        net.until("closed at B too", () -> net.b.fabric.connections().isEmpty());
        assertNoErrors();
    }

    @RepeatedTest(3)
    void signalsNoEndOfStreamIfEosIsFalse() {
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream =
                net.a.publish(
                        ChannelUri.parse(
                                "aeron:rdma?endpoint=10.0.0.2:7400|eos=false|term-length=64k"
                                        + "|mtu=1408"),
                        STREAM);
        net.until("some", () -> stream.offered > 500);
        net.publishing = false;
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        TestImage image = net.b.image();
        net.until("gone", () -> image.lost != null && image.position() == stream.position());
        assertEquals(stream.offered, image.received);
        assertEquals(-1, image.endingAt);
        assertFalse(image.isEndOfStream());
        net.b.transport.inbound().closeImage(image);
        net.until("image released", () -> image.released);
        assertNoErrors();
    }

    @Test
    void defersStreamUntilSubscriberArrives() {
        InboundEndpoint endpoint = net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.forMillis(300);
        assertFalse(stream.connected);
        assertEquals(1, net.a.fabric.connections().size());
        assertEquals(
                List.of(
                        "no subscription at 10.0.0.2:7400: subscribe to stream "
                                + STREAM
                                + " there"),
                net.a.waits);
        net.b.subscribed.add(STREAM + 1);
        net.b.transport.inbound().onSubscriptionAdded(endpoint, STREAM + 1);
        net.forMillis(50);
        assertFalse(stream.connected);
        net.b.subscribed.add(STREAM);
        net.b.transport.inbound().onSubscriptionAdded(endpoint, STREAM);
        net.until("received", () -> stream.connected && net.b.image().received > 100);
        assertNoErrors();
    }

    @Test
    void namesOtherStreamsOfEndpointWithoutSubscription() {
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM + 3);
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM + 1);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("told", () -> !net.a.waits.isEmpty());
        assertEquals(
                ("no subscription for stream %d at 10.0.0.2:7400, only for streams %d, %d: "
                                + "use the same stream id at both ends")
                        .formatted(STREAM, STREAM + 1, STREAM + 3),
                net.a.waits.getFirst());
        assertFalse(stream.connected);
        assertEquals(List.of(), net.a.failures);
        assertNoErrors();
    }

    @Test
    void logsNoErrorBeforeFirstSubscriber() {
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.forMillis(3_000);
        assertFalse(stream.connected);
        assertNoErrors();
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        net.until("received", () -> stream.connected && net.b.image().received > 100);
        assertNoErrors();
    }

    @Test
    void logsErrorIfNoSubscriberArrives() {
        net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("logged", () -> !net.a.errors.isEmpty());
        assertTrue(net.nowNs >= 10_000_000_000L, "after " + net.nowNs + " ns");
        assertTrue(net.a.errors.getFirst().contains("nothing listens"), net.a.errors.toString());
    }

    @Test
    void appliesBackPressureWhileSubscriberSleeps() {
        TestStream stream = connected();
        net.reading = false;
        net.until("window is full", () -> stream.position() >= 64 * 1024);
        net.forMillis(300);
        assertTrue(stream.position() < 66L * 1024, "position " + stream.position());
        assertFalse(stream.offer());
        net.reading = true;
        net.until("continues", () -> net.b.image().position() > 300 * 1024);
        assertNoErrors();
    }

    @Test
    void carriesFramesLongerThanWindow() {
        ChannelUri small = ChannelUri.rdma("10.0.0.2:7400").termLength(64 * 1024).mtu(8192).build();
        net.b.subscribe(ChannelUri.rdma("10.0.0.2:7400").window(4096).build(), STREAM);
        TestStream stream = net.a.publish(small, STREAM);
        net.until("ten terms", () -> stream.position() > 10L * 64 * 1024);
        assertTrue(stream.position() - net.b.image().position() <= 4096 + 3 * 8192);
        assertNoErrors();
    }

    @Test
    void offersStreamAgainAfterLastSubscriberLeaves() {
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 50);
        TestImage first = net.b.image();
        net.b.subscribed.clear();
        net.b.transport.inbound().closeImage(first);
        net.until("released", () -> first.released);
        net.until("not connected", () -> !stream.connected);
        net.forMillis(200);
        assertFalse(stream.connected);
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        net.until("second image", () -> stream.connected && net.b.image().received > 50);
        assertNotEquals(first, net.b.image());
        assertEquals(1, net.network.connections());
        assertNoErrors();
    }

    @RepeatedTest(5)
    void resumesAtFrontierAfterQueuePairFailure() {
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        TestImage image = net.b.image();
        net.connection().breakLink("transport retry counter exceeded");
        net.until("down", () -> net.b.fabric.connections().isEmpty());
        net.until("resumed", () -> net.a.counter("to 10.0.0.2:7400: resumes") == 1);
        long before = image.received;
        net.until("continues", () -> image.received > before + 500);
        net.publishing = false;
        net.until("all read", () -> image.received == stream.offered);
        assertEquals(image, net.b.image());
        assertEquals(0, stream.disconnects, "publishers see back pressure");
        assertEquals(2, net.network.connections());
        assertEquals(List.of(), net.a.errors.stream().filter(e -> !e.contains("lost")).toList());
        assertTrue(net.a.failures.getFirst().contains("is lost"), net.a.failures.toString());
        assertEquals(2, net.a.counter("connects"));
        assertEquals(1, net.a.counter("failures"));
        assertEquals(2, net.b.counter(": resumes"), "of the connection and of the image");
    }

    @RepeatedTest(5)
    void resumesTwentyStreamsOfOneConnection() {
        List<TestStream> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM + i);
            streams.add(net.a.publish(TwoDrivers.CHANNEL, STREAM + i));
        }
        net.until(
                "some of each",
                () ->
                        net.b.images.size() == 20
                                && net.b.images.stream().allMatch(i -> i.received > 20));
        List<TestImage> images = List.copyOf(net.b.images);
        net.connection().breakLink("cable");
        net.until("resumed", () -> net.a.counter("resumes") == 20);
        net.publishing = false;
        net.until(
                "all read",
                () ->
                        images.stream().mapToLong(i -> i.received).sum()
                                == streams.stream().mapToLong(s -> s.offered).sum());
        assertEquals(images, net.b.images);
    }

    @Test
    void detectsSilentPeerInBoundedTime() {
        start(
                System.nanoTime(),
                "rdma.probe-timeout",
                "50ms",
                "rdma.probe-interval",
                "10ms",
                "rdma.status-interval",
                "10ms");
        TestStream stream = connected();
        net.publishing = false;
        TestImage image = net.b.image();
        long cutAt = net.nowNs;
        net.connection().sim().cut();
        net.until("noticed", () -> !net.a.errors.isEmpty() || !net.b.errors.isEmpty());
        assertTrue(net.nowNs - cutAt < 100_000_000, (net.nowNs - cutAt) + " ns");
        assertTrue(
                net.a.errors.toString().contains("has not answered a probe")
                        || net.b.errors.toString().contains("has not answered a probe"));
        net.publishing = true;
        long before = image.received;
        net.until("continues", () -> image.received > before + 100);
        assertEquals(0, stream.disconnects);
    }

    /** One side has a short probe timeout, and detects the outage alone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void detectsSilentPeerAlthoughRequestsComplete(boolean isPublisher) {
        net.close();
        String[] impatient = {
            "rdma.probe-timeout", "50ms",
            "rdma.probe-interval", "10ms",
            "rdma.status-interval", "10ms"
        };
        String[] patient = {"rdma.probe-timeout", "60s", "rdma.status-interval", "10ms"};
        net =
                new TwoDrivers(
                        System.nanoTime(),
                        directory,
                        isPublisher ? impatient : patient,
                        isPublisher ? patient : impatient);
        net.network.completeAlone();
        TestStream stream = connected();
        net.until("two terms", () -> stream.position() > 2L * 64 * 1024);
        net.forMillis(200);
        assertNoErrors();
        SimQueuePair end = net.connection().sim();
        SimQueuePair asking = isPublisher ? end : end.peer();
        List<String> errors = isPublisher ? net.a.errors : net.b.errors;
        net.until("something is to complete", asking::willComplete);
        long before = asking.completed();
        long cutAt = net.nowNs;
        end.cut();
        net.until("noticed", () -> !errors.isEmpty());
        assertTrue(net.nowNs - cutAt < 100_000_000, (net.nowNs - cutAt) + " ns");
        assertTrue(errors.toString().contains("has not answered a probe"), errors.toString());
        assertTrue(asking.completed() > before, "something completes without the peer");
    }

    @Test
    void movesImageToNewConnectionOfItsDriver() {
        net.close();
        String[] impatient = {"rdma.probe-timeout", "50ms", "rdma.probe-interval", "10ms"};
        net = new TwoDrivers(System.nanoTime(), directory, impatient, new String[0]);
        TestStream stream = connected();
        TestImage image = net.b.image();
        long cutAt = net.nowNs;
        net.connection().sim().cut();
        net.until("resumed", () -> net.a.counter("resumes") == 1);
        assertTrue(net.nowNs - cutAt < 1_000_000_000, (net.nowNs - cutAt) + " ns");
        assertTrue(net.b.errors.toString().contains("has reconnected"), net.b.errors.toString());
        long before = image.received;
        net.until("continues", () -> image.received > before + 100);
        assertEquals(0, stream.disconnects);
        assertEquals(image, net.b.image());
        assertEquals(2, net.network.connections());
    }

    @Test
    void endsImageIfPublishingDriverDoesNotReturn() {
        start(System.nanoTime(), "rdma.resume-timeout", "300ms");
        connected();
        net.until("some", () -> net.b.image().received > 100);
        TestImage image = net.b.image();
        net.a.crash();
        long crashedAt = net.nowNs;
        net.until("down", () -> net.b.fabric.connections().isEmpty());
        assertEquals(null, image.lost);
        net.until("lost", () -> image.lost != null);
        assertTrue(net.nowNs - crashedAt >= 300_000_000, (net.nowNs - crashedAt) + " ns");
        assertTrue(net.nowNs - crashedAt < 400_000_000, (net.nowNs - crashedAt) + " ns");
        assertTrue(image.lost.contains("has not reconnected within 300 ms"), image.lost);
        assertTrue(
                net.b.errors.getLast().startsWith("a stream from 10.0.0.1 is lost: its driver has"),
                net.b.errors.toString());
        net.b.transport.inbound().closeImage(image);
        net.until("released", () -> image.released);
    }

    @Test
    void disconnectsPublicationIfPeerDoesNotReturn() {
        start(System.nanoTime(), "rdma.resume-timeout", "300ms");
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        net.b.crash();
        long crashedAt = net.nowNs;
        net.until("not connected", () -> !stream.connected);
        assertTrue(net.nowNs - crashedAt >= 300_000_000, (net.nowNs - crashedAt) + " ns");
        assertTrue(net.nowNs - crashedAt < 400_000_000, (net.nowNs - crashedAt) + " ns");
        net.until(
                "told", () -> net.a.failures.toString().contains("has not resumed within 300 ms"));
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
    }

    @Test
    void releasesClosingPublicationIfPeerDoesNotReturn() {
        start(System.nanoTime(), "rdma.resume-timeout", "300ms");
        TestStream stream = connected();
        net.reading = false;
        net.until("window is full", () -> stream.position() >= 64 * 1024);
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.b.crash();
        long crashedAt = net.nowNs;
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        assertTrue(net.nowNs - crashedAt < 400_000_000, (net.nowNs - crashedAt) + " ns");
    }

    @Test
    void resumesAfterTimeoutIfImageStillExists() {
        net.close();
        String[] hasty = {"rdma.resume-timeout", "0ms"};
        net = new TwoDrivers(System.nanoTime(), directory, hasty, new String[0]);
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        TestImage image = net.b.image();
        net.connection().breakLink("cable");
        net.until("not connected", () -> !stream.connected);
        net.until("connected again", () -> stream.connected);
        net.publishing = false;
        net.until("all read", () -> image.received == stream.offered);
        assertEquals(image, net.b.image());
    }

    @Test
    void restartsStreamIfImageHasEnded() {
        net.close();
        String[] hasty = {"rdma.resume-timeout", "0ms"};
        net = new TwoDrivers(System.nanoTime(), directory, new String[0], hasty);
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        TestImage first = net.b.image();
        net.connection().breakLink("cable");
        net.until("lost", () -> first.lost != null);
        assertEquals(0, net.b.connectionsWhenLost, "the queue pair is destroyed before");
        net.b.transport.inbound().closeImage(first);
        net.until("released", () -> first.released);
        net.until("new image", () -> !net.b.images.isEmpty() && net.b.image().received > 100);
        assertEquals(1, stream.disconnects);
        assertTrue(
                net.a.errors.toString().contains("has ended the image"), net.a.errors.toString());
        assertEquals(0, net.a.counter("resumes"));
    }

    @Test
    void restartsStreamWithRestartedDriver() {
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        net.b.crash();
        net.forMillis(20);
        net.restartB();
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        net.until("new image", () -> !net.b.images.isEmpty() && net.b.image().received > 100);
        assertEquals(1, stream.disconnects);
        assertTrue(net.a.errors.toString().contains("has restarted"), net.a.errors.toString());
        assertEquals(0, net.a.counter("resumes"));
    }

    @Test
    void endsOldImageWhenRestartedDriverOffersSameSession() {
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        TestImage first = net.b.image();
        net.a.crash();
        net.restartA();
        TestStream second =
                net.a.publish(TwoDrivers.CHANNEL, STREAM, stream.log().spec().sessionId());
        net.until("connected", () -> second.connected);
        net.until("first ended", () -> first.lost != null);
        assertTrue(first.lost.contains("was restarted"), first.lost);
        assertEquals(2, net.b.images.size());
    }

    /** The attacker forges the registration id, and the id of the driver whose stream it wants. */
    @Test
    void deniesImageToDriverWithForgedId() throws IOException {
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 100);
        TestImage image = net.b.image();
        net.publishing = false;
        net.until("all read", () -> image.received == stream.offered);
        Path apart = Files.createDirectory(directory.resolve("impostor"));
        TestDriver impostor = new TestDriver(net.network, "10.0.0.1", net.a.driverId(), apart);
        TestStream stolen = impostor.publish(TwoDrivers.CHANNEL, STREAM);
        assertEquals(stream.registrationId(), stolen.registrationId());
        net.connection().breakLink("cable");
        net.until(
                "an image for the impostor",
                () -> {
                    impostor.conduct(net.nowNs);
                    impostor.send(net.nowNs);
                    return stolen.connected;
                });
        stolen.clean();
        assertTrue(stolen.offer());
        net.publishing = true;
        long before = image.received;
        net.until(
                "the stream goes on",
                () -> {
                    impostor.conduct(net.nowNs);
                    impostor.send(net.nowNs);
                    return image.received > before + 100;
                });
        assertEquals(null, image.lost);
        assertEquals(2, net.b.images.size());
        net.until("both read", () -> net.b.images.stream().allMatch(i -> i.received > 0));
        impostor.close();
    }

    @Test
    void carriesTwentyStreamsOverOneQueuePair() {
        List<TestStream> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM + i);
            streams.add(net.a.publish(TwoDrivers.CHANNEL, STREAM + i));
        }
        net.until(
                "all read",
                () ->
                        net.b.images.size() == 20
                                && net.b.images.stream().allMatch(i -> i.received > 300));
        assertEquals(2, net.network.queuePairs(), "one at each end");
        assertEquals(1, net.network.connections());
        assertNoErrors();
        for (TestStream stream : List.copyOf(streams)) {
            stream.end();
            net.a.transport.outbound().closePublication(stream);
        }
        net.until("all released", () -> net.a.releasedStreams.containsAll(streams));
        net.until(
                "all ended",
                () -> net.b.images.stream().allMatch(i -> i.endingAt >= 0 && i.isEndOfStream()));
        assertNoErrors();
    }

    @Test
    void releasesPublicationWithoutReceivers() {
        TestStream alone = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.forMillis(50);
        alone.end();
        net.a.transport.outbound().closePublication(alone);
        net.until("released", () -> net.a.releasedStreams.contains(alone));
        assertTrue(net.a.failures.getFirst().contains("nothing listens"));

        net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        TestStream deferred = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.forMillis(5_000);
        deferred.end();
        net.a.transport.outbound().closePublication(deferred);
        net.until("released", () -> net.a.releasedStreams.contains(deferred));
    }

    @Test
    void endsClosingPublicationAfterShortOutage() {
        TestStream stream = connected();
        net.reading = false;
        net.until("window is full", () -> stream.position() >= 64 * 1024);
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.connection().breakLink("cable");
        net.forMillis(20);
        assertFalse(net.a.releasedStreams.contains(stream));
        net.reading = true;
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        TestImage image = net.b.image();
        net.until("all read", () -> image.isEndOfStream() && image.endingAt >= 0);
        assertEquals(stream.offered, image.received);
    }

    @Test
    void reportsReasonOfRefusalToPublisher() {
        net.b.setupRefusal = "too little space for the log: free some";
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("refused", () -> !net.a.failures.isEmpty());
        assertTrue(net.a.failures.getFirst().contains("too little space for the log"));
        assertTrue(net.a.rejections.getFirst());
        assertFalse(stream.connected);
        net.b.setupRefusal = null;
        net.until("tried again", () -> stream.connected);
    }

    @Test
    void reportsVersionMismatchToBothSides() {
        net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        byte[] other = new Hello(new Versions(8, 9), RejectCode.UNSPECIFIED, 99).bytes();
        var probe = new Probing(net, other);
        net.until("rejected", () -> probe.ended != null);
        Hello answer = Hello.read(probe.answer);
        assertEquals(RejectCode.VERSION_MISMATCH, answer.rejectCode());
        assertTrue(
                net.b.errors.getFirst().contains("supports versions 8 to 9"),
                net.b.errors.toString());
        assertTrue(net.b.errors.getFirst().contains("update the older driver"));
        assertTrue(net.b.fabric.connections().isEmpty());
    }

    @Test
    void rejectsPeerThatIsNotAVerbusDriver() {
        net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        var probe = new Probing(net, "GET / HTTP/1.1".getBytes());
        net.until("rejected", () -> probe.ended != null);
        assertTrue(net.b.errors.getFirst().contains("is not a Verbus driver"));
        assertTrue(net.b.fabric.connections().isEmpty());
    }

    @Test
    void reportsListenerThatIsNotAVerbusDriver() {
        assertFailsWith("is not a Verbus driver", new byte[] {1, 2, 3});
    }

    @Test
    void reportsListenerOfAnotherVersion() {
        assertFailsWith(
                "supports version 9",
                new Hello(new Versions(9, 9), RejectCode.UNSPECIFIED, 99).bytes());
    }

    private void assertFailsWith(String words, byte[] answer) {
        SimFabric other = net.network.fabric("10.0.0.3");
        other.listen(new InetSocketAddress("10.0.0.3", 7400), ConnectionOptions.DEFAULT);
        TestStream stream =
                net.a.publish(
                        ChannelUri.rdma("10.0.0.3:7400").termLength(64 * 1024).build(), STREAM);
        FabricHandler acceptAll = new Accepting(answer);
        net.until(
                "told",
                () -> {
                    other.poll(acceptAll, net.nowNs);
                    return !net.a.failures.isEmpty();
                });
        assertTrue(net.a.failures.getFirst().contains(words), net.a.failures.toString());
        assertTrue(net.a.errors.getFirst().contains(words), net.a.errors.toString());
        assertFalse(stream.connected);
        other.close();
    }

    @Test
    void rejectsEndpointInUse() {
        net.network
                .fabric("10.0.0.2")
                .listen(new InetSocketAddress("10.0.0.2", 7400), ConnectionOptions.DEFAULT);
        TransportException refused =
                assertThrows(TransportException.class, () -> net.b.open(TwoDrivers.CHANNEL));
        assertTrue(refused.getMessage().contains("in use"));
    }

    @Test
    void sharesEndpointBetweenSubscriptions() {
        InboundEndpoint first = net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        InboundEndpoint second = net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        assertEquals(first, second);
        assertEquals("10.0.0.2:7400", first.description());
        net.b.transport.inbound().closeEndpoint(first);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("still listens", () -> net.a.counter("10.0.0.2:7400: connects") == 1);
        assertEquals(List.of(), net.a.failures);
        net.b.transport.inbound().closeEndpoint(second);
        net.until("told", () -> !net.a.failures.isEmpty());
        assertFalse(stream.connected);
    }

    @Test
    void neverSharesEndpointBetweenDestinationAndSubscription() {
        InboundEndpoint destination = net.b.transport.inbound().openDestination(TwoDrivers.CHANNEL);
        assertThrows(TransportException.class, () -> net.b.open(TwoDrivers.CHANNEL));
        net.b.transport.inbound().closeEndpoint(destination);
        InboundEndpoint shared = net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        assertThrows(
                TransportException.class,
                () ->
                        TestHost.requireNotRefused(
                                net.b
                                        .transport
                                        .inbound()
                                        .openDestination(TwoDrivers.CHANNEL)
                                        .opened()));
        assertEquals(shared, net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL));
    }

    @RepeatedTest(20)
    void closesEndpointOfActiveStreamWithoutError() {
        InboundEndpoint endpoint = net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("some", () -> net.b.images.size() == 1 && net.b.image().received > 50);
        TestImage image = net.b.image();
        net.b.subscribed.clear();
        net.b.transport.inbound().closeEndpoint(endpoint);
        net.forMillis(net.random.nextInt(3));
        net.b.transport.inbound().closeImage(image);
        net.until("image released", () -> image.released);
        net.until("not connected", () -> !stream.connected);
        net.until("closed", () -> net.b.fabric.connections().isEmpty());
        net.until("told", () -> !net.a.failures.isEmpty());
        assertTrue(
                net.a.failures.getFirst().contains("nothing listens"), net.a.failures.toString());
        assertNoErrors();
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        net.until("carried again", () -> stream.connected && net.b.image().received > 50);
        assertNoErrors();
    }

    @RepeatedTest(20)
    void closesEndpointOfEndingStreamWithoutError() {
        InboundEndpoint endpoint = net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("some", () -> net.b.images.size() == 1 && net.b.image().received > 50);
        TestImage image = net.b.image();
        net.publishing = false;
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.forMillis(net.random.nextInt(2));
        net.b.subscribed.clear();
        net.b.transport.inbound().closeImage(image);
        net.b.transport.inbound().closeEndpoint(endpoint);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        net.until("closed at B", () -> net.b.fabric.connections().isEmpty());
        net.until("closed at A", () -> net.a.fabric.connections().isEmpty());
        assertNoErrors();
    }

    @Test
    void closesConnectionsOfClosedEndpointInBoundedTime() {
        InboundEndpoint endpoint = net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        net.b.transport.inbound().closeEndpoint(endpoint);
        long closedAt = net.nowNs;
        net.until("closed", () -> net.b.fabric.connections().isEmpty());
        assertTrue(net.nowNs - closedAt < 2_200_000_000L, (net.nowNs - closedAt) + " ns");
        net.until("the image's end", () -> net.b.image().lost != null);
        assertTrue(net.b.image().lost.contains("no longer used"), net.b.image().lost);
    }

    @Test
    void reportsClosedDriverToPublishers() {
        TestStream stream = connected();
        net.b.closeTransport();
        net.until("told", () -> !net.a.failures.isEmpty());
        assertEquals(1, net.a.errors.size(), net.a.errors.toString());
        assertTrue(
                net.a.errors.getFirst().endsWith("the driver at 10.0.0.2:7400 has shut down"),
                net.a.errors.toString());
        net.until("not connected", () -> !stream.connected);
    }

    @Test
    void reportsClosedDriverToSubscribers() {
        connected();
        TestImage image = net.b.image();
        net.a.closeTransport();
        net.until("lost", () -> image.lost != null);
        assertTrue(image.lost.startsWith("the driver at 10.0.0.1 "), image.lost);
        assertTrue(image.lost.contains("has shut down"), image.lost);
        assertEquals(List.of(image.lost), net.b.errors);
    }

    @Test
    void reportsFailedLogRegistrationToPublisher() {
        net.a.fabric.refuseRegistrations("cannot pin memory: raise ulimit -l");
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("told", () -> !net.a.failures.isEmpty());
        assertTrue(net.a.failures.getFirst().contains("ulimit -l"));
        assertFalse(stream.connected);
    }

    @Test
    void releasesEverythingIfConstructionFails() {
        try (TestHost few =
                new TestHost(1, directory, 7) {
                    @Override
                    protected Transport transport() {
                        throw new AssertionError("there is none");
                    }

                    @Override
                    protected void closeTransport() {
                        // nothing to close
                    }
                }) {
            SimFabric fabric = net.network.fabric("10.0.0.7");
            assertThrows(
                    RuntimeException.class,
                    () -> new RdmaTransport(few, fabric, RdmaOptions.of(few), 0));
            assertEquals("", few.counterText());
            assertTrue(fabric.isClosed());
        }
    }

    /** The image is closed and released even if the device does not release the memory. */
    @Test
    void releasesImageWhoseMemoryStaysPinned() {
        TestStream stream = connected();
        net.until("some", () -> net.b.image().received > 50);
        TestImage image = net.b.image();
        net.connection().peer().domain().keepRegions();
        net.b.subscribed.clear();
        net.b.transport.inbound().closeImage(image);
        net.until("released", () -> image.released);
        net.connection().breakLink("cable");
        net.b.subscribed.add(STREAM);
        net.until("carried again", () -> stream.connected && net.b.image().received > 50);
        assertEquals(1, net.b.fabric.connections().size());
    }

    @Test
    void rejectsStreamWhoseImageCannotBeRegistered() {
        InboundEndpoint endpoint = net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.forMillis(100);
        net.b.fabric.connections().getFirst().domain().refuse("cannot pin: raise ulimit -l");
        net.b.subscribed.add(STREAM);
        net.b.transport.inbound().onSubscriptionAdded(endpoint, STREAM);
        net.until("told", () -> !net.a.failures.isEmpty());
        assertTrue(net.a.failures.getFirst().contains("ulimit -l"), net.a.failures.toString());
        assertTrue(net.b.image().lost.contains("ulimit -l"));
        assertFalse(stream.connected);
        TestImage image = net.b.image();
        net.b.transport.inbound().closeImage(image);
        net.until("released", () -> image.released);
    }

    /** A manual connection to B's endpoint. */
    private static final class Probing implements FabricHandler {
        String ended;
        byte[] answer;

        Probing(TwoDrivers net, byte[] privateData) {
            SimFabric fabric = net.network.fabric("10.0.0.9");
            fabric.connect(
                    new InetSocketAddress("10.0.0.2", 7400),
                    null,
                    ConnectionOptions.DEFAULT,
                    null,
                    privateData);
            net.until(
                    "answered",
                    () -> {
                        fabric.poll(this, 0);
                        return ended != null;
                    });
        }

        @Override
        public void onConnectRequest(
                Listener listener,
                Connection connection,
                InetSocketAddress remoteAddress,
                byte[] privateData) {
            throw new AssertionError("nobody connects here");
        }

        @Override
        public void onEstablished(Connection connection, byte[] privateData) {
            throw new AssertionError("must not be accepted");
        }

        @Override
        public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
            ended = reason;
            answer = privateData;
            connection.close();
        }
    }

    /** A listener that accepts every connection with a fixed answer. */
    private record Accepting(byte[] answer) implements FabricHandler {
        @Override
        public void onConnectRequest(
                Listener listener,
                Connection connection,
                InetSocketAddress remoteAddress,
                byte[] privateData) {
            connection.accept(answer);
        }

        @Override
        public void onEstablished(Connection connection, byte[] privateData) {}

        @Override
        public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
            connection.close();
        }
    }
}
