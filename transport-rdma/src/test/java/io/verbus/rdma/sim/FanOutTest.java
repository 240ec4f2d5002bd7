// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.sim.FanOutNet.Place;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** One publication to several destinations, with each flow control strategy. */
class FanOutTest {
    private static final long TERM = FanOutNet.TERM_LENGTH;

    @TempDir Path directory;
    private FanOutNet net;

    private TestStream start(String flowControl, boolean... tagged) {
        net =
                new FanOutNet(
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
                        "300ms");
        TestStream stream = net.publish(flowControl);
        for (boolean isTagged : tagged) {
            Place place = net.place(isTagged);
            place.subscribe();
            net.add(stream, place);
        }
        return stream;
    }

    private Place place(int number) {
        return net.places.get(number);
    }

    private void untilAllConnected() {
        net.until(
                "all connected",
                () -> net.places.stream().allMatch(p -> p.isConnected() && p.image() != null));
    }

    private void readAll(TestStream stream, int... numbers) {
        net.publishing = false;
        for (int number : numbers) {
            net.until("all read at " + number, () -> place(number).isAtEnd(stream));
        }
    }

    @AfterEach
    void close() {
        net.close();
    }

    @RepeatedTest(3)
    void deliversEveryMessageToEachDestination() {
        TestStream stream = start("min", false, false, false);
        untilAllConnected();
        net.until("ten terms", () -> stream.position() > 10 * TERM);
        readAll(stream, 0, 1, 2);
        for (Place place : net.places) {
            assertEquals(stream.offered, place.next());
            assertEquals(1, place.driver.images.size());
        }
        assertEquals(3, net.network.connections());
        assertEquals(0, stream.disconnects);
    }

    @Test
    void waitsForSlowestReceiverWithMin() {
        TestStream stream = start("min", false, false);
        net.publishing = false;
        untilAllConnected();
        net.publishing = true;
        place(1).reading = false;
        long at = place(1).image().position();
        net.until("back pressure", () -> stream.position() > at + TERM - 2000);
        net.forMillis(100);
        assertTrue(stream.position() <= at + TERM + 2000, stream.position() + " after " + at);
        place(1).reading = true;
        net.until("continues", () -> stream.position() > at + 5 * TERM);
        readAll(stream, 0, 1);
        assertEquals(0, net.a.counter("drops of 10.0.0.3:7400"));
    }

    @Test
    void connectsOnceGroupIsComplete() {
        TestStream stream = start("min,g:/2", false);
        untilAllConnected();
        net.forMillis(50);
        assertFalse(stream.connected, "one of two");
        Place other = net.place(false);
        other.subscribe();
        net.add(stream, other);
        net.until("connected", () -> stream.connected);
        net.until("two terms", () -> stream.position() > 2 * TERM);
        readAll(stream, 0, 1);
    }

    @RepeatedTest(3)
    void dropsAndRestartsSlowDestinationWithMax() {
        TestStream stream = start("max", false, false);
        untilAllConnected();
        TestImage first = place(1).image();
        place(1).reading = false;
        long at = stream.position();
        net.until("goes on alone", () -> stream.position() > at + 10 * TERM);
        assertTrue(net.a.counter("drops of 10.0.0.3:7400") >= 1, net.a.counterText());
        assertTrue(
                net.a.errors.toString().contains("10.0.0.3:7400 of stream 42"),
                net.a.errors.toString());
        place(1).reading = true;
        net.until("read to its end", () -> place(1).ended.contains(first));
        assertTrue(first.endingAt >= 0, "it ends where it is complete");
        net.until("another image", () -> place(1).image() != null && place(1).next() > 0);
        assertNotEquals(first, place(1).image());
        readAll(stream, 0, 1);
        assertEquals(0, stream.disconnects);
    }

    @Test
    void isConnectedOnlyWhileTaggedReceiverExists() {
        TestStream stream = start("tagged,g:7", false);
        net.until("connected there", () -> place(0).isConnected());
        net.forMillis(50);
        assertFalse(stream.connected);
        Place tagged = net.place(true);
        tagged.subscribe();
        net.add(stream, tagged);
        net.until("flows", () -> stream.position() > 2 * TERM);
        net.remove(stream, tagged);
        net.until("not connected", () -> !stream.connected);
    }

    @Test
    void waitsOnlyForTaggedReceiver() {
        TestStream stream = start("tagged,g:7", true, false);
        untilAllConnected();
        place(1).reading = false;
        long at = stream.position();
        net.until("goes on without the other", () -> stream.position() > at + 6 * TERM);
        place(0).reading = false;
        long then = place(0).image().position();
        net.forMillis(100);
        assertTrue(stream.position() <= then + TERM + 2000, "waits for the tagged");
        place(0).reading = true;
        place(1).reading = true;
        net.until("continues", () -> stream.position() > then + 4 * TERM);
        readAll(stream, 0, 1);
    }

    @Test
    void resumesDestinationWithoutLossWithMin() {
        TestStream stream = start("min", false, false);
        untilAllConnected();
        TestImage image = place(1).image();
        net.until("some", () -> image.received > 100);
        for (int i = 0; i < 5; i++) {
            place(1).driver.fabric.connections().getFirst().breakLink("cable");
            long before = net.a.counter("resumes");
            net.until("resumed", () -> net.a.counter("resumes") > before);
            net.forMillis(20);
        }
        readAll(stream, 0, 1);
        assertEquals(image, place(1).image());
        assertEquals(0, stream.disconnects);
    }

