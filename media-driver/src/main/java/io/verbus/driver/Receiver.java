// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.agent.CycleTime;
import io.verbus.driver.agent.Mergers;
import io.verbus.driver.agent.NetworkAgent;
import io.verbus.driver.transports.Transports;
import io.verbus.transport.Transport;

/**
 * The receiver: runs the receiver's part of every transport in turn. In each duty cycle, a
 * transport takes one command from the conductor, then services what it receives on:
 *
 * <ul>
 *   <li>RDMA ({@code io.verbus.rdma.inbound.ReceiverAgent}): each connection polls its completion
 *       queue, checks the positions of its images' subscribers, and writes credit.
 *   <li>UDP ({@code io.verbus.udp.inbound.ReceiverAgent}): each endpoint receives a batch of
 *       datagrams, inserts their frames into images, and sends due status messages and NAKs.
 * </ul>
 *
 * <p>Then the receiver merges images that arrive from several sources.
 */
final class Receiver implements NetworkAgent {
    private final Transports transports;
    private final Mergers mergers;
    private final CycleTime cycleTime;

    Receiver(Transports transports, Mergers mergers, CycleTime cycleTime) {
        this.transports = transports;
        this.mergers = mergers;
        this.cycleTime = cycleTime;
    }

    @Override
    public int work(long nowNs) {
        cycleTime.onCycle(nowNs);
        int work = 0;
        for (Transport transport : transports.open()) {
            work += transport.receive(nowNs);
        }
        return work + mergers.work();
    }

    @Override
    public String roleName() {
        return "receiver";
    }
}
