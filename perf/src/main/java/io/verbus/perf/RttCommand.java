// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.report.RttReport;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Runner;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** Measures round trips through two streams. */
@Command(
        name = "rtt",
        mixinStandardHelpOptions = true,
        description = {
            "Measures round trips through two streams.",
            "IPC: one process, two threads, an embedded driver. UDP and RDMA: two processes, each"
                    + " with one thread that also drives its embedded driver; RDMA in the lab where"
                    + " this host has no RDMA device."
        })
final class RttCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private WorkOptions options;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes percentiles and environment as JSON.")
    private Path json;

    @Option(
            names = "--hgrm",
            paramLabel = "FILE",
            description =
                    "Writes the distribution in microseconds, as HdrHistogram's plotter reads it.")
    private Path hgrm;

    @Override
    public Integer call() {
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        Outputs.add(outputs, "--hgrm", hgrm);
        if (options.needLab()) {
            return Lab.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        return measure(options.work());
    }

    private int measure(Work work) {
        Runner.Outcome outcome;
        try (Runner runner =
                new Runner(BusUnderTest.VERBUS, work, Outputs.progress("round trips", work))) {
            runner.warmUp();
            outcome = new Runner.Outcome(runner.version(), runner.measure(work.messages()));
        }
        RttReport report = new RttReport(work, outcome);
        System.out.print(report.table());
        if (json != null) {
            Outputs.write(json, report.json());
        }
        if (hgrm != null) {
            Outputs.write(hgrm, report.hgrm());
        }
        if (outcome.measurement().missedRate()) {
            System.err.println(report.missedRate());
            return 1;
        }
        return 0;
    }
}
