// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Provision;

/**
 * What a connection of a peer registers before it stands: the memory of answers and of credit.
 * Registered and released by a thread that may wait; the receiver's between.
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

    /** Answers. */
    SendRing control() {
        return control;
    }

    /** Grants of credit. */
    SendRing credit() {
        return credit;
    }

    @Override
    public void release() {
        credit.close();
        control.close();
    }
}
