// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;

import java.lang.foreign.Arena;

/**
 * Memory of this process that is registered with a device. What the device does not let go of stays
 * allocated: others would find it written by the peer. Made and closed on a thread that may wait.
 */
public final class RegisteredBuffer implements AutoCloseable {
    private static final int PAGE = 4096;

    private final Arena arena = Arena.ofShared();
    private final RegisteredMemory region;

    /**
     * Allocates and registers; leaves nothing if that is refused.
     *
     * @param domain of the queue pair that uses it.
     * @param length in bytes.
     * @param access which side may write it.
     */
    public RegisteredBuffer(Domain domain, long length, Access access) {
        try {
            region = domain.register(arena.allocate(length, PAGE).address(), length, access);
        } catch (RuntimeException refused) {
            arena.close();
            throw refused;
        }
    }

    /** Address of the first byte. */
    public long address() {
        return region.address();
    }

    /** Names the memory in this side's work requests. */
    public LocalKey localKey() {
        return region.localKey();
    }

    /** Names the memory in the peer's work requests. */
    public RemoteKey remoteKey() {
        return region.remoteKey();
    }

    @Override
    public void close() {
        region.close();
        if (region.isReleased() && arena.scope().isAlive()) {
            arena.close();
        }
    }
}
