// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A device or a peer blocks a call of a driver. Meanwhile the driver answers its clients, carries
 * IPC, stays alive, and continues the stream of another connection.
 */
@Tag("lab")
@Tag("strict")
@Timeout(240)
class BlockedCallsTest {
    private static final int PORT = 24_380;
    private static final int IPC_STREAM = 900;

    /** Calls that make a connection and register its streams, in their order. */
    private static final List<String> MAKING =
            List.of(
                    "rdma_create_id",
                    "rdma_resolve_addr",
                    "rdma_set_option",
                    "rdma_resolve_route",
                    "ibv_alloc_pd",
                    "ibv_create_cq",
                    "ibv_reg_mr",
                    "rdma_create_qp",
                    "rdma_connect",
                    "rdma_get_cm_event",
                    "rdma_accept");

    /** Calls that take it down. */
    private static final List<String> ENDING =
            List.of(
                    "rdma_disconnect",
                    "rdma_destroy_qp",
                    "ibv_destroy_cq",
                    "ibv_dereg_mr",
                    "rdma_destroy_id",
                    "ibv_dealloc_pd");

    private static final List<String> LONG =
            List.of(
                    "rdma_resolve_addr",
                    "rdma_create_qp",
                    "ibv_reg_mr",
                    "rdma_connect",
                    "rdma_destroy_qp",
                    "ibv_dereg_mr");

    private static final long ONE_CYCLE_NS = TimeUnit.SECONDS.toNanos(2);

    private final Script script = Script.upTo(90, 1000);
    private int port = PORT;

    @AfterEach
    void letGo() {
        StrictDevice.plan("");
    }

    private static Host host(String address, ThreadingMode threading) {
        return Host.start(
                        address,
                        builder ->
                                builder.threading(threading)
                                        .transportOption("rdma.linger", "1ms")
                                        .transportOption("rdma.resume-timeout", "200s")
                                        .transportOption("rdma.connect-timeout", "200s")
                                        .transportOption("rdma.probe-timeout", "100s"))
                .expectLoss();
    }

    /** An active stream from A to B, and the clients beside it. */
    private static final class Beside implements AutoCloseable {
        private final Host[] hosts;
        private final Bus[] buses;
        private final Subscription in;
        private final Writer writer;
        private final Reader reader;
        private long exchanged;

        Beside(Host a, Host b, Script script) {
            hosts = new Host[] {a, b};
            buses = new Bus[] {a.connect(), b.connect()};
            in = buses[1].addSubscription(b.channel(PORT), 1);
            Publication out =
                    buses[0].addPublication(Host.overWire(b.channel(PORT, "term-length=64k")), 1);
            writer = new Writer(out, script);
            reader = Reader.fromFirst(script);
            goOn();
        }

        /** The stream continues, and each host answers a client, carries IPC, and stays alive. */
        void goOn() {
            exchanged += 50;
            reader.exchange(writer, in, exchanged);
            for (int i = 0; i < hosts.length; i++) {
                long heartbeat = hosts[i].counters().heartbeat();
                roundTrip(buses[i]);
                Counters counters = hosts[i].counters();
                Await.until("a heartbeat", () -> counters.heartbeat() > heartbeat);
            }
        }

        private static void roundTrip(Bus bus) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            try (Subscription from = bus.addSubscription("aeron:ipc", IPC_STREAM);
                    Publication to = bus.addPublication("aeron:ipc?term-length=64k", IPC_STREAM)) {
                for (int i = 0; i < 10; i++) {
                    Await.until("an offer taken", () -> to.offer(message) > 0);
                    Await.until("an answer", () -> from.poll((b, o, l, h) -> {}, 1) == 1);
                }
            }
        }

        @Override
        public void close() {
            for (Bus bus : buses) {
                bus.close();
            }
        }
    }

    /** A stream with its own connection. */
    private final class Other implements AutoCloseable {
        private final Subscription in;
        private final Bus busA;
        private final String channel;
        private Publication out;

        /** A stream that does not publish yet. */
        Other(Host b, Bus busA, Bus busB) {
            this.busA = busA;
            channel = b.channel(++port);
            in = busB.addSubscription(channel, 1);
        }

        /** A stream created under a fault plan. */
        Other(Host b, Bus busA, Bus busB, String plan) {
            this(b, busA, busB);
            StrictDevice.plan(plan);
            publish();
        }

        void publish() {
            out = busA.addPublication(Host.overWire(channel + "|term-length=64k"), 1);
        }

        void flow() {
            Reader.fromFirst(script).exchange(new Writer(out, script), in, 20);
        }

        @Override
        public void close() {
            out.close();
            in.close();
        }
    }

    private static void awaitHeld(String call) {
        Await.until(call + " to be held", () -> StrictDevice.count("held") > 0);
    }

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void continuesWhileDeviceBlocksCalls(ThreadingMode threading) {
        try (Host b = host(Host.addressB(), threading);
                Host a = host(Host.addressA(), threading);
                Beside beside = new Beside(a, b, script)) {
            Bus busA = a.connect();
            Bus busB = b.connect();
            for (String call : MAKING) {
                try (Other other = new Other(b, busA, busB, call + ":1:~600000")) {
                    awaitHeld(call);
                    beside.goOn();
                    assertEquals(1, StrictDevice.count("held"), call);
                    StrictDevice.plan("");
                    other.flow();
                }
            }
            for (String call : ENDING) {
                try (Other other = new Other(b, busA, busB, "")) {
                    other.flow();
                    StrictDevice.plan(call + ":1:~600000");
                    other.out.close();
                    awaitHeld(call);
                    beside.goOn();
                    assertTrue(StrictDevice.count("held") >= 1, call);
                    StrictDevice.plan("");
                }
            }
        }
    }

    /** The time that iWARP may take to connect to a host that does not answer. */
    @Tag("soak")
    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void continuesWhileDeviceTakesHalfMinute(ThreadingMode threading) {
        try (Host b = host(Host.addressB(), threading);
                Host a = host(Host.addressA(), threading);
                Beside beside = new Beside(a, b, script)) {
            // No event is read while a queue pair is being destroyed, so connections wait for their
            // events.
            b.expect("closed because they offer no stream");
            Bus busA = a.connect();
            Bus busB = b.connect();
            Other ending = new Other(b, busA, busB, "");
            ending.flow();
            List<Other> making = new ArrayList<>();
            List<String> plan = new ArrayList<>();
            for (String call : LONG) {
                plan.add(call + ":1:~30000");
                making.add(new Other(b, busA, busB));
            }
            StrictDevice.plan(String.join(",", plan));
            making.forEach(Other::publish);
            ending.out.close();
            awaitHeld("a call");
            int rounds = 0;
            while (StrictDevice.count("held") > 0) {
                beside.goOn();
                rounds++;
            }
            making.forEach(Other::flow);
            making.forEach(Other::close);
            ending.close();
            assertTrue(rounds > 10, rounds + " rounds in half a minute");
            for (Host host : List.of(a, b)) {
                long longestNs = host.counters().system(SystemCounter.CONDUCTOR_MAX_CYCLE_TIME);
                assertTrue(longestNs < ONE_CYCLE_NS, longestNs + " ns in a cycle");
            }
        }
    }
}
