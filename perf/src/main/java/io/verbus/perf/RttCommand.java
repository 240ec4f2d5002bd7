// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.HistogramLog;
import io.verbus.perf.report.Outcome;
import io.verbus.perf.report.PercentilePage;
import io.verbus.perf.report.RttReport;
import io.verbus.perf.report.Scaling;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Runner;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Measures round-trip latency over two streams. */
@Command(
        name = "rtt",
        mixinStandardHelpOptions = true,
        description = {
            "Measures round-trip latency over two streams.",
            "IPC: one process, two threads, an embedded driver. UDP and RDMA: two processes,"
                    + " each with one thread that also invokes its embedded driver. RDMA runs in"
                    + " the lab if this host has no RDMA device."
        })
final class RttCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private WorkOptions options;

    @Mixin private RoundTripOptions roundTrips;

    @Option(
            names = "--scale",
            paramLabel = "PERCENT",
            arity = "0..1",
            fallbackValue = "50",
            description = {
                "Adapts --rate to the machine: first measures the sustainable rate of round"
                        + " trips for the message length, then lowers --rate to PERCENT of it"
                        + " (default: 50), unless it is lower already."
            })
    private Integer scale;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description =
                    "File for percentiles and environment, as JSON; a list if --length has"
                            + " several values.")
    private Path json;

    @Option(
            names = "--hgrm",
            paramLabel = "FILE",
            description =
                    "File for the latency distribution in microseconds, in the format of"
                            + " HdrHistogram's plotter.")
    private Path hgrm;

    @Option(
            names = "--hlog",
            paramLabel = "FILE",
            description = "File for all samples, in HdrHistogram's log format.")
    private Path hlog;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "File for an HTML page that plots the percentiles for each --length.")
    private Path html;

    @Override
    public Integer call() {
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        Outputs.add(outputs, "--hgrm", hgrm);
        Outputs.add(outputs, "--hlog", hlog);
        Outputs.add(outputs, "--html", html);
        List<Integer> lengths = roundTrips.lengths(options);
        if (hgrm != null && lengths.size() > 1) {
            throw options.wrong(
                    "--hgrm writes one distribution: give it one --length, not " + lengths);
        }
        if (options.needLab()) {
            return Lab.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        int status = 0;
        List<RttReport> reports = new ArrayList<>();
        List<Work> works = works(lengths.size());
        for (Work work : works) {
            RttReport report = scale == null ? measure(work) : measureScaled(work);
            reports.add(report);
            System.out.print(report.table());
            if (report.outcome().measurement().missedRate()) {
                System.err.println(report.missedRate());
                status = 1;
            }
        }
        write(reports);
        return status;
    }

    /** Validates and returns all work before any is measured. */
    private List<Work> works(int count) {
        List<Work> works = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            works.add(roundTrips.work(options, i, 1));
        }
        if (scale != null) {
            options.check("--scale", scale, 1, 100);
            if (works.getFirst().load().rate() == Load.MAX) {
                throw options.wrong("--scale needs a --rate to lower, such as field");
            }
        }
        return works;
    }

    private RttReport measure(Work work) {
        return new RttReport(work, outcome(work));
    }

    private RttReport measureScaled(Work work) {
        double sustained = outcome(work.atRate(Rates.HIGHEST)).measurement().perSecond();
        Scaling scaling = Scaling.of(work.load().rate(), sustained, scale);
        Work scaled = work.atRate(scaling.rate());
        return new RttReport(scaled, outcome(scaled), Optional.of(scaling));
    }

    private static Outcome outcome(Work work) {
        try (Runner runner =
                new Runner(BusUnderTest.VERBUS, work, Outputs.progress("round trips", work))) {
            runner.warmUp();
            return new Outcome(runner.version(), runner.roundTrips(work.messages()));
        }
    }

    private void write(List<RttReport> reports) {
        if (json != null) {
            Outputs.write(json, RttReport.json(reports));
        }
        if (hgrm != null) {
            Outputs.write(hgrm, reports.getFirst().hgrm());
        }
        if (hlog != null) {
            Map<String, Outcome> series = new LinkedHashMap<>();
            reports.forEach(report -> series.put(report.name(), report.outcome()));
            Outputs.write(hlog, HistogramLog.write(series, System.currentTimeMillis()));
        }
        if (html != null) {
            PercentilePage page = new PercentilePage("Round trips, " + options.transport());
            reports.forEach(
                    report -> page.add(report.name(), report.outcome().measurement().histogram()));
            Outputs.write(html, page.html(reports.getFirst().environment()));
        }
    }
}
