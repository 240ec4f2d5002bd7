// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.aeron.cluster.service.Cluster;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.Idling;
import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.process.Lab;
import io.verbus.perf.process.ParentLink;
import io.verbus.samples.cluster.ClusterMembers;
import io.verbus.samples.cluster.ClusterNode;
import io.verbus.samples.cluster.MatchingEngine;
import io.verbus.samples.cluster.OrderMatchingService;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Member process: prints the member's role, the state of its book every second, and each snapshot
 * that it has taken. Takes a snapshot when its parent requests one.
 */
final class NodeProcess {
    /** Prefix of a line with a role. */
    static final String ROLE = "role ";

    /** Prefix of a line with the words of a {@link BookState}. */
    static final String STATE = "state ";

    /** Prefix of a line with the number of orders in a snapshot. */
    static final String SNAPSHOT = "snapshot ";

    /** Argument: the member's driver is embedded in its process. */
    static final String EMBEDDED = "embedded";

    /** Argument: the member's driver is a separate process. */
    static final String OWN_DRIVER = "own-driver";

    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String PEER_LIMIT = "30s";
    private static final int FIRST_OPTION = 7;

    private NodeProcess() {}

    /**
     * @param args member id, hosts and first port of all members, leader time-out in nanoseconds,
     *     driver directory, directory for files, location of the driver, and transport options as
     *     {@code NAME=VALUE}.
     */
    static void run(String[] args) throws InterruptedException {
        AeronPatience.set();
        ParentLink parent = ParentLink.open();
        ClusterNode node = launch(args);
        Runtime.getRuntime().addShutdownHook(new Thread(node::close, "node-close"));
        while (true) { // the member ends with this process's input
            if (parent.awaitGo(1, TimeUnit.HOURS) && !node.takeSnapshot()) {
                System.err.println("took no snapshot, because this member is not the leader");
            }
        }
    }

    private static ClusterNode launch(String[] args) {
        ClusterMembers members =
                new ClusterMembers(List.of(args[1].split(",")), Integer.parseInt(args[2]));
        int id = Integer.parseInt(args[0]);
        Path directory = Path.of(args[4]);
        Path folder = Path.of(args[5]);
        long leaderTimeoutNs = Long.parseLong(args[3]);
        if (args[6].equals(OWN_DRIVER)) {
            AeronPatience.noticeDeadDrivers();
            return new ClusterNode(directory, members, id, folder, leaderTimeoutNs, new Teller());
        }
        DriverConfigBuilder driver =
                ClusterNode.driver(directory)
                        .clientLivenessTimeoutNs(PATIENCE_NS)
                        .unblockTimeoutNs(2 * PATIENCE_NS)
                        .transportOption("rdma.connect-timeout", PEER_LIMIT)
                        .transportOption("rdma.probe-timeout", PEER_LIMIT);
        if (Lab.isHere()) {
            driver.idling(Idling.SLEEP);
        }
        for (int i = FIRST_OPTION; i < args.length; i++) {
            String[] option = args[i].split("=", 2);
            driver.transportOption(option[0], option[1]);
        }
        return new ClusterNode(driver.build(), members, id, folder, leaderTimeoutNs, new Teller());
    }

    /** Prints each line immediately, because another thread may end the process. */
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

        /** Exits on another thread, because closing the member waits for the calling thread. */
        @Override
        public void onEnd(String part) {
            System.err.println("the " + part + " part has ended: this process ends");
            Thread.ofPlatform().name("end").start(() -> System.exit(1));
        }
    }
}
