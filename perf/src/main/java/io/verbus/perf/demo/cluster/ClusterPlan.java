// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.DemoLab;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.samples.cluster.ClusterMembers;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is sent, and to which members.
 *
 * @param orders to send at the least; more follow until the last fault is over.
 * @param rate at which they are due, per second.
 * @param members that take them.
 * @param egress channel at which the client is answered.
 * @param leaderTimeoutNs silence of the leader after which members elect another.
 * @param fault that befalls them.
 * @param faults how often.
 */
record ClusterPlan(
        int orders,
        int rate,
        ClusterMembers members,
        String egress,
        long leaderTimeoutNs,
        ClusterFault fault,
        int faults) {
    static final int MEMBERS = 3;

    private static final int PORTS_OF_MEMBER = 10;
    private static final long LEADER_TIMEOUT_S = 3;

    /** An emulated processor may take seconds for what is to take none. */
    private static final long LAB_LEADER_TIMEOUT_S = 15;

    /** The members take turns with the two addresses. */
    static ClusterPlan of(
            DemoNetwork network, int orders, int rate, ClusterFault fault, int faults) {
        return new ClusterPlan(
                orders,
                rate,
                new ClusterMembers(
                        List.of(network.from(), network.to(), network.from()),
                        DemoNetwork.freePort(MEMBERS * PORTS_OF_MEMBER)),
                "aeron:udp?endpoint=" + network.to() + ":0",
                TimeUnit.SECONDS.toNanos(
                        DemoLab.isHere() ? LAB_LEADER_TIMEOUT_S : LEADER_TIMEOUT_S),
                fault,
                faults);
    }
}
