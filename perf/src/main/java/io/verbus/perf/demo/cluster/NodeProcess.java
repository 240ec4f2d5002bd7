// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.aeron.cluster.service.Cluster;
import io.aeron.exceptions.AeronException;
import io.verbus.BusException;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.Idling;
import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.demo.DemoLab;
import io.verbus.perf.demo.ParentLink;
import io.verbus.samples.cluster.ClusterMembers;
import io.verbus.samples.cluster.ClusterNode;
import io.verbus.samples.cluster.MatchingEngine;
import io.verbus.samples.cluster.OrderMatchingService;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A member's process: says which role the member has, each second what its book holds, and when it
 * has taken a snapshot, which it does when told to go.
 */
final class NodeProcess {
    /** Begins a line with a role. */
    static final String ROLE = "role ";

    /** Begins a line with the words of a {@link BookState}. */
    static final String STATE = "state ";

    /** Begins a line that says how many orders a snapshot holds. */
    static final String SNAPSHOT = "snapshot ";

    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String PEER_LIMIT = "30s";
    private static final int FIRST_OPTION = 6;

    private NodeProcess() {}

    /**
     * @param args member id, hosts and first port of all, leader time-out in nanoseconds, driver
     *     directory, folder, and options of transports, each {@code NAME=VALUE}.
     */
    public static void main(String[] args) throws InterruptedException {
        AeronPatience.set();
        ParentLink parent = ParentLink.open();
        DriverConfigBuilder driver =
                ClusterNode.driver(Path.of(args[4]))
                        .clientLivenessTimeoutNs(PATIENCE_NS)
                        .unblockTimeoutNs(2 * PATIENCE_NS)
                        .transportOption("rdma.connect-timeout", PEER_LIMIT)
                        .transportOption("rdma.probe-timeout", PEER_LIMIT);
        if (DemoLab.isHere()) {
            driver.idling(Idling.SLEEP);
        }
        for (int i = FIRST_OPTION; i < args.length; i++) {
            String[] option = args[i].split("=", 2);
            driver.transportOption(option[0], option[1]);
        }
        try {
            ClusterNode node =
                    new ClusterNode(
                            driver.build(),
                            new ClusterMembers(
                                    List.of(args[1].split(",")), Integer.parseInt(args[2])),
                            Integer.parseInt(args[0]),
                            Path.of(args[5]),
                            Long.parseLong(args[3]),
                            new Teller());
            Runtime.getRuntime().addShutdownHook(new Thread(node::close, "node-close"));
            while (true) { // ends with the input of this process
                if (parent.awaitGo(1, TimeUnit.HOURS) && !node.takeSnapshot()) {
                    System.err.println("no snapshot is taken, as this member does not lead");
                }
            }
        } catch (AeronException | BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    /** Each line at once: another thread may end the process. */
    private static final class Teller implements OrderMatchingService.Listener {
        @Override
        public void onRole(Cluster.Role role) {
            System.out.println(ROLE + role);
        }

        @Override
        public void onState(MatchingEngine.State state) {
            System.out.println(STATE + BookState.toWords(state));
        }

        @Override
        public void onSnapshot(MatchingEngine.State state) {
            System.out.println(SNAPSHOT + state.orders());
        }
    }
}
