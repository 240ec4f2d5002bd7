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
 * come. A slot is given back only when the peer writes it no more. Conductor's thread.
 */
final class CreditSlots implements AutoCloseable {
    private static final int SLOTS_PER_BLOCK = 64;
    private static final int BLOCK_LENGTH = SLOTS_PER_BLOCK * CreditLine.LENGTH;

    private final List<RegisteredBuffer> blocks = new ArrayList<>();
    private final ArrayDeque<Slot> free = new ArrayDeque<>();
    private final Domain domain;

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

    CreditSlots(Domain domain) {
        this.domain = domain;
    }

    /** Takes a slot. */
    Slot take() {
        if (free.isEmpty()) {
            addBlock();
        }
        return free.pop();
    }

    /** Gives a slot back. */
    void giveBack(Slot slot) {
        free.add(slot);
    }

    private void addBlock() {
        RegisteredBuffer block = new RegisteredBuffer(domain, BLOCK_LENGTH, Access.REMOTE_WRITE);
        blocks.add(block);
        for (int i = 0; i < SLOTS_PER_BLOCK; i++) {
            free.add(
                    new Slot(
                            new UnsafeBuffer(
                                    block.address() + (long) i * CreditLine.LENGTH,
                                    CreditLine.LENGTH),
                            block.remoteKey()));
        }
    }

    @Override
    public void close() {
        blocks.forEach(RegisteredBuffer::close);
        blocks.clear();
        free.clear();
    }
}
