// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.common.RegisteredBuffer;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.RemoteKey;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The credit slots of one connection: memory that the peer writes, registered in blocks as streams
 * are added. A slot is reused only once the peer no longer writes to it. Used by the conductor's
 * thread, except for registering and releasing blocks, which may block.
 */
final class CreditSlots {
    private static final int SLOTS_PER_BLOCK = 64;
    private static final int BLOCK_LENGTH = SLOTS_PER_BLOCK * CreditLine.LENGTH;

    /** Used by the threads that register and release blocks. */
    private final List<RegisteredBuffer> blocks = new ArrayList<>();

    private final ArrayDeque<Slot> free = new ArrayDeque<>();

    /**
     * A credit slot.
     *
     * @param buffer buffer over the slot's memory; see {@link CreditLine} for its contents.
     * @param key key with which the peer writes the slot.
     */
    record Slot(UnsafeBuffer buffer, RemoteKey key) {
        long address() {
            return buffer.addressOffset();
        }
    }

    /**
     * Takes a free slot. Returns null if no slot is free; another block must then be registered and
     * added.
     */
    Slot take() {
        return free.poll();
    }

    /** Gives a slot back to the pool. */
    void giveBack(Slot slot) {
        free.add(slot);
    }

    /** Registers another block. Called on a thread that may block. */
    RegisteredBuffer register(Domain domain) {
        RegisteredBuffer block = new RegisteredBuffer(domain, BLOCK_LENGTH, Access.REMOTE_WRITE);
        blocks.add(block);
        return block;
    }

    /** Adds the slots of a registered block. */
    void add(RegisteredBuffer block) {
        for (int i = 0; i < SLOTS_PER_BLOCK; i++) {
            free.add(
                    new Slot(
                            new UnsafeBuffer(
                                    block.address() + (long) i * CreditLine.LENGTH,
                                    CreditLine.LENGTH),
                            block.remoteKey()));
        }
    }

    /**
     * Releases all blocks. Called on a thread that may block, once the peer no longer writes to
     * them.
     */
    void release() {
        blocks.forEach(RegisteredBuffer::close);
        blocks.clear();
    }
}
