// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.verbus.StrictDevice;
import io.verbus.rdma.fabric.Listener;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Listeners whose calls a device blocks; no call of the fabric waits for it. */
@Tag("lab")
@Tag("strict")
@Timeout(120)
class BlockedListenersLabTest {
    /** More than the fabric makes concurrently. */
    private static final int MANY = 100;

    private final Lab lab = new Lab();

    @AfterEach
    void close() {
        StrictDevice.plan("");
        lab.close();
    }

    private void block(String call) {
        StrictDevice.plan(call + ":1:~600000");
    }

    private void awaitHeld() {
        Await.until("a call to be blocked", () -> StrictDevice.count("held") > 0, lab::poll);
    }

    private Listener begin(InetSocketAddress address) {
        return lab.fabricB.listen(address, Lab.OPTIONS);
    }

    private Listener beginAnywhere() {
        return begin(Lab.at(Lab.addressB(), 0));
    }

    private void awaitOpen(Listener listener) {
        Await.until("a result", () -> listener.opened().isDone(), lab::poll);
        assertNull(listener.refusal());
    }

    private void awaitIds(long count) {
        Await.until(count + " ids", () -> StrictDevice.count("ids") == count, lab::poll);
    }

    @Test
    void listensElsewhereWhileCallsAreBlocked() {
        for (String call : List.of("rdma_create_id", "rdma_bind_addr", "rdma_listen")) {
            block(call);
            Listener blocked = beginAnywhere();
            awaitHeld();
            awaitOpen(beginAnywhere());
            assertFalse(blocked.opened().isDone(), call);
            StrictDevice.plan("");
            awaitOpen(blocked);
        }
    }

    @Test
    void destroysListenerThatIsClosedWhileItOpens() {
        long before = StrictDevice.count("ids");
        for (String call : List.of("rdma_create_id", "rdma_bind_addr", "rdma_listen")) {
            block(call);
            Listener blocked = beginAnywhere();
            awaitHeld();
            blocked.close();
            lab.poll();
            StrictDevice.plan("");
            awaitIds(before);
            assertFalse(blocked.opened().isDone(), call);
        }
    }

    @Test
    void opensOnlyAfterListenerAtSameAddressIsDestroyed() {
        Listener closed = lab.listen();
        InetSocketAddress address = closed.localAddress();
        block("rdma_destroy_id");
        closed.close();
        awaitHeld();
        Listener same = begin(address);
        Listener everywhere = begin(Lab.at("0.0.0.0", address.getPort()));
        everywhere.close();
        awaitOpen(begin(Lab.at(Lab.addressA(), address.getPort())));
        awaitOpen(beginAnywhere());
        assertFalse(same.opened().isDone());
        StrictDevice.plan("");
        awaitOpen(same);
        assertEquals(address, same.localAddress());
        assertFalse(everywhere.opened().isDone());
    }

    @Test
    void opensAndDestroysMoreListenersThanConcurrentCalls() {
        long before = StrictDevice.count("ids");
        StrictDevice.plan("rdma_listen:*:~600000");
        List<Listener> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(beginAnywhere());
        }
        awaitHeld();
        assertFalse(all.getLast().opened().isDone());
        StrictDevice.plan("");
        all.forEach(this::awaitOpen);
        Lab.Pair pair = lab.connectTo(all.getLast());
        lab.close(pair.a());
        lab.close(pair.b());
        StrictDevice.plan("rdma_destroy_id:*:~600000");
        all.forEach(Listener::close);
        awaitHeld();
        StrictDevice.plan("");
        Await.until(
                "all destroyed",
                () -> StrictDevice.count("ids") <= before + 2, // the devices' own
                lab::poll);
    }
}
