// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Reading;
import io.verbus.cnc.LatencyHop;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * A delay shows only in the hop where it occurs: in the shortest duration for fabric and
 * subscriber, and in the longest for the sender, which cannot know when unseen bytes were
 * committed.
 */
class HopsTest {
    private static final ChannelUri CHANNEL =
            ChannelUri.rdma("10.0.0.2:7400").termLength(64 * 1024).mtu(1408).build();
    private static final long STEP_NS = 10_000;
    private static final long DELAY_NS = 20_000_000;
    private static final long STATUS_NS = 1_000_000;

    /** Longer than the time between two polls, shorter than a delay. */
    private static final long SHORT_NS = 2 * STATUS_NS;

    @TempDir Path folder;
    private final long seed = System.nanoTime();
    private SimNetwork network;
    private LatencyFile latency;
    private TestDriver a;
    private TestDriver b;
    private TestStream stream;
    private long nowNs;
    private boolean isWireHeld;
    private boolean isReading = true;

    @BeforeEach
    void connect() {
        network = new SimNetwork(seed);
        latency = LatencyFile.create(folder.resolve(LatencyFile.NAME), () -> nowNs);
        a = driver("10.0.0.1", 1);
        a.latency = latency;
        b = driver("10.0.0.2", 2);
        b.subscribe(CHANNEL, 10);
        stream = a.publish(CHANNEL, 10);
        until("connected", () -> stream.connected);
        exchange(30);
    }

    private TestDriver driver(String address, int id) {
        return new TestDriver(
                network,
                address,
                id,
                folder,
                "rdma.status-interval",
                "1ms",
                "rdma.probe-interval",
                "1ms");
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        latency.close();
    }

    private void step() {
        nowNs += STEP_NS;
        a.conduct(nowNs);
        b.conduct(nowNs);
        a.send(nowNs);
        if (!isWireHeld) {
            network.settle();
        }
        for (int i = 0; isReading && i < b.images.size(); i++) {
            b.images.get(i).poll(20);
        }
        b.receive(nowNs);
        b.send(nowNs);
        a.receive(nowNs);
        if (!isWireHeld) {
            network.settle();
        }
        stream.clean();
    }

    private void until(String what, BooleanSupplier condition) {
        for (int i = 0; i < 1_000_000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            step();
        }
        throw new AssertionError("never: " + what + "; seed " + seed);
    }

    private void forNs(long ns) {
        long end = nowNs + ns;
        until("the time passes", () -> nowNs >= end);
    }

    /** Sends messages one by one, and awaits the sample of each. */
    private void exchange(int messages) {
        for (int i = 0; i < messages; i++) {
            long before = reading(LatencyHop.SUBSCRIBER).most().count();
            assertTrue(stream.offer());
            until("a sample", () -> reading(LatencyHop.SUBSCRIBER).most().count() > before);
        }
    }

    private Reading reading(LatencyHop hop) {
        return latency.read().stream()
                .filter(each -> each.owner().hop() == hop)
                .findFirst()
                .orElseThrow();
    }

    private void assertShort(LatencyHop hop) {
        long least = reading(hop).least().max();
        assertTrue(least < SHORT_NS, hop + " takes " + least + " ns");
    }

    @Test
    void undelayedHopsAreShort() {
        for (LatencyHop hop : new LatencyHop[] {LatencyHop.SENDER, LatencyHop.FABRIC}) {
            assertTrue(reading(hop).most().max() < SHORT_NS);
            assertTrue(reading(hop).most().count() >= 30);
        }
        assertTrue(reading(LatencyHop.SUBSCRIBER).most().max() <= SHORT_NS);
        assertShort(LatencyHop.SUBSCRIBER);
    }

    @Test
    void attributesSlowSubscriberToItsHop() {
        isReading = false;
        assertTrue(stream.offer());
        forNs(DELAY_NS);
        assertTrue(nowNs - reading(LatencyHop.SUBSCRIBER).openSinceNs() >= DELAY_NS - SHORT_NS);
        isReading = true;
        exchange(10);
        assertTrue(reading(LatencyHop.SUBSCRIBER).least().max() >= DELAY_NS - SHORT_NS);
        assertTrue(reading(LatencyHop.SENDER).most().max() < SHORT_NS);
        assertTrue(reading(LatencyHop.FABRIC).most().max() < SHORT_NS);
    }

    @Test
    void attributesDelayedWireToFabric() {
        isWireHeld = true;
        assertTrue(stream.offer());
        forNs(DELAY_NS);
        isWireHeld = false;
        exchange(10);
        assertTrue(reading(LatencyHop.FABRIC).least().max() >= DELAY_NS - SHORT_NS);
        assertTrue(reading(LatencyHop.SENDER).most().max() < SHORT_NS);
        assertShort(LatencyHop.SUBSCRIBER);
    }

    @Test
    void attributesStalledSenderToItsHop() {
        a.isSenderAsleep = true;
        assertTrue(stream.offer());
        forNs(DELAY_NS);
        a.isSenderAsleep = false;
        exchange(10);
        assertTrue(reading(LatencyHop.SENDER).most().max() >= DELAY_NS - SHORT_NS);
        assertTrue(reading(LatencyHop.FABRIC).most().max() < SHORT_NS);
        assertTrue(reading(LatencyHop.SUBSCRIBER).most().max() <= SHORT_NS);
    }

    /**
     * The sender cannot see when the answer has arrived, but it does not attribute the delay to the
     * fabric.
     */
    @Test
    void keepsLeastFabricTimeShortIfSenderStallsAfterPost() {
        assertTrue(stream.offer());
        nowNs += STEP_NS;
        a.send(nowNs);
        assertTrue(reading(LatencyHop.FABRIC).openSinceNs() != LatencyFile.NOT_OPEN);
        a.isSenderAsleep = true;
        forNs(DELAY_NS);
        a.isSenderAsleep = false;
        exchange(10);
        assertShort(LatencyHop.FABRIC);
        assertShort(LatencyHop.SUBSCRIBER);
        assertTrue(reading(LatencyHop.FABRIC).most().max() >= DELAY_NS - SHORT_NS);
    }

    @Test
    void probesMeasureIdleConnection() {
        long before = reading(LatencyHop.ROUND_TRIP).most().count();
        forNs(10 * STATUS_NS);
        Reading probes = reading(LatencyHop.ROUND_TRIP);
        assertTrue(probes.most().count() > before + 3, probes.most().count() + " probes");
        assertTrue(probes.most().max() < SHORT_NS);
        assertEquals("10.0.0.2:7400", probes.owner().peer());
    }

    @Test
    void freesRecordsOfEndedStream() {
        assertEquals(4, latency.read().size());
        stream.end();
        a.transport.outbound().closePublication(stream);
        until("the stream is released", () -> a.releasedStreams.contains(stream));
        assertEquals(1, latency.read().stream().filter(HopsTest::isOfConnection).count());
        assertEquals(1, latency.read().size());
    }

    private static boolean isOfConnection(Reading reading) {
        return reading.owner().hop() == LatencyHop.ROUND_TRIP;
    }
}
