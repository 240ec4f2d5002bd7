// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.MemorySegment;

/**
 * The receive queue of a queue pair: slots of equal length. Each slot is posted again once its
 * message has been handled. A work request's id is the number of its slot.
 */
final class ReceiveQueue {
    private static final int SGE_OFFSET = VerbsAbi.RecvWr.SIZE;
    private static final int BAD_WR_OFFSET = SGE_OFFSET + VerbsAbi.Sge.SIZE;
    private static final int MEMORY_LENGTH = BAD_WR_OFFSET + Long.BYTES;

    private final MemorySegment postRecv;
    private final boolean isCritical;
    private final long qp;
    private final long request;
    private final long buffer;
    private final int slotLength;

    /**
     * @param postRecv entry point of the provider.
     * @param isCritical whether posting never enters the kernel.
     * @param qp queue pair.
     * @param memory memory of {@link #memoryLength} bytes, zeroed, 8-byte aligned.
     * @param buffer registered memory of the slots.
     * @param lkey key of the buffer.
     * @param slotLength length of a slot in bytes.
     */
    ReceiveQueue(
            MemorySegment postRecv,
            boolean isCritical,
            long qp,
            long memory,
            long buffer,
            int lkey,
            int slotLength) {
        this.postRecv = postRecv;
        this.isCritical = isCritical;
        this.qp = qp;
        this.request = memory;
        this.buffer = buffer;
        this.slotLength = slotLength;
        Memory.putLong(request + VerbsAbi.RecvWr.SG_LIST, request + SGE_OFFSET);
        Memory.putInt(request + VerbsAbi.RecvWr.NUM_SGE, 1);
        Memory.putInt(request + SGE_OFFSET + VerbsAbi.Sge.LENGTH, slotLength);
        Memory.putInt(request + SGE_OFFSET + VerbsAbi.Sge.LKEY, lkey);
    }

    static long memoryLength() {
        return MEMORY_LENGTH;
    }

    /** Returns the address of a slot's first byte. */
    long address(long slot) {
        return buffer + slot * slotLength;
    }

    /**
     * Posts a slot.
     *
     * @return 0 or a positive errno.
     */
    int post(long slot) {
        Memory.putLong(request + VerbsAbi.RecvWr.ID, slot);
        Memory.putLong(request + SGE_OFFSET + VerbsAbi.Sge.ADDRESS, address(slot));
        return Math.abs(
                DataPathCalls.post(postRecv, isCritical, qp, request, request + BAD_WR_OFFSET));
    }
}
