// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.LocalKey;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registered memory for one agent's sends, in slots of equal size. A slot is reused only once the
 * work requests that read it are known to be complete.
 *
 * <p>Created and closed by threads that may block, used by one agent in between.
 */
public final class SendRing implements AutoCloseable {
    private static final long STAGED = Long.MAX_VALUE;

    private final RegisteredBuffer memory;
    private final LocalKey key;
    private final long address;
    private final UnsafeBuffer buffer;
    private final int slotLength;
    private final long[] freeAt;
    private int next;
    private int firstStaged;

    /**
     * Allocates and registers the memory.
     *
     * @param domain domain of the queue pair.
     * @param slots number of slots.
     * @param slotLength length of a slot in bytes, a multiple of 64.
     */
    public SendRing(Domain domain, int slots, int slotLength) {
        this.slotLength = slotLength;
        freeAt = new long[slots];
        long length = (long) slots * slotLength;
        memory = new RegisteredBuffer(domain, length, Access.LOCAL_READ);
        address = memory.address();
        key = memory.localKey();
        buffer = new UnsafeBuffer(address, (int) length);
    }

    /**
     * Takes the next slot.
     *
     * @param completed number of completed work requests of the queue pair.
     * @return offset of the slot in the buffer, or -1 if the slot is still in use.
     */
    public int claim(long completed) {
        if (freeAt[next] > completed) {
            return -1;
        }
        int slot = next;
        freeAt[slot] = STAGED;
        next = slot + 1 == freeAt.length ? 0 : slot + 1;
        return slot * slotLength;
    }

    /**
     * Records that the requests staged from the slots were posted.
     *
     * @param count number of completed work requests after which the slots are free.
     */
    public void posted(long count) {
        while (freeAt[firstStaged] == STAGED) {
            freeAt[firstStaged] = count;
            firstStaged = firstStaged + 1 == freeAt.length ? 0 : firstStaged + 1;
        }
    }

    /** Returns the buffer over all slots. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Returns the address of an offset in the buffer. */
    public long address(int offset) {
        return address + offset;
    }

    /** Returns the key of the memory for work requests. */
    public LocalKey key() {
        return key;
    }

    @Override
    public void close() {
        memory.close();
    }
}
