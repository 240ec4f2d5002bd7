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

    @Mixin private RoundTripOptions roundTrips;

    @Option(
            names = "--scale",
            paramLabel = "PERCENT",
            arity = "0..1",
            fallbackValue = "50",
            description = {
                "Fits a --rate to the machine: measures first how many round trips a second it"
                    + " sustains at that length, and lowers the rate to PERCENT of that (default:"
                    + " 50), unless it is below."
            })
    private Integer scale;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes percentiles and environment as JSON; a list of several --length.")
    private Path json;

    @Option(
            names = "--hgrm",
            paramLabel = "FILE",
            description =
                    "Writes the distribution in microseconds, as HdrHistogram's plotter reads it.")
    private Path hgrm;

    @Option(
            names = "--hlog",
            paramLabel = "FILE",
            description = "Writes every sample in HdrHistogram's log format.")
    private Path hlog;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Writes a page that plots the percentiles of each --length.")
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

    /** What was asked for: all of it is looked at before any is measured. */
    private List<Work> works(int count) {
        List<Work> works = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            works.add(roundTrips.work(options, i, 1));
        }
        if (scale != null) {
            options.check("--scale", scale, 1, 100);
            if (works.getFirst().load().rate() == Load.MAX) {
                throw options.wrong("--scale needs a --rate that it lowers, such as field");
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
