// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

/**
 * Events during the registration or deregistration of a log, which takes as long as the test wants.
 * {@link TestDriver} and {@link SimDomain} check that a log is released only when nothing uses it,
 * and that a domain is closed only when it is empty.
 */
class LongRegistrationTest {
    private static final int STREAM = 42;

    @TempDir Path directory;
    private TwoDrivers net;
    private InboundEndpoint endpoint;

    @BeforeEach
    void start() {
        net =
                TwoDrivers.takingLong(
                        Long.getLong("verbus.seed", System.nanoTime()),
                        directory,
                        "rdma.backoff-min",
                        "1ms",
                        "rdma.backoff-max",
                        "4ms",
                        "rdma.linger",
                        "1ms",
                        "rdma.resume-timeout",
                        "2s");
        endpoint = net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
    }

    @AfterEach
    void stop() {
        net.close();
    }

    /** Two drivers with an active stream, so that the connection is up. */
    private TestStream connected() {
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        return stream;
    }

    /** A stream whose image exists and is being registered. */
    private TestStream registeringAtB() {
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("an image", () -> !net.b.images.isEmpty());
        stopBackground();
        assertFalse(stream.connected);
        assertFalse(net.b.fabric.isRegistered(net.b.image().log().address()));
        return stream;
    }

    private void stopBackground() {
        net.isBackgroundStopped = true;
    }

    private void goOn() {
        net.isBackgroundStopped = false;
    }

    private void assertFlows(TestStream stream) {
        net.until("connected", () -> stream.connected);
        TestImage image = net.b.images.getLast();
        long received = image.received;
        net.until("it flows", () -> image.received > received + 100);
    }

    private void assertWaitsForSubscriber(TestStream stream, TestImage closed) {
        net.until("released", () -> closed.released);
        net.forMillis(20);
        assertFalse(stream.connected);
        assertEquals(List.of(), net.a.failures);
        net.b.subscribed.add(STREAM);
        net.b.transport.inbound().onSubscriptionAdded(endpoint, STREAM);
        assertFlows(stream);
    }

    private void end(TestStream stream) {
        stream.end();
        net.a.transport.outbound().closePublication(stream);
    }

    // At the subscribing side

    @Test
    void continuesImageIfPeerIsLostDuringRegistration() {
        TestStream stream = registeringAtB();
        TestImage image = net.b.image();
        net.connection().breakLink("link flap");
        net.until("reconnected", () -> net.network.connections() == 2);
        net.forMillis(5);
        goOn();
        assertFlows(stream);
        assertSame(image, net.b.image());
        assertEquals(null, image.lost);
    }

    @Test
    void endsImageIfPublicationClosesDuringRegistration() {
        TestStream stream = registeringAtB();
        TestImage image = net.b.image();
        end(stream);
        net.forMillis(20);
        net.b.transport.inbound().closeImage(image);
        net.forMillis(20);
        assertFalse(image.released, "its log is being registered");
        goOn();
        net.until("released", () -> image.released);
        net.until("free", () -> net.a.releasedStreams.contains(stream));
        assertEquals(1, net.b.setups, "nobody goes on with it");
    }

    @Test
    void reportsEndOfStreamOncePeerCannotWrite() {
        TestStream stream = registeringAtB();
        TestImage image = net.b.image();
        end(stream);
        net.forMillis(20);
        assertEquals(null, image.lost);
        goOn();
        net.until("lost", () -> image.lost != null);
        assertEquals("the publication was closed before it was connected", image.lost);
    }

    @Test
    void waitsForSubscriberIfImageClosesDuringRegistration() {
        TestStream stream = registeringAtB();
        TestImage image = net.b.image();
        net.b.subscribed.clear();
        net.b.transport.inbound().closeImage(image);
        net.forMillis(20);
        assertFalse(image.released, "its log is being registered");
        goOn();
        assertWaitsForSubscriber(stream, image);
    }

    @Test
    void restartsStreamIfImageIsRejectedDuringRegistration() {
        TestStream stream = registeringAtB();
        TestImage image = net.b.image();
        net.b.transport.inbound().closeImage(image);
        goOn();
        net.until("released", () -> image.released);
        assertFlows(stream);
    }

    @Test
    void restartsStreamIfImageClosesDuringResume() {
        TestStream stream = connected();
        TestImage image = net.b.image();
        stopBackground();
        net.connection().breakLink("link flap");
        net.until("reconnected", () -> net.network.connections() == 2);
        net.forMillis(20);
        net.b.transport.inbound().closeImage(image);
        net.forMillis(20);
        assertFalse(image.released, "its log is being registered");
        goOn();
        net.until("released", () -> image.released);
        assertFlows(stream);
    }

