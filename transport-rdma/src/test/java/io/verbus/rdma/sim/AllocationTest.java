// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyHop;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;

class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 60_000;
    private static final int MEASURED = 100_000;

    /**
     * Tolerated bytes in total: code that is recompiled while it runs may allocate more than
     * before. One object per cycle would be more than a megabyte.
     */
    private static final long SLACK = 4096;

    @TempDir Path directory;

    @Test
    void dutyCyclesAllocateNothingInSteadyState() {
        try (TwoDrivers net = new TwoDrivers(1, directory)) {
            net.b.subscribe(TwoDrivers.CHANNEL, 1);
            net.b.subscribe(TwoDrivers.CHANNEL, 2);
            TestStream busy = net.a.publish(TwoDrivers.CHANNEL, 1);
            TestStream idle = net.a.publish(TwoDrivers.CHANNEL, 2);
            net.until("connected", () -> busy.connected && idle.connected);
            idle.connected = false;
            net.network.beInstant();
            long sent = busy.offered;
            cycles(net, WARM_UP);
            long allocated = cycles(net, MEASURED);
            assertTrue(busy.offered - sent > MEASURED, busy.offered + " messages");
            assertTrue(net.b.images.stream().anyMatch(image -> image.received > MEASURED));
            assertTrue(allocated < SLACK, allocated + " bytes in " + MEASURED + " cycles of each");
        }
    }

    @Test
    void samplingAllocatesNothing() {
        try (LatencyFile latency =
                        LatencyFile.create(directory.resolve(LatencyFile.NAME), System::nanoTime);
                TwoDrivers net = new TwoDrivers(1, directory, "rdma.status-interval", "1ms")) {
            net.a.latency = latency;
            net.b.subscribe(TwoDrivers.CHANNEL, 1);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, 1);
            net.until("connected", () -> stream.connected);
            net.network.beInstant();
            cycles(net, WARM_UP);
            long before = samples(latency);
            long allocated = cycles(net, MEASURED);
            assertTrue(samples(latency) - before > 1000, samples(latency) + " samples");
            assertTrue(allocated < SLACK, allocated + " bytes in " + MEASURED + " cycles of each");
        }
    }

    /** Returns the least number of samples of a stream's hop. */
    private static long samples(LatencyFile latency) {
        return latency.read().stream()
                .filter(each -> each.owner().hop() != LatencyHop.ROUND_TRIP)
                .mapToLong(each -> each.most().count())
                .min()
                .orElseThrow();
    }

    @Test
    void fanOutAllocatesNothingInSteadyState() {
        try (FanOutNet net = new FanOutNet(1, directory)) {
            TestStream stream = net.publish("min");
            for (int i = 0; i < 3; i++) {
                FanOutNet.Place place = net.place(false);
                place.subscribe();
                net.add(stream, place);
            }
            net.until("connected", () -> net.places.stream().allMatch(p -> p.isConnected()));
            net.until("images", () -> net.places.stream().allMatch(p -> p.image() != null));
            net.network.beInstant();
            fanOutCycles(net, WARM_UP);
            long sent = stream.offered;
            long allocated = fanOutCycles(net, MEASURED);
            assertTrue(stream.offered - sent > MEASURED, stream.offered + " messages");
            assertTrue(allocated < SLACK, allocated + " bytes in " + MEASURED + " cycles of each");
        }
    }

    private static long fanOutCycles(FanOutNet net, int count) {
        TestStream stream = net.a.streams.getFirst();
        long allocated = 0;
        for (int i = 0; i < count; i++) {
            stream.clean();
            stream.offer();
            stream.offer();
            net.nowNs += 10_000;
            long before = THREADS.getCurrentThreadAllocatedBytes();
            net.a.transport.send(net.nowNs);
            net.a.transport.conduct(net.nowNs);
            allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
            for (FanOutNet.Place place : net.places) {
                before = THREADS.getCurrentThreadAllocatedBytes();
                place.driver.transport.receive(net.nowNs);
                place.driver.transport.conduct(net.nowNs);
                allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
                place.driver.images.getFirst().poll(10);
            }
        }
        return allocated;
    }

    /**
     * Returns the bytes that the agents' cycles allocate; the applications' allocations are not
     * counted.
     */
    private static long cycles(TwoDrivers net, int count) {
        long allocated = 0;
        for (int i = 0; i < count; i++) {
            for (TestStream stream : net.a.streams) {
                stream.clean();
                stream.offer();
                stream.offer();
            }
            net.nowNs += 10_000;
            long before = THREADS.getCurrentThreadAllocatedBytes();
            net.a.transport.send(net.nowNs);
            net.b.transport.receive(net.nowNs);
            net.a.transport.conduct(net.nowNs);
            net.b.transport.conduct(net.nowNs);
            allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
            for (TestImage image : net.b.images) {
                image.poll(10);
            }
        }
        return allocated;
    }
}
