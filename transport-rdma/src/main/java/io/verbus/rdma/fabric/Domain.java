// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.util.function.Consumer;

/**
 * A protection domain on one device. Only queue pairs of the domain can use its regions, so an rkey
 * is useless to peers of another domain. Used by the conductor's thread, except for registration.
 */
public interface Domain extends AutoCloseable {
    /** Returns the name of the device, as {@code ibv_devices} prints it. */
    String device();

    /**
     * Returns whether the domain no longer permits registrations or connections, such as after a
     * reset.
     */
    boolean isUnusable();

    /**
     * Returns whether a queue pair of the domain exists, through which an adapter may access its
     * regions. Thread-safe.
     */
    boolean isInUse();

    /**
     * Runs work that may take long, such as registering a log, after all work requested before.
     *
     * @param work work to run on another thread.
     * @param then called in a later poll of the fabric with the exception that the work threw, or
     *     null.
     */
    void call(Runnable work, Consumer<RuntimeException> then);

    /**
     * Registers memory of this process. May block for long, so must not be called on an agent's
     * thread. The domain stays open in the meantime.
     *
     * @param address address of the first byte.
     * @param length length in bytes.
     * @param access side that may write the memory.
     * @return the region.
     * @throws FabricException if the device refuses; the message names the limit and the remedy.
     */
    RegisteredMemory register(long address, long length, Access access);

    /**
     * Releases the domain after all work passed to {@link #call}, once its connections are closed;
     * its regions must be closed by then. Does not block. Idempotent. A failure is reported to the
     * error log.
     */
    @Override
    void close();
}
