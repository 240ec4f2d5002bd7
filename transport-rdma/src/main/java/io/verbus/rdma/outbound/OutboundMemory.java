// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RegisteredBuffer;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Provision;

/**
 * What a connection to an endpoint registers before it stands: the memory of messages, the zero
 * behind each batch, and the first credit slots. Registered and released by a thread that may wait;
 * the conductor's and the sender's between.
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

    /** Messages. */
    SendRing control() {
        return control;
    }

    /** A word that is zero. */
    SendRing zero() {
        return zero;
    }

    /** The credit slots, with those that were registered first. Once. */
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
