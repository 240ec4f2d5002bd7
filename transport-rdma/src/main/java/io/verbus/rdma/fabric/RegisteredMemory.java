// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Memory that a device has pinned and may access; it must stay mapped until {@link #close()} has
 * returned, which takes long where it is much, and must not be given to others before it {@link
 * #isReleased()}. Closed by one thread at a time.
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

    /**
     * Unpins the memory. Idempotent. Where the device refuses that, the error log is told, and the
     * closing thread goes on.
     */
    @Override
    void close();

    /** Whether the device has let go of the memory: only then may it be used for something else. */
    boolean isReleased();
}
