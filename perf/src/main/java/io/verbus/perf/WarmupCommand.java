// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.WarmupReport;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.ColdStart;
import io.verbus.perf.verbus.VerbusStack;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Measures new processes: how soon they exchange messages, and how fast at first. */
@Command(
        name = "warmup",
        mixinStandardHelpOptions = true,
        description = {
            "Measures new processes over shared memory: the time from start to the first round"
                + " trip, and the first round trips without warm-up, beside Aeron's. Verbus runs as"
                + " the launcher runs it, with the JVM's ahead-of-time cache and what is compiled"
                + " early; so, and with a warm-up while it starts; and without all that."
        })
final class WarmupCommand implements Callable<Integer> {
    private static final int MAX_PAIRS = 1000;
    private static final int MAX_WARM_UP_MS = 10_000;

    @Mixin private WorkOptions options;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "First round trips of each process (default: ${DEFAULT-VALUE}).")
    private long messages = 10_000;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "How often each is started, in turns (default: ${DEFAULT-VALUE}).")
    private int pairs = 5;

    @Option(
            names = "--warm-up",
            paramLabel = "MS",
            description =
                    "Milliseconds for which a process that warms up does so (default:"
                            + " ${DEFAULT-VALUE}).")
    private int warmUpMs = 30;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the figures and the environment as JSON.")
    private Path json;

    @Override
    public Integer call() {
        options.check("--pairs", pairs, 1, MAX_PAIRS);
        options.check("--messages", messages, 2, 1_000_000_000);
        options.check("--warm-up", warmUpMs, 1, MAX_WARM_UP_MS);
        if (options.transport() != Work.Wire.IPC) {
            throw options.wrong("warmup is measured over shared memory: leave --transport out");
        }
        options.checkOneProcess("warmup starts");
        Work work = options.work(options.length(), Load.roundTrips(Load.MAX, 1), messages, 0);
        List<String> launched = ColdStart.startFlags();
        if (launched.isEmpty()) {
            System.err.println(
                    "This command runs without the launcher's flags, so that it is measured without"
                            + " alone: start it with ./verbus, outside the lab, and if the JVM"
                            + " could not be trained, see target/training.log.");
        }
        WarmupReport report = new WarmupReport(work);
        System.out.print(report.header());
        for (int pair = 0; pair < pairs; pair++) {
            if (!launched.isEmpty()) {
                List<String> warmed = new ArrayList<>(launched);
                warmed.add("-D" + VerbusStack.WARM_UP_PROPERTY + "=" + warmUpMs);
                show(report, "verbus, warm-up", BusUnderTest.VERBUS, warmed);
                show(report, "verbus, launcher", BusUnderTest.VERBUS, launched);
            }
            show(report, "verbus", BusUnderTest.VERBUS, List.of());
            show(report, WarmupReport.PEER, BusUnderTest.AERON, List.of());
        }
        System.out.print(report.summary());
        if (json != null) {
            Outputs.write(json, report.json());
        }
        return 0;
    }

    private static void show(
            WarmupReport report, String name, BusUnderTest bus, List<String> flags) {
        System.out.print(report.add(name, ColdStart.measure(bus, report.work(), flags)));
    }
}
