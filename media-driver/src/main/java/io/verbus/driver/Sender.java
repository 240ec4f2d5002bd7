// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.agent.CycleTime;
import io.verbus.driver.agent.NetworkAgent;
import io.verbus.driver.publication.SpiedPublications;
import io.verbus.driver.transports.Transports;
import io.verbus.transport.Transport;

/**
 * The sender: runs the sender's part of every transport in turn. In each duty cycle, a transport
 * takes one command from the conductor, then services what it sends through:
 *
 * <ul>
 *   <li>RDMA ({@code io.verbus.rdma.outbound.SenderAgent}): each connection polls its completion
 *       queue, services its streams, and posts what they have staged.
 *   <li>UDP ({@code io.verbus.udp.outbound.SenderAgent}): each destination receives status messages
 *       and NAKs, services its streams, and sends the batch.
 * </ul>
 */
final class Sender implements NetworkAgent {
    private final Transports transports;
    private final SpiedPublications spied;
    private final CycleTime cycleTime;

    Sender(Transports transports, SpiedPublications spied, CycleTime cycleTime) {
        this.transports = transports;
        this.spied = spied;
        this.cycleTime = cycleTime;
    }

    @Override
    public int work(long nowNs) {
        cycleTime.onCycle(nowNs);
        int work = spied.work();
        for (Transport transport : transports.open()) {
            work += transport.send(nowNs);
        }
        return work;
    }

    @Override
    public String roleName() {
        return "sender";
    }
}