    @Test
    void dropsDeadDestinationAfterTimeout() {
        TestStream stream = start("min", false, false);
        untilAllConnected();
        net.until("some", () -> place(1).image().received > 100);
        place(1).crash();
        long crashedNs = net.nowNs;
        long at = stream.position();
        net.until("continues", () -> stream.position() > at + 4 * TERM);
        assertTrue(net.nowNs - crashedNs >= 300_000_000, "it was waited for");
        place(1).subscribe();
        net.until("the new driver's image", () -> place(1).image() != null && place(1).next() > 0);
        readAll(stream, 0, 1);
        assertEquals(0, stream.disconnects);
    }

    @Test
    void dropsDeadDestinationWithinProbeTimeoutWithMax() {
        TestStream stream = start("max", false, false);
        untilAllConnected();
        place(1).driver.fabric.connections().getFirst().sim().cut();
        long at = stream.position();
        long cutNs = net.nowNs;
        net.until("continues", () -> stream.position() > at + 6 * TERM);
        assertTrue(net.nowNs - cutNs < 200_000_000, (net.nowNs - cutNs) + " ns");
        net.until("there anew", () -> place(1).image() != null && place(1).isConnected());
        readAll(stream, 0, 1);
    }

    @Test
    void endsImageOfRemovedDestination() {
        TestStream stream = start("min", false, false);
        untilAllConnected();
        TestImage image = place(1).image();
        net.until("some", () -> image.received > 100);
        place(1).reading = false;
        net.remove(stream, place(1));
        long at = stream.position();
        net.until("is not waited for", () -> stream.position() > at + 4 * TERM);
        place(1).reading = true;
        net.until("read to its end", () -> place(1).ended.contains(image));
        assertTrue(image.endingAt > 0);
        net.add(stream, place(1));
        net.until("added again", () -> place(1).image() != null && place(1).next() > 0);
        readAll(stream, 0, 1);
        assertEquals(0, stream.disconnects);
    }

    /** The conductor gives up a destination while the sender has not executed its last commands. */
    @Test
    void freesDestinationOnceSenderNoLongerUsesIt() {
        TestStream stream = start("min", false);
        untilAllConnected();
        net.publishing = false;
        net.network.cutWire();
        net.until("lost", () -> net.a.fabric.connections().isEmpty());
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.a.isSenderAsleep = true;
        net.forMillis(400);
        assertFalse(net.a.releasedStreams.contains(stream), "its commands are not executed");
        net.a.isSenderAsleep = false;
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        net.forMillis(20);
    }

    /** A device may still read unsent parts of the log that another transport could reuse. */
    @RepeatedTest(3)
    void keepsSharedStreamConnectedWhileDeviceMayReadLog() {
        TestStream stream = start("min", false);
        stream.isShared = true;
        untilAllConnected();
        net.until("some", () -> place(0).image().received > 100);
        place(0).driver.fabric.connections().getFirst().sim().cut();
        net.until("back pressure", () -> stream.position() - stream.releasedPosition() > TERM / 2);
        net.remove(stream, place(0));
        net.forMillis(3);
        assertTrue(stream.connected, "the queue pair is there yet");
        net.until("it is given up", () -> !stream.connected);
        assertTrue(net.a.fabric.connections().isEmpty() || !place(0).isConnected());
        assertEquals(1, stream.disconnects);
    }

    /** It is removed once its acceptance has arrived: data sent to it is not reused earlier. */
    @RepeatedTest(3)
    void retainsLogForDestinationRemovedDuringAcceptance() {
        TestStream stream = start("max", false);
        untilAllConnected();
        net.publishing = false;
        Place other = net.place(false);
        other.subscribe();
        net.add(stream, other);
        net.until("accepted at B", () -> other.image() != null);
        for (int i = 0; i < 1000; i++) {
            if (net.pace > 0) {
                other.driver.stepBackground();
            }
            other.driver.conduct(net.nowNs);
            other.driver.receive(net.nowNs);
            net.network.step();
        }
        net.remove(stream, other);
        net.a.send(net.nowNs);
        assertTrue(other.isConnected());
        other.driver.fabric.connections().getFirst().sim().cut();
        net.publishing = true;
        net.forMillis(10);
        long from = other.image().setup.position();
        assertTrue(stream.position() > from);
        assertTrue(stream.releasedPosition() <= from, stream.releasedPosition() + " > " + from);
        net.until("it is given up", () -> stream.position() > from + 3 * TERM);
    }

    @Test
    void offersLateSubscriberStreamAtCurrentPosition() {
        TestStream stream = start("min", false);
        Place late = net.place(false);
        late.driver.transport.inbound().openEndpoint(late.destination());
        net.add(stream, late);
        net.until("ten terms", () -> stream.position() > 10 * TERM);
        late.subscribe();
        net.until("reads", () -> late.image() != null && late.image().received > 10);
        // If the stream has moved on before its image exists, it is offered once more.
        int useless = net.pace == 0 ? 0 : 1;
        assertTrue(late.ended.size() <= useless, late.ended.size() + " images of no use");
        assertTrue(late.image().setup.position() > 9 * TERM);
        readAll(stream, 0, 1);
    }

    @Test
    void releasesPublicationOnceEveryDestinationHasReceivedAll() {
        TestStream stream = start("min", false, false);
        untilAllConnected();
        place(1).reading = false;
        net.until("back pressure", () -> stream.position() > TERM - 2000);
        net.publishing = false;
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.forMillis(10);
        place(1).reading = true;
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        net.until(
                "both at the end",
                () -> net.places.stream().allMatch(place -> place.ended.size() == 1));
        for (Place place : net.places) {
            assertEquals(stream.offered, place.ended.getFirst().next);
        }
        net.until("no connection", () -> net.a.fabric.connections().isEmpty());
    }

    @Test
    void releasesPublicationWithoutDestinationsImmediately() {
        TestStream stream = start("max");
        net.place(false);
        net.forMillis(5);
        assertFalse(stream.connected);
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
    }
}
