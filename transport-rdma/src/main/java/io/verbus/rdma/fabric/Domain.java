// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.util.function.Consumer;

/**
 * A protection domain on one device: only queue pairs of the domain can use its regions, so an rkey
 * is useless to a peer of another domain. Conductor's thread, but for registration.
 */
public interface Domain extends AutoCloseable {
    /** Name of the device, as {@code ibv_devices} prints it. */
    String device();

    /** Whether nothing can be registered or connected in it any more, such as after a reset. */
    boolean isUnusable();

    /**
     * Does what may take long, such as to register a log, after what was asked for before.
     *
     * @param work done on another thread.
     * @param then told in a later poll of the fabric, with null or what was thrown.
     */
    void call(Runnable work, Consumer<RuntimeException> then);

    /**
     * Registers memory of this process, for as long as the device likes: not on the thread of an
     * agent. The domain stays open meanwhile.
     *
     * @param address of the first byte.
     * @param length in bytes.
     * @param access which side may write it.
     * @return the region.
     * @throws FabricException if the device refuses; the message names the limit and the remedy.
     */
    RegisteredMemory register(long address, long length, Access access);

    /**
     * Has the domain released, after what {@link #call} was asked for and when its connections are
     * taken down; regions must be closed by then. Does not wait. Idempotent. Where the device
     * refuses that, the error log is told.
     */
    @Override
    void close();
}
