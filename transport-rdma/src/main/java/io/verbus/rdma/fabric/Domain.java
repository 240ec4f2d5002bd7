// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

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
     * Registers memory of this process, which takes long where that is much. Any thread; the domain
     * stays open meanwhile.
     *
     * @param address of the first byte.
     * @param length in bytes.
     * @param access which side may write it.
     * @return the region.
     * @throws FabricException if the device refuses; the message names the limit and the remedy.
     */
    RegisteredMemory register(long address, long length, Access access);

    /**
     * Releases the domain; regions and connections of it must be closed before. Idempotent. Where
     * the device refuses that, the error log is told.
     */
    @Override
    void close();
}
