// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.process.Lab;
import io.verbus.samples.cluster.ClusterMembers;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Orders and members of the cluster demo.
 *
 * @param orders minimum number of orders; more follow until the last fault is over.
 * @param rate number of orders due per second.
 * @param members members of the cluster.
 * @param client address of the client and its driver.
 * @param leaderTimeoutNs nanoseconds without a message from the leader after which the members
 *     elect another.
 * @param fault kind of fault.
 * @param faults number of faults.
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

    /** Number of addresses needed to give each member and the client its own. */
    static final int ENDS = MEMBERS + 1;

    private static final int PORTS_OF_MEMBER = 10;
    private static final long LEADER_TIMEOUT_S = 3;

    /** Long, because an emulated processor may stall for seconds. */
    private static final long LAB_LEADER_TIMEOUT_S = 60;

    /**
     * Creates a plan in which members and client alternate between the addresses of the network.
     */
    static ClusterPlan of(
            DemoNetwork network, int orders, int rate, ClusterFault fault, int faults) {
        return new ClusterPlan(
                orders,
                rate,
                new ClusterMembers(
                        IntStream.range(0, MEMBERS).mapToObj(network::address).toList(),
                        DemoNetwork.freePort(MEMBERS * PORTS_OF_MEMBER)),
                network.address(MEMBERS),
                TimeUnit.SECONDS.toNanos(Lab.isHere() ? LAB_LEADER_TIMEOUT_S : LEADER_TIMEOUT_S),
                fault,
                faults);
    }

    /** Returns the channel of responses to the client; its driver chooses the port. */
    String egress() {
        return "aeron:udp?endpoint=" + client + ":0";
    }
}
