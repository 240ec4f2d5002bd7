// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

/** Probes for placed writes, if a later write may land before an earlier one. */
class PlacementProbeTest {
    private static final int DEPTH = 4;
    private static final long INTERVAL_NS = 1_000;
    private static final QueuePair.Handler IGNORE =
            new QueuePair.Handler() {
                @Override
                public void onMessage(long address, int length) {
                    throw new AssertionError("a message");
                }

                @Override
                public void onFailure(String reason) {
                    throw new AssertionError(reason);
                }
            };

    private final SimNetwork network = new SimNetwork(System.nanoTime());
    private final UnsafeBuffer local = new UnsafeBuffer(ByteBuffer.allocateDirect(512));
    private final UnsafeBuffer remote = new UnsafeBuffer(ByteBuffer.allocateDirect(512));
    private final RegisteredMemory source;
    private final RegisteredMemory target;
    private final SimQueuePair queuePair;
    private final PlacementProbe probe;

    PlacementProbeTest() {
        network.overtake();
        SimDomain domain = new SimDomain(network);
        SimDomain other = new SimDomain(network);
        source = domain.register(local.addressOffset(), 512, Access.LOCAL_READ);
        target = other.register(remote.addressOffset(), 512, Access.REMOTE_WRITE);
        queuePair = network.pair(domain, other, DEPTH, 0)[0];
        probe = new PlacementProbe(queuePair, INTERVAL_NS, 1_000_000, 0);
        local.setMemory(0, 512, (byte) 7);
    }

    /** Writes 100 bytes; returns the number of the probe that covers them. */
    private long write(int offset) {
        queuePair.stageWrite(
                source.address() + offset,
                100,
                source.localKey(),
                target.address() + offset,
                target.remoteKey());
        queuePair.post(false);
        return probe.cover();
    }

    private void ask(long nowNs) {
        assertTrue(probe.isDue(nowNs, queuePair.answered()));
        probe.sent(nowNs, queuePair.stageProbe());
        queuePair.post(true);
    }

    private void settle() {
        network.settle();
        queuePair.poll(IGNORE);
    }

    @Test
    void confirmsOnlyPlacedWrites() {
        assertFalse(probe.isDue(0, queuePair.answered()));
        write(0);
        long question = write(200);
        ask(0);
        while (!probe.isInPlace(question)) {
            assertTrue(network.step());
            queuePair.poll(IGNORE);
        }
        assertEquals(7, remote.getByte(99));
        assertEquals(7, remote.getByte(299));
        assertFalse(probe.isDue(0, queuePair.answered()));
    }

    @Test
    void probesAgainOnlyAfterAnswer() {
        long first = write(0);
        ask(0);
        long second = write(200);
        assertFalse(probe.isDue(0, queuePair.answered()));
        settle();
        assertTrue(probe.isInPlace(first));
        assertFalse(probe.isInPlace(second));
        ask(0);
        settle();
        assertTrue(probe.isInPlace(second));
    }

    /** A probe without free slot uses an outstanding request, whose first completion answers it. */
    @Test
    void probesWithOutstandingRequestIfQueueIsFull() {
        long question = 0;
        for (int i = 0; i < DEPTH; i++) {
            question = write(i * 100);
        }
        assertFalse(probe.isDue(0, queuePair.answered()));
        ask(INTERVAL_NS);
        settle();
        assertFalse(probe.isInPlace(question));
        ask(INTERVAL_NS);
        settle();
        assertTrue(probe.isInPlace(question));
    }
}
