// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.verbus.BusException;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.NetworkOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;

/** Runs {@code verbus demo archive}. */
@Command(
        name = "archive",
        mixinStandardHelpOptions = true,
        description = {
            "Records market data from a publisher on one driver with Aeron Archive on the"
                    + " subscriber's driver.",
            "A late subscriber then replays the recording from its start, and merges into the"
                    + " live stream. Every message is verified, in the recording and at the"
                    + " subscriber."
        })
public final class ArchiveDemoCommand implements Callable<Integer> {
    private static final int MAX_MESSAGES = 10_000_000;
    private static final int MAX_RATE = 100_000;

    @Spec private CommandSpec spec;

    @Mixin private NetworkOptions options;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description =
                    "Number of messages to record before the subscriber starts (default:"
                            + " ${DEFAULT-VALUE}).")
    private int messages = 200_000;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description =
                    "Rate of the later messages, in messages per second (default:"
                            + " ${DEFAULT-VALUE}).")
    private int rate = 4_000;

    @Override
    public Integer call() throws InterruptedException {
        options.check(spec);
        NetworkOptions.check(spec, "--messages", messages, 1, MAX_MESSAGES);
        NetworkOptions.check(spec, "--rate", rate, 1, MAX_RATE);
        try {
            DemoNetwork network = options.network();
            if (network == null) {
                return options.runInLab(
                        List.of(),
                        List.of("demo", "archive", "--messages=" + messages, "--rate=" + rate));
            }
            ArchivePlan plan = ArchivePlan.of(network, messages, rate);
            System.err.println(
                    "demo: "
                            + network.transport()
                            + " carries the messages and the archive's control and replay channels"
                            + " from "
                            + network.from()
                            + " to "
                            + network.to());
            String result;
            try (ArchiveDemo demo = new ArchiveDemo(network, plan, options.limitNs(), System.err)) {
                result = demo.run();
            }
            System.out.println(result);
            return 0;
        } catch (DemoException | BusException e) {
            System.err.println("demo failed: " + e.getMessage());
            return 1;
        }
    }
}
