// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbus.StrictDevice;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/**
 * Devices that are reset. Like librdmacm, the strict device frees the context of a removed device,
 * and ends the process if anything uses it afterwards.
 */
@Tag("lab")
@Tag("strict")
@Timeout(120)
class StrictDeviceLossTest {
    private static final int DEVICE_OF_B = 0;
    private static final int DEVICE_OF_A = 1;

    private final Lab lab = new Lab();

    @AfterEach
    void close() {
        lab.close();
    }

    private void reset(int device) {
        StrictDevice.remove(device);
        StrictDevice.add(device);
    }

    @Test
    void closesConnectionsRegionsAndDomainsOfResetDevice() {
        Listener listener = lab.listen();
        Lab.Pair pair = lab.connectTo(listener);
        RegisteredMemory region = lab.register(pair.a(), 4096, Access.LOCAL_READ);

        reset(DEVICE_OF_A);
        assertEquals(Cause.FAILED, lab.awaitEnd(lab.eventsA, pair.a()).cause());
        // The old domain outlives the old connection, and the new one lets librdmacm look for
        // devices.
        Connection next = lab.connect(listener.localAddress(), pair.a().domain(), new byte[] {1});
        pair.a().close();
        lab.awaitRequest().accept(new byte[] {2});
        Await.until("reconnected", () -> lab.eventsA.established.contains(next), lab::poll);

        assertNotSame(pair.a().domain(), next.domain());
        assertTrue(pair.a().domain().isUnusable());
        region.close();
        assertTrue(region.isReleased());
        pair.a().domain().close();
        long wrote = write(new Lab.Pair(next, lab.eventsB.requests.getLast()));
        assertEquals(77, wrote);
    }

    /** A removed device is not polled for events. */
    @Test
    void keepsPollingAfterDeviceIsRemoved() {
        Lab.Pair pair = lab.connectTo(lab.listen());
        StrictDevice.remove(DEVICE_OF_A);
        try {
            lab.awaitEnd(lab.eventsA, pair.a());
            pair.a().close();
            pair.a().domain().close();
            long end = System.nanoTime() + 500_000_000L;
            Await.until("some looks at devices", () -> System.nanoTime() - end > 0, lab::poll);
        } finally {
            StrictDevice.add(DEVICE_OF_A);
        }
    }

    @Test
    void listensAgainWhenDeviceComesBack() {
        Listener listener = lab.listen();
        Lab.Pair pair = lab.connectTo(listener);

        StrictDevice.remove(DEVICE_OF_B);
        Await.until("the loss told", () -> lab.eventsB.lost.contains(listener), lab::poll);
        pair.b().close();
        pair.b().domain().close();
        StrictDevice.add(DEVICE_OF_B);
        Await.until("the return told", () -> lab.eventsB.back.contains(listener), lab::poll);
        pair.a().close();

        Lab.Pair next = lab.connectTo(listener);
        assertEquals(77, write(next));
    }

    @Test
    void listensAgainWhenBondFailsOver() {
        Listener listener = lab.listen();
        Lab.Pair before = lab.connectTo(listener);

        StrictDevice.changeAddress(DEVICE_OF_B);
        Await.until("the return told", () -> lab.eventsB.back.contains(listener), lab::poll);

        assertEquals(77, write(lab.connectTo(listener)));
        assertEquals(77, write(before));
    }

    /** Otherwise the remedy for long waits would be reported for a device that is gone. */
    @Test
    void reportsOnlyFailureIfDeviceIsRemovedDuringConnectionSetup() {
        assumeFalse(Lab.iWarp(), "iWARP has no such timer");
        Listener listener = lab.listen();
        StrictDevice.plan("ibv_modify_qp:*:~30000");
        Connection a = lab.connect(listener.localAddress(), null, new byte[] {1});
        lab.awaitRequest().accept(new byte[] {2});
        Await.until("both ends held", () -> StrictDevice.count("held") == 2, lab::poll);
        StrictDevice.remove(DEVICE_OF_A);
        StrictDevice.plan("");
        try {
            assertEquals(Cause.FAILED, lab.awaitEnd(lab.eventsA, a).cause());
            lab.close(a);
            assertEquals(List.of(), lab.stayed);
        } finally {
            StrictDevice.add(DEVICE_OF_A);
        }
    }

    @Test
    void closesListenerWaitingForDevice() {
        Listener listener = lab.listen();
        StrictDevice.remove(DEVICE_OF_B);
        try {
            Await.until("the loss told", () -> lab.eventsB.lost.contains(listener), lab::poll);
            listener.close();
            assertEquals(1, lab.eventsB.lostClosed);
        } finally {
            StrictDevice.add(DEVICE_OF_B);
        }
        lab.listen(lab.fabricB, listener.localAddress(), Lab.OPTIONS).close();
    }

    private long write(Lab.Pair pair) {
        RegisteredMemory source = lab.register(pair.a(), 4096, Access.LOCAL_READ);
        RegisteredMemory target = lab.register(pair.b(), 4096, Access.REMOTE_WRITE);
        Memory.putLong(source.address(), 77);
        QueuePair qp = pair.a().queuePair();
        Lab.Inbox inbox = new Lab.Inbox();
        qp.stageWrite(source.address(), 8, source.localKey(), target.address(), target.remoteKey());
        long posted = qp.post(true);
        Await.until("completion", () -> qp.completed() == posted, () -> qp.poll(inbox));
        // On iWARP a write completes before its bytes are in place.
        Await.until(
                "the bytes to be in place",
                () -> Memory.getLong(target.address()) != 0 || !inbox.failures.isEmpty(),
                () -> qp.poll(inbox));
        return Memory.getLong(target.address());
    }
}
