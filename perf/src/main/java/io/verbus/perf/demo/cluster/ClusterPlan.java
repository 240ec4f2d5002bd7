// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.DemoLab;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.samples.cluster.ClusterMembers;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * What is sent, and to which members.
 *
 * @param orders to send at the least; more follow until the last fault is over.
 * @param rate at which they are due, per second.
 * @param members that take them.
 * @param client address of the client and its driver.
 * @param leaderTimeoutNs silence of the leader after which members elect another.
 * @param fault that befalls them.
 * @param faults how often.
 */
record ClusterPlan(
        int orders,
        int rate,
        ClusterMembers members,
        String client,
        long leaderTimeoutNs,
        ClusterFault fault,
        int faults) {
    static final int MEMBERS = 3;

    /** Ends of a wire at which each member and the client is alone. */
    static final int ENDS = MEMBERS + 1;

    private static final int PORTS_OF_MEMBER = 10;
    private static final long LEADER_TIMEOUT_S = 3;

    /** An emulated processor may take seconds for what is to take none. */
    private static final long LAB_LEADER_TIMEOUT_S = 60;

    /** Members and client take turns with the addresses. */
    static ClusterPlan of(
            DemoNetwork network, int orders, int rate, ClusterFault fault, int faults) {
        return new ClusterPlan(
                orders,
                rate,
                new ClusterMembers(
                        IntStream.range(0, MEMBERS).mapToObj(network::address).toList(),
                        DemoNetwork.freePort(MEMBERS * PORTS_OF_MEMBER)),
                network.address(MEMBERS),
                TimeUnit.SECONDS.toNanos(
                        DemoLab.isHere() ? LAB_LEADER_TIMEOUT_S : LEADER_TIMEOUT_S),
                fault,
                faults);
    }

    /** Channel at which the client is answered; its driver chooses the port. */
    String egress() {
        return "aeron:udp?endpoint=" + client + ":0";
    }
}
