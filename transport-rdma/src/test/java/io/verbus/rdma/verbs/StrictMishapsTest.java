// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.StrictDevice;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks the faults that a test can cause on single connections of the strict device. */
@Tag("lab")
@Tag("strict")
@Timeout(60)
class StrictMishapsTest {
    private static final int DEVICE_OF_A = 1;
    private static final long DELAY_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Lab lab = new Lab();
    private final Lab.Inbox inbox = new Lab.Inbox();

    @AfterEach
    void close() {
        StrictDevice.plan("");
        lab.close();
        assertEquals(0, StrictDevice.count("ids"));
        assertEquals(0, StrictDevice.count("regions"));
    }

    @Test
    void failsNewestConnectionOnly() {
        Listener listener = lab.listen();
        Lab.Pair older = lab.connectTo(listener);
        Lab.Pair newer = lab.connectTo(listener);

        assertTrue(StrictDevice.fail(DEVICE_OF_A, 0));

        QueuePair failed = newer.a().queuePair();
        Await.until("the failure", () -> !inbox.failures.isEmpty(), () -> failed.poll(inbox));
        write(older);
    }

    @Test
    void cutsConnectionWithoutNotifyingEitherSide() {
        Lab.Pair pair = lab.connectTo(lab.listen());

        assertTrue(StrictDevice.cut(DEVICE_OF_A, 0));

        QueuePair qp = pair.a().queuePair();
        qp.stageProbe();
        qp.post(true);
        Await.until("the failure", () -> !inbox.failures.isEmpty(), () -> qp.poll(inbox));
        lab.poll();
        assertEquals(List.of(), lab.eventsA.ended);
        assertEquals(List.of(), lab.eventsB.ended);
        assertFalse(StrictDevice.cut(DEVICE_OF_A, 0));
    }

    @Test
    void disconnectsPeerOnly() {
        Lab.Pair pair = lab.connectTo(lab.listen());

        assertTrue(StrictDevice.hangUp(DEVICE_OF_A, 0));

        assertEquals(Cause.DISCONNECTED, lab.awaitEnd(lab.eventsB, pair.b()).cause());
        assertEquals(List.of(), lab.eventsA.ended);
    }

    @Test
    void delaysCompletion() {
        Lab.Pair pair = lab.connectTo(lab.listen());
        StrictDevice.plan("completion:1:~" + TimeUnit.NANOSECONDS.toMillis(DELAY_NS));
        long startNs = System.nanoTime();
        write(pair);
        assertTrue(System.nanoTime() - startNs >= DELAY_NS);
    }

    @Test
    void reportsWhetherMemoryIsRegistered() {
        Lab.Pair pair = lab.connectTo(lab.listen());
        RegisteredMemory read = lab.register(pair.b(), 4096, Access.LOCAL_READ);
        RegisteredMemory written = lab.register(pair.b(), 4096, Access.REMOTE_WRITE);

        assertTrue(StrictDevice.isRegistered(read.address(), 1, false));
        assertFalse(StrictDevice.isRegistered(read.address(), 1, true));
        assertTrue(StrictDevice.isRegistered(written.address() + 4095, 1, true));
        assertFalse(StrictDevice.isRegistered(written.address() + 4096, 1, false));
        written.close();
        assertFalse(StrictDevice.isRegistered(written.address(), 1, false));
    }

    /** Regions of a removed device do not count towards the limit of the next device. */
    @Test
    void releasesRegionsOfRemovedDevice() {
        Listener listener = lab.listen();
        int most = 512; // of the profile "small"
        for (int i = 0; i < 3; i++) {
            Lab.Pair pair = lab.connectTo(listener);
            List<RegisteredMemory> regions = new ArrayList<>();
            for (int n = 0; n < most / 2; n++) {
                regions.add(lab.register(pair.a(), 4096, Access.LOCAL_READ));
            }
            StrictDevice.remove(DEVICE_OF_A);
            StrictDevice.add(DEVICE_OF_A);
            lab.awaitEnd(lab.eventsA, pair.a());
            lab.close(pair.a());
            regions.forEach(RegisteredMemory::close);
            pair.a().domain().close();
        }
    }

    private void write(Lab.Pair pair) {
        RegisteredMemory source = lab.register(pair.a(), 4096, Access.LOCAL_READ);
        RegisteredMemory target = lab.register(pair.b(), 4096, Access.REMOTE_WRITE);
        QueuePair qp = pair.a().queuePair();
        qp.stageWrite(source.address(), 8, source.localKey(), target.address(), target.remoteKey());
        long posted = qp.post(true);
        Lab.Inbox own = new Lab.Inbox();
        Await.until("the completion", () -> qp.completed() == posted, () -> qp.poll(own));
        assertEquals(List.of(), own.failures);
    }
}
