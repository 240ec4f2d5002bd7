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
 * come. A slot is given back only when the peer writes it no more. Conductor's thread, but for
 * registering and releasing, which take long.
 */
final class CreditSlots {
    private static final int SLOTS_PER_BLOCK = 64;
    private static final int BLOCK_LENGTH = SLOTS_PER_BLOCK * CreditLine.LENGTH;

    /** The threads' that register and release. */
    private final List<RegisteredBuffer> blocks = new ArrayList<>();

    private final ArrayDeque<Slot> free = new ArrayDeque<>();

    /**
     * A slot.
     *
     * @param buffer over the slot: see {@link CreditLine}.
     * @param key that the peer writes it with.
     */
    record Slot(UnsafeBuffer buffer, RemoteKey key) {
        long address() {
            return buffer.addressOffset();
        }
    }

    /** Takes a slot; null where none is free, and a block is to be registered and added. */
    Slot take() {
        return free.poll();
    }

    /** Gives a slot back. */
    void giveBack(Slot slot) {
        free.add(slot);
    }

    /** Registers one more block, on a thread that may wait. */
    RegisteredBuffer register(Domain domain) {
        RegisteredBuffer block = new RegisteredBuffer(domain, BLOCK_LENGTH, Access.REMOTE_WRITE);
        blocks.add(block);
        return block;
    }

    /** Adds the slots of a block that is registered. */
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

    /** Releases all blocks, on a thread that may wait; the peer writes none any more. */
    void release() {
        blocks.forEach(RegisteredBuffer::close);
        blocks.clear();
    }
}
