// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.MemorySegment;

/** Polls work completions from one completion queue into reused memory. */
final class Completions {
    private final MemorySegment pollCq;
    private final long cq;
    private final long memory;
    private final int entries;

    /**
     * @param pollCq the provider's entry point.
     * @param cq completion queue.
     * @param memory memory for {@code entries} completions, 8-byte aligned.
     * @param entries maximum number of completions per poll.
     */
    Completions(MemorySegment pollCq, long cq, long memory, int entries) {
        this.pollCq = pollCq;
        this.cq = cq;
        this.memory = memory;
        this.entries = entries;
    }

    static long memoryLength(int entries) {
        return (long) entries * VerbsAbi.Wc.SIZE;
    }

    /** Polls the queue. Returns the number of completions, or a negative number on failure. */
    int poll() {
        return DataPathCalls.pollCq(pollCq, cq, entries, memory);
    }

    long workRequestId(int index) {
        return Memory.getLong(completion(index) + VerbsAbi.Wc.ID);
    }

    int status(int index) {
        return Memory.getInt(completion(index) + VerbsAbi.Wc.STATUS);
    }

    int vendorError(int index) {
        return Memory.getInt(completion(index) + VerbsAbi.Wc.VENDOR_ERR);
    }

    int byteLength(int index) {
        return Memory.getInt(completion(index) + VerbsAbi.Wc.BYTE_LEN);
    }

    private long completion(int index) {
        return memory + (long) index * VerbsAbi.Wc.SIZE;
    }
}
