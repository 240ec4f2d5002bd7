// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.BusException;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoLab;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.NetworkOptions;

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

/** Reads the options of {@code verbus demo cluster} and runs it. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = {
            "Sends orders to a cluster of three members, each a process with a driver of Verbus and"
                    + " Aeron's archive, consensus module and service container. The cluster takes"
                    + " a snapshot; then the leader's process is killed. Another member leads, and"
                    + " the one that was killed starts again and catches up.",
            "With --kills the next leader is killed then, and so on; orders come in until the last"
                    + " one is back.",
            "No order may be lost that was acknowledged, and none be applied twice: the order books"
                    + " of all members must be what the orders make of an empty one. Latencies are"
                    + " from the time an order is due to its acknowledgement, without those that"
                    + " were due while there was no leader, or while the orders of that time were"
                    + " sent."
        })
public final class ClusterDemoCommand implements Callable<Integer> {
    private static final int MIN_ORDERS = 1_000;
    private static final int MAX_ORDERS = 10_000_000;
    private static final int MAX_RATE = 100_000;
    private static final int MAX_KILLS = 10_000;
    private static final int ORDERS = 30_000;
    private static final int RATE = 1_000;

    /** What an emulated processor does in minutes. */
    private static final int LAB_ORDERS = 6_000;

    private static final int LAB_RATE = 50;

    @Spec private CommandSpec spec;

    @Mixin private NetworkOptions options;

    @Option(
            names = "--orders",
            paramLabel = "N",
            description =
                    "How many are sent at the least (default: "
                            + ORDERS
                            + "; in the lab "
                            + LAB_ORDERS
                            + ").")
    private Integer orders;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description =
                    "Of the orders, per second (default: "
                            + RATE
                            + "; in the lab "
                            + LAB_RATE
                            + ").")
    private Integer rate;

    @Option(
            names = "--kills",
            paramLabel = "N",
            description =
                    "How often the fault happens; each takes about 20 s (default:"
                            + " ${DEFAULT-VALUE}).")
    private int kills = 1;

    @Option(
            names = "--fault",
            paramLabel = "FAULT",
            description = {
                "What happens (default: ${DEFAULT-VALUE}):",
                "leader: the leader is killed;",
                "driver: its driver alone is, a process of its own here;",
                "follower: a follower is stopped for 15 s;",
                "restart: all members end in good order, and start again;",
                "outage: all members are killed, and start again."
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
        boolean isSlow = DemoLab.isHere();
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
                        + " carries ingress, log, consensus and egress; members at "
                        + String.join(", ", plan.members().hosts())
                        + ", client at "
                        + plan.client());
        try (ClusterDemo demo = new ClusterDemo(network, plan, options.limitNs(), System.err)) {
            return demo.run();
        }
    }
}
