// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import org.agrona.BitUtil;

import java.lang.foreign.MemorySegment;

/**
 * The send queue of a queue pair. Work requests are staged in preallocated memory, then posted as
 * one list, or one by one if there are only a few and all are inline.
 *
 * <pre>
 *   +--------------------------+---------+---------+---------------+
 *   | ibv_send_wr              | ibv_sge | ibv_sge | inline bytes  |   slot 0
 *   |   next, sg_list: wired   |         |         |               |
 *   +--------------------------+---------+---------+---------------+
 *   |                            ...                               |   slot 1 .. depth - 1
 *   +--------------------------+---------+---------+---------------+
 *   | bad_wr                                                       |
 *   +--------------------------------------------------------------+
 * </pre>
 *
 * <p>{@code next} always points to the following slot, except in the last request of a list while
 * it is being posted. The provider copies the requests, so every list begins at slot 0.
 *
 * <p>An adapter fetches the entries of a list from memory, which takes a round trip over PCIe;
 * bytes that are not inline take another round trip. When a single entry is posted, the provider
 * pushes all of it to the adapter. Therefore writes that fit are inlined, and a batch of such
 * writes is posted one by one.
 *
 * <p>A request's id is the number of requests staged so far, including itself. Requests complete in
 * order, so the completion of a signaled request also frees all earlier requests. At least every
 * n-th request is signaled, where n is a quarter of the depth, so that the queue never fills up
 * with unsignaled requests.
 */
final class SendQueue {
    private static final int SGE_OFFSET = VerbsAbi.SendWr.SIZE;
    private static final int INLINE_OFFSET = SGE_OFFSET + 2 * VerbsAbi.Sge.SIZE;
    private static final int CACHE_LINE = 64;
    private static final int BAD_WR_SIZE = Long.BYTES;

    /** Maximum number of requests to post one by one: the writes of one batch. */
    private static final int MAX_LONE = 3;

    private final MemorySegment postSend;
    private final boolean isCritical;
    private final long qp;
    private final long slots;
    private final long badWr;
    private final int depth;
    private final int maxInline;
    private final int signalInterval;
    private final int slotSize;

    private int staged;

    /** Number of staged requests with inline data. */
    private int inlined;

    private long posted;
    private long completed;
    private long signaled;

    /**
     * @param postSend entry point of the provider.
     * @param isCritical whether posting never enters the kernel.
     * @param qp queue pair.
     * @param memory memory of {@link #memoryLength} bytes, zeroed, 64-byte aligned.
     * @param depth maximum number of outstanding work requests.
     * @param maxInline maximum inline bytes of a work request.
     */
    SendQueue(
            MemorySegment postSend,
            boolean isCritical,
            long qp,
            long memory,
            int depth,
            int maxInline) {
        this.postSend = postSend;
        this.isCritical = isCritical;
        this.qp = qp;
        this.slots = memory;
        this.slotSize = slotSize(maxInline);
        this.badWr = memory + (long) depth * slotSize;
        this.depth = depth;
        this.maxInline = maxInline;
        this.signalInterval = Math.max(1, depth / 4);
        for (int i = 0; i < depth; i++) {
            Memory.putLong(slot(i) + VerbsAbi.SendWr.NEXT, slot(i + 1));
            Memory.putLong(slot(i) + VerbsAbi.SendWr.SG_LIST, slot(i) + SGE_OFFSET);
        }
    }

    static long memoryLength(int depth, int maxInline) {
        return (long) depth * slotSize(maxInline) + BAD_WR_SIZE;
    }

    private static int slotSize(int maxInline) {
        return BitUtil.align(INLINE_OFFSET + maxInline, CACHE_LINE);
    }

    int maxInline() {
        return maxInline;
    }

    int free() {
        return depth - staged - (int) (posted - completed);
    }

    boolean hasOutstanding() {
        return posted != completed;
    }

    /**
     * Returns whether an outstanding request is signaled, in which case the device will report its
     * completion.
     */
    boolean isCompletionDue() {
        return completed < signaled;
    }

    long completed() {
        return completed;
    }

    /** Marks all requests up to an id as complete. */
    void completedUpTo(long id) {
        completed = id;
    }

