// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

/**
 * A device blocks the calls that list devices, or open or close local addresses. Meanwhile the
 * driver answers its other clients, carries IPC, stays alive, and continues the stream of a
 * connection.
 */
@Tag("lab")
@Tag("strict")
@Timeout(240)
class BlockedListeningTest {
    private static final int PORT = 24_480;

    /** Calls that open a local address. */
    private static final List<String> LISTENING =
            List.of("rdma_create_id", "rdma_bind_addr", "rdma_listen");

    private final Script script = Script.upTo(90, 1000);
    private int port = PORT;

    @AfterEach
    void letGo() {
        StrictDevice.plan("");
    }

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void continuesWhileDeviceBlocksListening(ThreadingMode threading) {
        try (Host b = Beside.host(Host.addressB(), threading);
                Host a = Beside.host(Host.addressA(), threading);
                Beside beside = new Beside(a, b, PORT, script)) {
            Bus busB = b.connect();
            for (String call : LISTENING) {
                StrictDevice.plan(call + ":1:~600000");
                long first = busB.async().addSubscription(b.channel(0), 1);
                Beside.awaitHeld(call);
                beside.goOn();
                assertTrue(busB.async().isActive(first), call);
                StrictDevice.plan("");
                Subscription subscription = Beside.await(busB, first);
                String address = subscription.resolvedEndpoint();
                assertFalse(address.endsWith(":0"), address);

                StrictDevice.plan("rdma_destroy_id:1:~600000");
                subscription.close();
                Beside.awaitHeld("rdma_destroy_id");
                beside.goOn();
                long second = busB.async().addSubscription("verbus:rdma?endpoint=" + address, 1);
                Beside.await(busB, busB.async().addSubscription(b.channel(++port), 1)).close();
                assertTrue(busB.async().isActive(second), "the address is still bound");
                StrictDevice.plan("");
                Beside.await(busB, second).close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void continuesWhileDeviceBlocksControlAddress(ThreadingMode threading) {
        try (Host b = Beside.host(Host.addressB(), threading);
                Host a = Beside.host(Host.addressA(), threading);
                Beside beside = new Beside(a, b, PORT, script)) {
            Bus busA = a.connect();
            for (String call : LISTENING) {
                StrictDevice.plan(call + ":1:~600000");
                long added =
                        busA.async()
                                .addPublication(
                                        "verbus:rdma?control-mode=dynamic|term-length=64k|control="
                                                + Host.addressA()
                                                + ":0",
                                        1);
                Beside.awaitHeld(call);
                beside.goOn();
                assertTrue(busA.async().isActive(added), call);
                StrictDevice.plan("");
                Await.until("a publication", () -> busA.async().getPublication(added) != null);
                busA.async().getPublication(added).close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void continuesWhileDeviceListingIsBlocked(ThreadingMode threading) {
        for (int call = 1; call <= 2; call++) {
            try (Host b = Beside.host(Host.addressB(), threading)) {
                Bus bus = b.connect();
                Bus other = b.connect();
                StrictDevice.plan("ibv_get_device_list:" + call + ":~600000");
                long added = bus.async().addSubscription(b.channel(++port), 1);
                Await.until(
                        "blocked, or not needed",
                        () -> StrictDevice.count("held") > 0 || !bus.async().isActive(added));
                assertTrue(call > 1 || bus.async().isActive(added));
                Beside.requireAlive(b, other);
                StrictDevice.plan("");
                Beside.await(bus, added).close();
            }
        }
    }

    /** The words of the device's refusal, with the channel as the client wrote it. */
    @Test
    void reportsRefusedAddressToRequestingClient() {
        try (Host b = Beside.host(Host.addressB(), ThreadingMode.DEDICATED)) {
            Bus bus = b.connect();
            String channel = b.channel(++port);
            StrictDevice.plan("rdma_bind_addr:1:98,rdma_bind_addr:1:99");
            String inUse = refusal(bus, channel);
            assertTrue(inUse.contains("channel '" + channel + "': cannot listen at "), inUse);
            assertTrue(inUse.contains("another process listens there"), inUse);
            String notOurs = refusal(bus, channel);
            assertTrue(notOurs.contains("the local address must be that of an RDMA"), notOurs);
            bus.addSubscription(channel, 1).close();
        }
    }

    private static String refusal(Bus bus, String channel) {
        return assertThrows(BusException.class, () -> bus.addSubscription(channel, 1)).getMessage();
    }

    @Test
    void freesResourcesIfClientsLeaveWhileDeviceBlocksListening() {
        long ids = StrictDevice.count("ids");
        try (Host b = Beside.host(Host.addressB(), ThreadingMode.DEDICATED)) {
            StrictDevice.plan("rdma_listen:*:~600000");
            Bus bus = b.connect();
            bus.async().addSubscription(b.channel(++port), 1);
            bus.async()
                    .addPublication(
                            "verbus:rdma?control-mode=dynamic|term-length=64k|control="
                                    + Host.addressB()
                                    + ":"
                                    + ++port,
                            1);
            Await.until("both blocked", () -> StrictDevice.count("held") == 2);
            bus.close();
            StrictDevice.plan("");
            Await.until("destroyed", () -> StrictDevice.count("ids") == ids);
            Await.until(
                    "released",
                    () ->
                            b.counters().system(SystemCounter.PUBLICATIONS) == 0
                                    && b.counters().system(SystemCounter.SUBSCRIPTIONS) == 0);
        }
    }
}
