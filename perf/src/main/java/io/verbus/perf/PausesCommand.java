// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.Figure;
import io.verbus.perf.report.Figures;
import io.verbus.perf.report.PauseReport;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Runner;
import io.verbus.perf.verbus.ComingAndGoing;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** Runs at a fixed rate for minutes, and attributes latency outliers to the JVM's pauses. */
@Command(
        name = "pauses",
        mixinStandardHelpOptions = true,
        modelTransformer = Narrowed.SharedMemory.class,
        description = {
            "Runs round trips over shared memory at a fixed rate for minutes with the JVM's"
                    + " safepoint and GC logs on, and reports for each stall whether it overlaps"
                    + " a JVM pause.",
            "A stall is a chain of overlapping round trips that each take longer than --outlier. It"
                    + " lasts from the time at which the first message was due until the last echo"
                    + " arrives, so it can be longer than the longest round trip. A stall that"
                    + " overlaps no JVM pause has another cause: the kernel or hypervisor did not"
                    + " run a thread, or the machine cannot sustain the --rate."
        })
final class PausesCommand implements Callable<Integer> {
    private static final int MAX_MINUTES = 24 * 60;
    private static final int SECONDS = 60;
    private static final int MS_PER_SECOND = 1000;
    private static final int MAX_RATE = 10_000_000;

    /** Options that are used with the last of them. */
    private static final Set<String> COMING_AND_GOING = Set.of("--minutes", "--coming-and-going");

    @Spec private CommandSpec spec;

    @Mixin private WorkOptions options;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Duration in minutes (default: ${DEFAULT-VALUE}).")
    private double minutes = 10;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Messages per second (default: ${DEFAULT-VALUE}).")
    private long rate = 100_000;

    @Option(
            names = "--outlier",
            paramLabel = "US",
            description =
                    "Round trips longer than this many microseconds are outliers (default:"
                            + " ${DEFAULT-VALUE}).")
    private long outlierUs = 200;

    @Option(
            names = "--coming-and-going",
            paramLabel = "BYTES",
            description = {
                "Repeatedly adds and closes streams with terms of this many bytes, such as"
                        + " 1073741824, instead of measuring round trips, and reports how long"
                        + " another client waits. Needs twelve times that much memory in /dev/shm."
            })
    private int comingAndGoing;

    @Mixin private ReportOptions report;

    @Override
    public Integer call() {
        options.checkOneHost("pauses are measured");
        options.check("--rate", rate, 1, MAX_RATE);
        options.check("--outlier", outlierUs, 1, 1_000_000_000);
        if (!(minutes > 0) || minutes > MAX_MINUTES) {
            throw options.wrong(
                    "--minutes takes a number above 0 and up to "
                            + MAX_MINUTES
                            + ", not "
                            + minutes);
        }
        if (comingAndGoing != 0) {
            Outputs.rejectUnused(
                    spec,
                    "--coming-and-going measures no round trips",
                    spec.options().stream()
                            .map(OptionSpec::longestName)
                            .filter(name -> !COMING_AND_GOING.contains(name))
                            .toList());
            return measureComingAndGoing();
        }
        if (options.transport() != Work.Wire.IPC) {
            throw options.wrong("pauses are measured over shared memory: omit --transport");
        }
        options.checkOneProcess("pauses are measured in");
        long messages = Math.max(1, Math.round(minutes * SECONDS * rate));
        Work work = options.work(options.length(), Load.roundTrips(rate, 1), messages, rate);
        try {
            Path log = Files.createTempFile("verbus-perf-", ".log");
            try {
                return measure(work, log);
            } finally {
                Files.delete(log);
            }
        } catch (IOException ex) {
            throw new BusException("cannot create a file for the JVM's log: " + ex, ex);
        }
    }

    private int measureComingAndGoing() {
        LogLayout.checkTermLength(comingAndGoing);
        ComingAndGoing streams = new ComingAndGoing(comingAndGoing);
        streams.run(Duration.ofMillis(Math.round(minutes * SECONDS * MS_PER_SECOND)));
        System.out.print(streams.table());
        return 0;
    }

    private int measure(Work work, Path log) throws IOException {
        List<String> flags =
                List.of(
                        "-Dverbus.perf.outlierUs=" + outlierUs,
                        "-Xlog:safepoint,gc:file=" + log + ":timenanos:filecount=0");
        report.start();
        Section section = report.begin("round trips", work);
        try (Runner runner =
                new Runner(Contender.VERBUS, work, Outputs.progress("round trips", work), flags)) {
            runner.warmUp();
            runner.takeStalls(); // discards those of the warm-up
            Measurement measurement = runner.roundTrips(work.messages());
            PauseReport pauses =
                    new PauseReport(
                            runner.takeStalls(),
                            Files.readAllLines(log),
                            Instant.now(),
                            System.nanoTime());
            Map<Figure, Double> figures = new LinkedHashMap<>(Figures.of(measurement));
            figures.putAll(pauses.figures());
            section.keep(Contender.VERBUS.toString(), measurement);
            section.add(Map.of(Contender.VERBUS.toString(), figures));
            pauses.addTo(section);
            report.version(Contender.VERBUS.toString(), runner.version());
        }
        report.printFigures(section);
        return report.finish();
    }
}