    void stageWrite(long address, int length, int lkey, long remoteAddress, int rkey) {
        long slot = claim();
        if (length == 0) {
            // mlx5 interprets a length of 0 as 2 GiB, so the request has no pieces. irdma's library
            // reads the first piece anyway, so it must not be left over from an earlier request.
            Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 0);
            piece(slot + SGE_OFFSET, 0, 0, 0);
        } else {
            Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 1);
            piece(slot + SGE_OFFSET, address, length, lkey);
        }
        target(slot, remoteAddress, rkey);
        stage(slot, VerbsAbi.IBV_WR_RDMA_WRITE, inlineFlag(length));
    }

    void stageWrite(
            long address1,
            int length1,
            int lkey1,
            long address2,
            int length2,
            int lkey2,
            long remoteAddress,
            int rkey) {
        long slot = claim();
        int length = length1 + length2;
        if (length <= maxInline) {
            // Gathered here, because before rdma-core 43 irdma's library uses only the first piece.
            Memory.copy(address1, slot + INLINE_OFFSET, length1);
            Memory.copy(address2, slot + INLINE_OFFSET + length1, length2);
            Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 1);
            piece(slot + SGE_OFFSET, slot + INLINE_OFFSET, length, 0);
        } else {
            Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 2);
            piece(slot + SGE_OFFSET, address1, length1, lkey1);
            piece(slot + SGE_OFFSET + VerbsAbi.Sge.SIZE, address2, length2, lkey2);
        }
        target(slot, remoteAddress, rkey);
        stage(slot, VerbsAbi.IBV_WR_RDMA_WRITE, inlineFlag(length));
    }

    private int inlineFlag(int length) {
        return length > 0 && length <= maxInline ? VerbsAbi.IBV_SEND_INLINE : 0;
    }

    void stageSend(long address, int length, int lkey) {
        long slot = claim();
        Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 1);
        piece(slot + SGE_OFFSET, address, length, lkey);
        stage(slot, VerbsAbi.IBV_WR_SEND, 0);
    }

    /** Stages a message with its header. */
    void stageSend(long header, int headerLkey, long address, int length, int lkey) {
        long slot = claim();
        piece(slot + SGE_OFFSET, header, MessageWindow.HEADER_LENGTH, headerLkey);
        if (length == 0) {
            Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 1);
        } else {
            Memory.putInt(slot + VerbsAbi.SendWr.NUM_SGE, 2);
            piece(slot + SGE_OFFSET + VerbsAbi.Sge.SIZE, address, length, lkey);
        }
        stage(slot, VerbsAbi.IBV_WR_SEND, 0);
    }

    /** Returns the id of the next request to stage. */
    long nextId() {
        return posted + staged + 1;
    }

    /** Returns whether all staged requests were posted. */
    boolean isAllPosted() {
        return staged == 0;
    }

    /** Returns the number of requests posted so far. */
    long posted() {
        return posted;
    }

    /** Discards the staged requests, because the queue pair accepts no more. */
    void discard() {
        posted += staged;
        staged = 0;
        inlined = 0;
    }

    /**
     * Posts the staged requests.
     *
     * @param signalLast whether the last request must be signaled.
     * @return 0 or a positive errno.
     */
    int post(boolean signalLast) {
        if (staged == 0) {
            return 0;
        }
        long last = slot(staged - 1);
        posted += staged;
        if (signalLast && signaled != posted) {
            Memory.putInt(
                    last + VerbsAbi.SendWr.FLAGS,
                    Memory.getInt(last + VerbsAbi.SendWr.FLAGS) | VerbsAbi.IBV_SEND_SIGNALED);
            signaled = posted;
        }
        int result;
        if (inlined == staged && staged <= MAX_LONE) {
            result = postOneByOne();
        } else {
            result = postList(slots, last);
        }
        staged = 0;
        inlined = 0;
        return Math.abs(result);
    }

    private int postOneByOne() {
        int result = 0;
        for (int i = 0; i < staged && result == 0; i++) {
            result = postList(slot(i), slot(i));
        }
        return result;
    }

    private int postList(long first, long last) {
        Memory.putLong(last + VerbsAbi.SendWr.NEXT, 0);
        int result = DataPathCalls.post(postSend, isCritical, qp, first, badWr);
        Memory.putLong(last + VerbsAbi.SendWr.NEXT, last + slotSize);
        return result;
    }

    private long claim() {
        if (free() <= 0) {
            throw new IllegalStateException(
                    "the send queue holds " + depth + " work requests: check free() first");
        }
        return slot(staged);
    }

    private void stage(long slot, int opcode, int flags) {
        long id = posted + ++staged;
        Memory.putLong(slot + VerbsAbi.SendWr.ID, id);
        Memory.putInt(slot + VerbsAbi.SendWr.OPCODE, opcode);
        if (flags != 0) {
            inlined++;
        }
        if (id - signaled >= signalInterval) {
            signaled = id;
            Memory.putInt(slot + VerbsAbi.SendWr.FLAGS, flags | VerbsAbi.IBV_SEND_SIGNALED);
        } else {
            Memory.putInt(slot + VerbsAbi.SendWr.FLAGS, flags);
        }
    }

    private long slot(int index) {
        return slots + (long) index * slotSize;
    }

    private static void piece(long sge, long address, int length, int lkey) {
        Memory.putLong(sge + VerbsAbi.Sge.ADDRESS, address);
        Memory.putInt(sge + VerbsAbi.Sge.LENGTH, length);
        Memory.putInt(sge + VerbsAbi.Sge.LKEY, lkey);
    }

    private static void target(long slot, long remoteAddress, int rkey) {
        Memory.putLong(slot + VerbsAbi.SendWr.REMOTE_ADDRESS, remoteAddress);
        Memory.putInt(slot + VerbsAbi.SendWr.RKEY, rkey);
    }
}
