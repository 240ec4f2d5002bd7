// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.BusException;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.NetworkOptions;
import io.verbus.perf.process.Lab;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Runs {@code verbus demo cluster}. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = {
            "Sends orders to a cluster of three members. Each member is a process with a Verbus"
                    + " driver and Aeron's archive, consensus module and service container. The"
                    + " cluster takes a snapshot; then the leader's process is killed. Another"
                    + " member takes over, and the killed member restarts and catches up.",
            "With --kills above 1, the next leader is then killed, and so on; orders are sent until"
                    + " the last killed member is back.",
            "No acknowledged order may be lost, and none may be applied twice: the order books of"
                    + " all members must equal the result of applying the orders to an empty book."
                    + " Latency is measured from the time an order is due until it is acknowledged,"
                    + " except for orders that became due while there was no leader, or while the"
                    + " client was catching up afterwards."
        })
public final class ClusterDemoCommand implements Callable<Integer> {
    private static final int MIN_ORDERS = 1_000;
    private static final int MAX_ORDERS = 10_000_000;
    private static final int MAX_RATE = 100_000;
    private static final int MAX_KILLS = 10_000;
    private static final int ORDERS = 30_000;
    private static final int RATE = 1_000;

    /** Number of orders that an emulated processor handles in minutes. */
    private static final int LAB_ORDERS = 6_000;

    private static final int LAB_RATE = 50;

    @Spec private CommandSpec spec;

    @Mixin private NetworkOptions options;

    @Option(
            names = "--orders",
            paramLabel = "N",
            description =
                    "Minimum number of orders (default: "
                            + ORDERS
                            + "; in the lab "
                            + LAB_ORDERS
                            + ").")
    private Integer orders;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description =
                    "Rate in orders per second (default: "
                            + RATE
                            + "; in the lab "
                            + LAB_RATE
                            + ").")
    private Integer rate;

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "Number of faults; each takes about 20 s (default: ${DEFAULT-VALUE}).")
    private int kills = 1;

    @Option(
            names = "--fault",
            paramLabel = "FAULT",
            description = {
                "Kind of fault (default: ${DEFAULT-VALUE}):",
                "leader: kills the leader;",
                "driver: kills only the leader's driver, which is a separate process in this case;",
                "follower: suspends a follower for 15 s;",
                "restart: shuts down all members cleanly, and restarts them;",
                "outage: kills all members, and restarts them."
            })
    private String fault = ClusterFault.LEADER.toString();

    @Override
    public Integer call() throws InterruptedException {
        options.check(spec);
        NetworkOptions.check(spec, "--kills", kills, 0, MAX_KILLS);
        ClusterFault named =
                ClusterFault.parse(fault)
                        .orElseThrow(
                                () ->
                                        new ParameterException(
                                                spec.commandLine(),
                                                "--fault takes leader, driver, follower, restart or"
                                                        + " outage, not "
                                                        + fault));
        List<String> command =
                new ArrayList<>(List.of("demo", "cluster", "--kills=" + kills, "--fault=" + fault));
        if (orders != null) {
            NetworkOptions.check(spec, "--orders", orders, MIN_ORDERS, MAX_ORDERS);
            command.add("--orders=" + orders);
        }
        if (rate != null) {
            NetworkOptions.check(spec, "--rate", rate, 1, MAX_RATE);
            command.add("--rate=" + rate);
        }
        try {
            DemoNetwork network = options.network();
            if (network == null) {
                return options.runInLab(
                        List.of("--ends", Integer.toString(ClusterPlan.ENDS)), command);
            }
            System.out.println(run(network, named));
            return 0;
        } catch (DemoException | BusException e) {
            System.err.println("demo failed: " + e.getMessage());
            return 1;
        }
    }

    private String run(DemoNetwork network, ClusterFault named)
            throws DemoException, InterruptedException {
        boolean isSlow = Lab.isHere();
        ClusterPlan plan =
                ClusterPlan.of(
                        network,
                        Objects.requireNonNullElse(orders, isSlow ? LAB_ORDERS : ORDERS),
                        Objects.requireNonNullElse(rate, isSlow ? LAB_RATE : RATE),
                        named,
                        kills);
        System.err.println(
                "demo: "
                        + network.transport()
                        + " carries the ingress, log, consensus and egress channels; members at "
                        + String.join(", ", plan.members().hosts())
                        + ", client at "
                        + plan.client());
        try (ClusterDemo demo = new ClusterDemo(network, plan, options.limitNs(), System.err)) {
            return demo.run();
        }
    }
}
