// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RegisteredBuffer;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Provision;

/**
 * Memory that a connection to an endpoint registers before it is established: for control messages,
 * for the zero written after each batch, and for the first credit slots. Registered and released by
 * threads that may block; used by the conductor and the sender in between.
 */
final class OutboundMemory implements Provision {
    private static final int CONTROL_SLOTS = 32;

    private final CreditSlots credit = new CreditSlots();
    private RegisteredBuffer firstBlock;
    private SendRing control;
    private SendRing zero;

    @Override
    public void register(Domain domain) {
        try {
            zero = new SendRing(domain, 1, Long.BYTES * 8);
            control = new SendRing(domain, CONTROL_SLOTS, RdmaOptions.MESSAGE_LENGTH);
            firstBlock = credit.register(domain);
        } catch (RuntimeException e) {
            release();
            throw e;
        }
    }

    /** Returns the memory for control messages. */
    SendRing control() {
        return control;
    }

    /** Returns a word that is always zero. */
    SendRing zero() {
        return zero;
    }

    /**
     * Returns the credit slots, including those that were registered before the connection was
     * established. Called once.
     */
    CreditSlots credit() {
        credit.add(firstBlock);
        return credit;
    }

    @Override
    public void release() {
        credit.release();
        if (control != null) {
            control.close();
        }
        if (zero != null) {
            zero.close();
        }
    }
}
