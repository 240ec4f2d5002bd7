// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.BusException;
import io.verbus.driver.tools.VerbusCommand;
import io.verbus.perf.demo.archive.ArchiveDemoCommand;
import io.verbus.perf.demo.cluster.ClusterDemoCommand;
import io.verbus.perf.demo.rails.RailsDemoCommand;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Runs {@code verbus demo}, in the lab if the host has no RDMA device. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        subcommands = {ArchiveDemoCommand.class, ClusterDemoCommand.class, RailsDemoCommand.class},
        description = {
            "Sends market data from a publisher process through two driver processes to a"
                    + " subscriber process, which verifies every message.",
            "At least four fifths of the messages are sent as fast as back pressure allows. The"
                    + " rest are sent at a fixed rate to measure latency, from the time a message"
                    + " is due until the subscriber's handler runs. RDMA uses the host's devices,"
                    + " or those of `verbus lab` if there are none; UDP uses loopback unless"
                    + " addresses are given."
        })
public final class DemoCommand implements VerbusCommand, Callable<Integer> {
    private static final int MAX_MESSAGES = 100_000_000;
    private static final int MAX_RATE = 1_000_000;
    private static final int MAX_TIMEOUT_S = 86_400;

    @Spec private CommandSpec spec;

    @Option(
            names = "--transport",
            paramLabel = "rdma|udp|ipc",
            description = "Transport of the messages (default: ${DEFAULT-VALUE}).")
    private String media = DemoTransport.RDMA.media();

    @Option(
            names = "--client",
            paramLabel = "verbus|aeron",
            description = {
                "Client library of the publisher and the subscriber: that of Verbus, or that of"
                        + " Aeron, unmodified (default: ${DEFAULT-VALUE}). The drivers are always"
                        + " those of Verbus."
            })
    private String clientName = DemoClient.VERBUS.toString();

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "Number of messages (default: ${DEFAULT-VALUE}).")
    private int messages = 200_000;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description =
                    "Messages per second while latency is measured (default: ${DEFAULT-VALUE}).")
    private int rate = 4_000;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Time limit for the whole run (default: ${DEFAULT-VALUE}).")
    private int timeoutS = 300;

    @Option(
            names = "--from",
            paramLabel = "ADDRESS",
            description = "Address of the publisher's RDMA device or UDP socket; needs --to.")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            description =
                    "Address of the subscriber's RDMA device or UDP socket, also on this host;"
                            + " needs --from.")
    private String to;

    private DemoTransport transport;
    private DemoClient client;

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        try {
            DemoRoute route = route();
            if (route == null) {
                return DemoLab.run(timeoutS, List.of(), arguments());
            }
            route = route.of(client);
            System.err.println("demo: " + route.description());
            DemoPlan plan = DemoPlan.of(messages, rate);
            long limitNs = TimeUnit.SECONDS.toNanos(timeoutS);
            DemoResult result;
            try (Demo demo = new Demo(client, route, plan, limitNs, System.err)) {
                result = demo.run();
            }
            System.out.println(result.summary(route.transport(), route.device()));
            return 0;
        } catch (DemoException | BusException e) {
            System.err.println("demo failed: " + e.getMessage());
            return 1;
        }
    }

    private DemoRoute route() throws DemoException {
        if (transport == DemoTransport.IPC) {
            return DemoRoute.ipc();
        }
        DemoNetwork network = DemoNetwork.find(transport, from, to);
        return network == null ? null : DemoRoute.over(network);
    }

    private List<String> arguments() {
        return List.of(
                "demo",
                "--transport=" + transport,
                "--client=" + client,
                "--messages=" + messages,
                "--rate=" + rate,
                "--timeout=" + timeoutS);
    }

    private void checkOptions() {
        transport =
                DemoTransport.parse(media)
                        .orElseThrow(
                                () ->
                                        new ParameterException(
                                                spec.commandLine(),
                                                "--transport takes rdma, udp or ipc, not "
                                                        + media));
        client =
                DemoClient.parse(clientName)
                        .orElseThrow(
                                () ->
                                        new ParameterException(
                                                spec.commandLine(),
                                                "--client takes verbus or aeron, not "
                                                        + clientName));
        check("--messages", messages, 1, MAX_MESSAGES);
        check("--rate", rate, 1, MAX_RATE);
        check("--timeout", timeoutS, 1, MAX_TIMEOUT_S);
        if ((from == null) != (to == null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--from needs --to and vice versa: give both options or neither");
        }
    }

    private void check(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + " takes a number from " + min + " to " + max + ", not " + value);
        }
    }
}
