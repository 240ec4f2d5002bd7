// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.process.JavaProgram;
import io.verbus.perf.report.Figure;
import io.verbus.perf.report.Figures;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.ColdStart;
import io.verbus.perf.run.Contender;
import io.verbus.perf.verbus.VerbusStack;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Measures the start-up and warm-up times of new processes. */
@Command(
        name = "warmup",
        mixinStandardHelpOptions = true,
        modelTransformer = Narrowed.SharedMemory.class,
        description = {
            "Measures new processes of Verbus and of Aeron over shared memory: the time from the"
                    + " start of the process to the first round trip, and the first round trips"
                    + " without warm-up. Measures Verbus in three ways: as the launcher runs it,"
                    + " with the JVM's ahead-of-time cache and early compilation; the same with a"
                    + " warm-up during start; and without any of these."
        })
final class WarmupCommand implements Callable<Integer> {
    private static final int MAX_PAIRS = 1000;
    private static final int MAX_WARM_UP_MS = 10_000;

    @Mixin private WorkOptions options;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description =
                    "Number of first round trips to measure per process (default:"
                            + " ${DEFAULT-VALUE}).")
    private long messages = 10_000;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description =
                    "Number of times to start each kind of process, alternately (default:"
                            + " ${DEFAULT-VALUE}).")
    private int pairs = 5;

    @Option(
            names = "--warm-up",
            paramLabel = "MS",
            description =
                    "Duration in milliseconds of the warm-up during start (default:"
                            + " ${DEFAULT-VALUE}).")
    private int warmUpMs = 30;

    @Mixin private ReportOptions report;

    @Override
    public Integer call() {
        options.check("--pairs", pairs, 1, MAX_PAIRS);
        options.check("--messages", messages, 2, 1_000_000_000);
        options.check("--warm-up", warmUpMs, 1, MAX_WARM_UP_MS);
        options.checkOneHost("warmup is measured");
        if (options.transport() != Work.Wire.IPC) {
            throw options.wrong("warmup is measured over shared memory: omit --transport");
        }
        options.checkOneProcess("warmup starts");
        Work work = options.work(options.length(), Load.roundTrips(Load.MAX, 1), messages, 0);
        List<String> launched = JavaProgram.startFlags();
        if (launched.isEmpty()) {
            System.err.println(
                    "No launcher flags found: measuring Verbus without them only. Start this"
                            + " command with ./verbus, outside the lab; if the JVM could not be"
                            + " trained, see target/training.log.");
        }
        List<String> warmed = new ArrayList<>(launched);
        warmed.add("-D" + VerbusStack.WARM_UP_PROPERTY + "=" + warmUpMs);
        Map<String, Start> starts = new LinkedHashMap<>();
        if (!launched.isEmpty()) {
            starts.put("verbus, warm-up", new Start(Contender.VERBUS, warmed));
            starts.put("verbus, launcher", new Start(Contender.VERBUS, launched));
        }
        starts.put(Contender.VERBUS.toString(), new Start(Contender.VERBUS, List.of()));
        starts.put(Contender.AERON.toString(), new Start(Contender.AERON, List.of()));
        return measure(work, starts);
    }

    /** Process to start: a contender, and additional JVM flags. */
    private record Start(Contender contender, List<String> flags) {}

    private int measure(Work work, Map<String, Start> starts) {
        report.start();
        Section section =
                report.begin("first round trips", work, Map.of(), List.copyOf(starts.keySet()));
        for (int pair = 0; pair < pairs; pair++) {
            Map<String, Map<Figure, Double>> figures = new LinkedHashMap<>();
            starts.forEach(
                    (name, start) -> {
                        ColdStart cold = ColdStart.measure(start.contender(), work, start.flags());
                        report.version(name, cold.version());
                        section.keep(name, cold.measurement());
                        figures.put(name, Figures.of(cold));
                    });
            section.add(figures);
            report.printPair(section);
        }
        return report.finish();
    }
}
