// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.Instructions;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/**
 * Cost of a duty cycle of sender and receiver, with 1, 100 and 1,000 idle streams on one
 * connection: the number of streams checked, which is exact, and time, which is exact if counted in
 * instructions.
 */
class IdleStreamsTest {
    private static final int CYCLES = 20_000;
    private static final long CYCLE_NS = 1_000;

    /** Time until each stream is considered idle, with cycles of 10 ms. */
    private static final int RESTING_CYCLES = 20;

    /** Maximum number of checks of an idle stream or image in a cycle in which it has its turn. */
    private static final int LOOKS = 3;

    @TempDir Path directory;

    /** Cost of a cycle. */
    private record Cost(
            double sendersLooks, double receiversLooks, double sendNs, double receiveNs) {}

    @Tag("slow")
    @Test
    @Tag("instructions")
    void checksOneStreamPerDutyCycle() {
        for (int i = 0; i < 5; i++) {
            measure(1); // until the code is compiled
        }
        Cost one = measure(1);
        System.out.println("1 idle stream: " + one);
        assertTrue(one.sendersLooks > 0 && one.sendersLooks <= LOOKS, one.toString());
        assertTrue(one.receiversLooks > 0 && one.receiversLooks <= LOOKS, one.toString());
        for (int streams : new int[] {100, 1000}) {
            Cost many = measure(streams);
            System.out.println(streams + " idle streams: " + many);
            assertEquals(one.sendersLooks, many.sendersLooks, many.toString());
            assertEquals(one.receiversLooks, many.receiversLooks, many.toString());
            Instructions.assertFlat(one.sendNs, many.sendNs, many.toString());
            Instructions.assertFlat(one.receiveNs, many.receiveNs, many.toString());
        }
    }

    private Cost measure(int streams) {
        try (TwoDrivers net = new TwoDrivers(7, directory)) {
            net.publishing = false;
            for (int i = 0; i < streams; i++) {
                net.b.subscribe(TwoDrivers.CHANNEL, i);
                net.a.publish(TwoDrivers.CHANNEL, i);
            }
            net.until("connected", () -> net.a.streams.stream().allMatch(each -> each.connected));
            assertEquals(1, net.network.connections());
            net.network.beInstant();
            rest(net);
            double sendNs = Double.MAX_VALUE;
            double receiveNs = Double.MAX_VALUE;
            long sendersLooks = -sendersLooks(net);
            long receiversLooks = -receiversLooks(net);
            for (int part = 0; part < 10; part++) {
                // The cycles of both agents are as far apart as those of one agent.
                long beganNs = net.nowNs;
                long start = System.nanoTime();
                for (int i = 0; i < CYCLES / 10; i++) {
                    net.nowNs += CYCLE_NS;
                    net.a.transport.send(net.nowNs);
                }
                long sent = System.nanoTime();
                net.nowNs = beganNs;
                for (int i = 0; i < CYCLES / 10; i++) {
                    net.nowNs += CYCLE_NS;
                    net.b.transport.receive(net.nowNs);
                }
                sendNs = Math.min(sendNs, (sent - start) / (CYCLES / 10.0));
                receiveNs = Math.min(receiveNs, (System.nanoTime() - sent) / (CYCLES / 10.0));
            }
            sendersLooks += sendersLooks(net);
            receiversLooks += receiversLooks(net);
            return new Cost(
                    (double) sendersLooks / CYCLES,
                    (double) receiversLooks / CYCLES,
                    sendNs,
                    receiveNs);
        }
    }

    /** Lets all streams become idle. */
    private static void rest(TwoDrivers net) {
        for (int i = 0; i < RESTING_CYCLES + net.a.streams.size(); i++) {
            cycle(net, 10_000_000);
        }
    }

    private static void cycle(TwoDrivers net, long ns) {
        net.nowNs += ns;
        net.a.transport.send(net.nowNs);
        net.b.transport.receive(net.nowNs);
    }

    private static long sendersLooks(TwoDrivers net) {
        return net.a.streams.stream().mapToLong(stream -> stream.looks).sum();
    }

    private static long receiversLooks(TwoDrivers net) {
        return net.b.images.stream().mapToLong(image -> image.looks).sum();
    }

    @Test
    void sendsFromIdleStreamWithinOneRound() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            net.publishing = false;
            int streams = 40;
            for (int i = 0; i < streams; i++) {
                net.b.subscribe(TwoDrivers.CHANNEL, i);
                net.a.publish(TwoDrivers.CHANNEL, i);
            }
            net.until("connected", () -> net.a.streams.stream().allMatch(each -> each.connected));
            net.network.beInstant();
            rest(net);
            for (TestStream stream : net.a.streams) {
                stream.clean();
                assertTrue(stream.offer());
                for (int i = 0; i < streams; i++) {
                    cycle(net, CYCLE_NS);
                }
                assertEquals(stream.position(), stream.senderPosition(), net.seed + "");
            }
        }
    }

    @Test
    void grantsNoCreditToIdleImages() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            net.b.subscribe(TwoDrivers.CHANNEL, 1);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, 1);
            net.until("some", () -> net.b.images.size() == 1 && net.b.image().received > 100);
            net.publishing = false;
            net.until("all granted", () -> net.b.image().granted == stream.position());
            long grants = net.b.counter("at 10.0.0.2:7400: batches");
            net.forMillis(2_000);
            assertEquals(grants, net.b.counter("at 10.0.0.2:7400: batches"));
            net.publishing = true;
            long before = net.b.image().received;
            net.until("it continues", () -> net.b.image().received > before + 1000);
        }
    }
}
