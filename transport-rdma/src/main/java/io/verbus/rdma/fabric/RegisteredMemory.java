// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Memory that a device has pinned and may access; it must stay mapped until {@link #close()} has
 * returned, which takes long where it is much. Closed by one thread at a time.
 */
public interface RegisteredMemory extends AutoCloseable {
    /** Address of the first byte in this process. */
    long address();

    /** Length in bytes. */
    long length();

    /** Names the region in this side's work requests. */
    LocalKey localKey();

    /**
     * Names the region in the peer's work requests; of use only with {@link Access#REMOTE_WRITE}.
     */
    RemoteKey remoteKey();

    /** Unpins the memory. Idempotent. */
    @Override
    void close();
}
