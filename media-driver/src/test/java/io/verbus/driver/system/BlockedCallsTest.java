// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.config.ThreadingMode;

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

    /** Calls that open and close a local address. */
    private static final List<String> LISTENING_LONG =
            List.of("rdma_bind_addr", "rdma_listen", "rdma_destroy_id");

    private static final long ONE_CYCLE_NS = TimeUnit.SECONDS.toNanos(2);

    private final Script script = Script.upTo(90, 1000);
    private int port = PORT;

    @AfterEach
    void letGo() {
        StrictDevice.plan("");
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

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void otherWorkContinuesWhileDeviceBlocksCalls(ThreadingMode threading) {
        try (Host b = Beside.host(Host.addressB(), threading);
                Host a = Beside.host(Host.addressA(), threading);
                Beside beside = new Beside(a, b, PORT, script)) {
            Bus busA = a.connect();
            Bus busB = b.connect();
            for (String call : MAKING) {
                try (Other other = new Other(b, busA, busB, call + ":1:~600000")) {
                    Beside.awaitHeld(call);
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
                    Beside.awaitHeld(call);
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
    void otherWorkContinuesWhileDeviceCallTakesHalfMinute(ThreadingMode threading) {
        try (Host b = Beside.host(Host.addressB(), threading);
                Host a = Beside.host(Host.addressA(), threading);
                Beside beside = new Beside(a, b, PORT, script)) {
            // No event is read while a queue pair is being destroyed, so connections wait for their
            // events.
            b.expect("closed because they did not offer a stream");
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
            Subscription closing = busB.addSubscription(b.channel(++port), 1);
            for (String call : LISTENING_LONG) {
                plan.add(call + ":1:~30000");
            }
            StrictDevice.plan(String.join(",", plan));
            long opening = busB.async().addSubscription(b.channel(++port), 1);
            closing.close();
            making.forEach(Other::publish);
            ending.out.close();
            Beside.awaitHeld("a call");
            int rounds = 0;
            while (StrictDevice.count("held") > 0) {
                beside.goOn();
                rounds++;
            }
            Beside.await(busB, opening).close();
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
