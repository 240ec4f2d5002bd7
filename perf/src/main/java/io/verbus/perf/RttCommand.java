// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.driver.tools.OutputFiles;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.HistogramLog;
import io.verbus.perf.report.Scaling;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Runner;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Measures round-trip latency over two streams. */
@Command(
        name = "rtt",
        mixinStandardHelpOptions = true,
        description = {
            "Measures round-trip latency over two streams.",
            "On IPC, uses one process with two threads and an embedded driver. On UDP and RDMA,"
                    + " uses two processes, each with one thread that also invokes its embedded"
                    + " driver. RDMA runs in the lab if this host has no RDMA device."
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
                "Adapts --rate to the machine: first measures the sustainable rate of round trips"
                        + " for the message length, then lowers --rate to PERCENT of that rate"
                        + " (default: 50), unless --rate is already lower."
            })
    private Integer scale;

    @Mixin private ReportOptions report;

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
            description =
                    "File for all samples in nanoseconds, in HdrHistogram's log format; the column"
                            + " Interval_Max is in microseconds.")
    private Path hlog;

    private final List<HistogramLog.Series> measured = new ArrayList<>();

    @Override
    public Integer call() {
        Map<String, Path> outputs = report.outputs();
        Outputs.add(outputs, "--hgrm", hgrm);
        Outputs.add(outputs, "--hlog", hlog);
        OutputFiles.check(outputs);
        if (hgrm != null && roundTrips.lengths(options).size() > 1) {
            throw options.wrong(
                    "--hgrm writes one distribution: give it one --length, not "
                            + roundTrips.lengths(options));
        }
        if (options.needLab()) {
            return LabRun.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        List<Work> works = works();
        report.start();
        works.forEach(this::measure);
        if (hgrm != null) {
            OutputFiles.write(hgrm, HistogramLog.distribution(measured.getFirst().measurement()));
        }
        if (hlog != null) {
            OutputFiles.write(hlog, HistogramLog.write(measured));
        }
        return report.finish();
    }

    /** Validates and returns all work before any is measured. */
    private List<Work> works() {
        List<Work> works = roundTrips.works(options, 1);
        if (hgrm != null && works.size() > 1) {
            throw options.wrong(
                    "--hgrm writes one distribution: give it one --rate, not " + works.size());
        }
        if (scale != null) {
            options.check("--scale", scale, 1, 100);
            if (works.getFirst().load().rate() == Load.MAX) {
                throw options.wrong(
                        "--scale needs a --rate to lower: add one, such as --rate" + " field");
            }
        }
        return works;
    }

    private void measure(Work work) {
        if (scale == null) {
            add(work, report.begin("round trips", work));
            return;
        }
        double sustained = roundTrips("", work.atRate(Rates.HIGHEST)).measurement().perSecond();
        Scaling scaling = Scaling.of(work.load().rate(), sustained, scale);
        Work scaled = work.atRate(scaling.rate());
        Section section = report.begin("round trips", scaled);
        section.scaled(scaling);
        add(scaled, section);
    }

    private void add(Work work, Section section) {
        HistogramLog.Series series = roundTrips(section.name(), work);
        section.addRoundTrips(Map.of(Contender.VERBUS.toString(), series.measurement()));
        measured.add(series);
        report.printFigures(section);
    }

    private HistogramLog.Series roundTrips(String name, Work work) {
        try (Runner runner =
                new Runner(Contender.VERBUS, work, Outputs.progress("round trips", work))) {
            runner.warmUp();
            report.version(Contender.VERBUS.toString(), runner.version());
            long startMs = System.currentTimeMillis();
            return new HistogramLog.Series(name, startMs, runner.roundTrips(work.messages()));
        }
    }
}
