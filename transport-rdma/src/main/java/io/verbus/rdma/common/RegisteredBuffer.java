// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;

import java.lang.foreign.Arena;

/**
 * Memory of this process that is registered with a device. Memory that the device does not release
 * stays allocated, because the peer could still write it. Created and closed on a thread that may
 * block.
 */
public final class RegisteredBuffer implements AutoCloseable {
    private static final int PAGE = 4096;

    private final Arena arena = Arena.ofShared();
    private final RegisteredMemory region;

    /**
     * Allocates and registers memory; frees it if the registration fails.
     *
     * @param domain domain of the queue pair that uses the memory.
     * @param length length in bytes.
     * @param access side that may write the memory.
     */
    public RegisteredBuffer(Domain domain, long length, Access access) {
        try {
            region = domain.register(arena.allocate(length, PAGE).address(), length, access);
        } catch (RuntimeException refused) {
            arena.close();
            throw refused;
        }
    }

    /** Returns the address of the first byte. */
    public long address() {
        return region.address();
    }

    /** Returns the key of the memory for local work requests. */
    public LocalKey localKey() {
        return region.localKey();
    }

    /** Returns the key of the memory for the peer's work requests. */
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
