// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.process.Lab;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Run;
import io.verbus.perf.run.RunPair;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/** Measures Verbus and a peer alternately under the same load. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        modelTransformer = Narrowed.OneLength.class,
        description = {
            "Measures Verbus and a peer alternately under the same load, and prints Verbus' results"
                    + " divided by the peer's: latency percentiles for round trips (below 1 is"
                    + " better), rates for streams (above 1 is better).",
            "Aeron runs with the same processes, threads, idle strategies, message lengths,"
                    + " publication types and JVM flags; with --transport rdma, it uses UDP"
                    + " between the same two addresses."
        })
final class CompareCommand implements Callable<Integer> {
    private static final int MAX_REPEATS = 1000;
    private static final int PAIRS = 5;
    private static final int QUICK_PAIRS = 3;
    private static final int SLICES = 20;

    /** Factor by which {@code --quick} reduces the number of messages. */
    private static final int QUICK_DIVISOR = 4;

    /** Measurement to compare. */
    enum Metric {
        /** Round-trip latency. */
        RTT,
        /** Stream throughput. */
        THROUGHPUT,
        /** Both. */
        ALL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec private CommandSpec spec;

    @Mixin private WorkOptions options;

    @Mixin private RoundTripOptions roundTrips;

    @Mixin private StreamOptions stream;

    @Mixin private PeerOptions peers;

    @Option(
            names = "--metric",
            paramLabel = "rtt|throughput|all",
            description = "What to compare (default: everything that the peer supports).")
    private Metric metric = Metric.ALL;

    @Option(
            names = "--stream-messages",
            paramLabel = "N",
            description = {
                "Number of messages to measure per stream (default: as for `verbus perf"
                        + " throughput`); half that number of warm-up messages are sent first."
            })
    private Long streamMessages;

    @Option(
            names = "--quick",
            description = {
                "Measures three pairs of short runs, which takes less than three minutes outside"
                        + " the lab and shows whether a change has slowed the hot path."
            })
    private boolean quick;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = {
                "Number of times to measure Verbus and the peer, each time in new processes"
                        + " (default: 5; with --quick, 3)."
            })
    private Integer pairs;

    @Option(
            names = "--slices",
            paramLabel = "N",
            description = {
                "Number of parts into which each measurement is split; the parts of Verbus and of"
                        + " the peer alternate. With 1, Verbus and the peer each run alone from"
                        + " start to end, and the peer runs first in every second pair (default:"
                        + " 20; in the lab, 1)."
            })
    private Integer slices;

    @Mixin private ReportOptions report;

    @Override
    public Integer call() {
        if (pairs == null) {
            pairs = quick ? QUICK_PAIRS : PAIRS;
        }
        options.check("--pairs", pairs, 1, MAX_REPEATS);
        if (slices == null) {
            slices = Lab.isHere() ? 1 : SLICES;
        }
        options.check("--slices", slices, 1, MAX_REPEATS);
        Map<String, Path> outputs = report.outputs();
        peers.check(options);
        rejectUnused();
        if (options.needLab()) {
            return LabRun.run(arguments(outputs), outputs);
        }
        if (peers.peer().isTwoThreads(options.transport())) {
            options.checkOneProcess("--peer " + peers.peer() + " over IPC is measured in");
            stream.checkOnePublisher(options, "--peer " + peers.peer() + " over IPC supports only");
        }
        if (peers.peer() == Contender.FLOOR && options.transport() == Wire.IPC) {
            roundTrips.checkNoRate(
                    options, "--peer floor over IPC holds only one message at a time");
        }
        return compare();
    }

    /** Rejects the options of a metric that is not measured. */
    private void rejectUnused() {
        String measured =
                metric == Metric.ALL
                        ? "--peer " + peers.peer() + " over " + options.transport()
                        : "--metric " + metric;
        if (!isMeasured(Metric.RTT, Load.Kind.ROUND_TRIPS)) {
            Outputs.rejectUnused(
                    spec, measured + " measures no round trips", RoundTripOptions.NAMES);
        }
        if (!isMeasured(Metric.THROUGHPUT, Load.Kind.STREAM)) {
            Outputs.rejectUnused(spec, measured + " measures no streams", StreamOptions.NAMES);
            Outputs.rejectUnused(
                    spec, measured + " measures no streams", List.of("--stream-messages"));
        }
    }

    private boolean isMeasured(Metric one, Load.Kind load) {
        return (metric == Metric.ALL || metric == one)
                && peers.peer().supports(load, options.transport());
    }

    /**
     * Arguments for the same command in the lab, which does not inherit the environment variables
     * that locate programs.
     */
    private List<String> arguments(Map<String, Path> outputs) {
        Set<String> leftOut = new HashSet<>(outputs.keySet());
        leftOut.add(PeerOptions.PROGRAM_OPTION);
        List<String> arguments = LabArguments.without(Outputs.typed(spec), leftOut);
        arguments.addAll(peers.words());
        return arguments;
    }

    private int compare() {
        Contender peer = peers.peer();
        List<Work> trips = List.of();
        if (isMeasured(Metric.RTT, Load.Kind.ROUND_TRIPS)) {
            options.only(roundTrips.lengths(options));
            trips = roundTrips.works(options, quick ? QUICK_DIVISOR : 1);
        }
        List<Work> streams = List.of();
        if (isMeasured(Metric.THROUGHPUT, Load.Kind.STREAM)) {
            streams = List.of(streamWork());
        }
        if (trips.isEmpty() && streams.isEmpty()) {
            throw new BusException(
                    "--peer " + peer + " does not support --metric " + metric + ": omit --metric");
        }
        report.start();
        for (Work work : trips) {
            compare(
                    "round trips",
                    work,
                    Run::roundTrips,
                    Measurement::plus,
                    Section::addRoundTrips);
        }
        for (Work work : streams) {
            compare("stream", work, Run::stream, Throughput::plus, Section::addStreams);
        }
        return report.finish();
    }

    private Work streamWork() {
        int divisor = quick ? QUICK_DIVISOR : 1;
        return stream.work(options, options.length(), 1, streamMessages, null, divisor);
    }

    private <T> void compare(
            String what,
            Work work,
            RunPair.Measure<T> measure,
            BinaryOperator<T> sum,
            BiConsumer<Section, Map<String, T>> add) {
        String subject = peers.subjectName();
        String peer = peers.peerName();
        Section section =
                report.begin(what, work, Map.of("slices", slices), List.of(subject, peer));
        for (int number = 1; number <= pairs; number++) {
            RunPair<T> pair = measure(work, number, measure, sum);
            Map<String, T> results = new LinkedHashMap<>();
            results.put(subject, pair.first());
            results.put(peer, pair.second());
            add.accept(section, results);
            report.printPair(section);
        }
    }

    private <T> RunPair<T> measure(
            Work work, int number, RunPair.Measure<T> measure, BinaryOperator<T> sum) {
        String what = "pair %d of %d, %s".formatted(number, pairs, "%s");
        Supplier<Run> ours =
                () ->
                        peers.subject(
                                work, Outputs.progress(what.formatted(peers.subjectName()), work));
        Supplier<Run> theirs =
                () -> peers.peer(work, Outputs.progress(what.formatted(peers.peerName()), work));
        if (slices == 1) {
            return RunPair.apart(
                    ours, theirs, number % 2 == 1, work.messages(), measure, this::versions);
        }
        try (Run first = ours.get();
                Run second = theirs.get()) {
            versions(first.version(), second.version());
            return RunPair.measure(first, second, work.messages(), slices, measure, sum);
        }
    }

    private void versions(String subject, String peer) {
        report.version(peers.subjectName(), subject);
        report.version(peers.peerName(), peer);
    }
}
