// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Memory that a device has pinned and may access. It must stay mapped until {@link #close()} has
 * returned, which may take long, and must not be reused before it {@link #isReleased()}. Closed by
 * one thread at a time.
 */
public interface RegisteredMemory extends AutoCloseable {
    /** Returns the address of the first byte in this process. */
    long address();

    /** Returns the length in bytes. */
    long length();

    /** Returns the key of the region for local work requests. */
    LocalKey localKey();

    /**
     * Returns the key of the region for the peer's work requests; only useful with {@link
     * Access#REMOTE_WRITE}.
     */
    RemoteKey remoteKey();

    /** Unpins the memory. Idempotent. A failure is reported to the error log, not thrown. */
    @Override
    void close();

    /** Returns whether the device has released the memory, which may then be reused. */
    boolean isReleased();
}
