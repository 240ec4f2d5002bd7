// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Provision;

/**
 * Memory that an incoming connection registers before it is established: for answers and for
 * credit. Registered and released by a thread that may block; used by the receiver in between.
 */
final class InboundMemory implements Provision {
    private static final int CONTROL_SLOTS = 32;
    private static final int CREDIT_SLOTS = 64;

    private SendRing control;
    private SendRing credit;

    @Override
    public void register(Domain domain) {
        control = new SendRing(domain, CONTROL_SLOTS, RdmaOptions.MESSAGE_LENGTH);
        try {
            credit = new SendRing(domain, CREDIT_SLOTS, CreditLine.LENGTH);
        } catch (RuntimeException e) {
            control.close();
            throw e;
        }
    }

    /** Returns the memory for answers. */
    SendRing control() {
        return control;
    }

    /** Returns the memory for grants of credit. */
    SendRing credit() {
        return credit;
    }

    @Override
    public void release() {
        credit.close();
        control.close();
    }
}