    /** Closes the image before, during or after its registration for the next connection. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void defersOfferOnceIfImageClosesAfterReconnect(int steps) {
        TestStream stream = registeringAtB();
        TestImage image = net.b.image();
        SimConnection connection = net.connection();
        connection.sim().cut(); // B does not notice
        connection.tellEnd("link flap");
        net.until("reconnected", () -> net.network.connections() == 2);
        net.forMillis(20);
        for (int i = 0; i < steps; i++) {
            net.b.stepBackground();
            net.forMillis(5);
        }
        net.b.subscribed.clear();
        net.b.transport.inbound().closeImage(image);
        net.forMillis(20);
        goOn();
        assertWaitsForSubscriber(stream, image);
    }

    @Test
    void keepsImageThatIsLostAgainDuringResume() {
        TestStream stream = connected();
        TestImage image = net.b.image();
        stopBackground();
        for (int times = 2; times < 5; times++) {
            int connections = times;
            net.connection().breakLink("link flap");
            net.until("reconnected", () -> net.network.connections() == connections);
            net.forMillis(20);
        }
        goOn();
        assertFlows(stream);
        assertSame(image, net.b.image());
    }

    @Test
    void closesDriverDuringRegistrationOfImage() {
        TestStream stream = registeringAtB();
        net.b.closeTransport();
        assertFalse(stream.connected);
    }

    @Test
    void releasesClosedImageOnceDeregistered() {
        TestStream stream = connected();
        TestImage image = net.b.image();
        stopBackground();
        end(stream);
        net.until("its end is told", () -> image.endingAt >= 0);
        net.b.transport.inbound().closeImage(image);
        net.forMillis(20);
        assertFalse(image.released, "its log is being deregistered");
        assertFalse(net.a.releasedStreams.contains(stream), "at A, too");
        goOn();
        net.until("released", () -> image.released);
        net.until("at A, too", () -> net.a.releasedStreams.contains(stream));
    }

    @Test
    void closesDomainOnceLogsAreDeregistered() {
        TestStream stream = connected();
        stopBackground();
        end(stream);
        net.until("disconnected", () -> net.b.fabric.connections().isEmpty());
        net.forMillis(20);
        assertEquals(1, net.b.fabric.domains());
        goOn();
        net.until("closed", () -> net.b.fabric.domains() == 0);
        net.until("at A, too", () -> net.a.fabric.domains() == 0);
    }

    @Test
    void releasesStreamWhoseRegionsDeviceKeeps() {
        TestStream stream = connected();
        TestImage image = net.b.image();
        net.b.fabric.connections().getFirst().domain().keepRegions();
        net.connection().domain().keepRegions();
        end(stream);
        net.until("its end is told", () -> image.endingAt >= 0);
        net.b.transport.inbound().closeImage(image);
        net.until("released", () -> image.released);
        net.until("at A, too", () -> net.a.releasedStreams.contains(stream));
        assertFlows(net.a.publish(TwoDrivers.CHANNEL, STREAM));
    }

    // At the publishing side

    /** A stream whose log is being registered. */
    private TestStream registeringAtA() {
        connected();
        stopBackground();
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM + 1);
        net.b.subscribed.add(STREAM + 1);
        net.forMillis(20);
        assertEquals(1, net.b.setups);
        return stream;
    }

    @Test
    void continuesOtherStreamsDuringRegistration() {
        TestStream stream = registeringAtA();
        assertFlows(net.a.streams.getFirst());
        goOn();
        assertFlows(stream);
    }

    @Test
    void releasesPublicationClosedDuringRegistrationOnceItEnds() {
        TestStream stream = registeringAtA();
        end(stream);
        net.forMillis(20);
        assertFalse(net.a.releasedStreams.contains(stream), "its log is being registered");
        goOn();
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        assertEquals(1, net.b.setups);
    }

    @Test
    void startsStreamOnLatestConnectionAfterRegistration() {
        TestStream stream = registeringAtA();
        net.connection().breakLink("link flap");
        net.until("reconnected", () -> net.network.connections() == 2);
        goOn();
        assertFlows(stream);
    }

    @Test
    void reregistersLogWhenConnectionMovesToAnotherDevice() {
        TestStream stream = registeringAtA();
        net.a.fabric.replaceDevice();
        net.connection().breakLink("link flap");
        net.until("reconnected", () -> net.network.connections() == 2);
        assertEquals(2, net.a.fabric.domains(), "one still has registrations");
        goOn();
        assertFlows(stream);
        net.until("one domain", () -> net.a.fabric.domains() == 1);
    }

    @Test
    void closesDriverDuringRegistrationOfLog() {
        TestStream stream = registeringAtA();
        net.a.closeTransport();
        assertFalse(stream.connected);
        assertTrue(net.a.errors.isEmpty(), net.a.errors.toString());
    }
}
