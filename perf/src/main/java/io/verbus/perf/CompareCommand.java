// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.Comparison;
import io.verbus.perf.report.Environment;
import io.verbus.perf.report.Figures;
import io.verbus.perf.report.PercentilePage;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Pair;

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
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/** Measures Verbus and a peer alternately under the same load. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Measures Verbus and a peer alternately under the same load, and prints the ratios"
                    + " Verbus / peer: of the percentiles for round trips (below 1 is better),"
                    + " of the rates for streams (above 1 is better).",
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
                "Messages to measure per stream (default: as for throughput); half as many"
                        + " warm-up messages come first."
            })
    private Long streamMessages;

    @Option(
            names = "--quick",
            description = {
                "Runs three pairs of short runs, in less than three minutes outside the lab:"
                        + " enough to see whether a change has slowed the hot path."
            })
    private boolean quick;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = {
                "Number of times to measure both, in new processes (default: 5; with --quick, 3)."
            })
    private Integer pairs;

    @Option(
            names = "--slices",
            paramLabel = "N",
            description = {
                "Parts of each measurement, alternating between the two. With 1, each runs alone"
                        + " from start to end, and the peer goes first in every second pair"
                        + " (default: 20; in the lab, 1)."
            })
    private Integer slices;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "File for the ratios and the environment, as JSON.")
    private Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "File for an HTML page that plots the percentiles of both over all" + " pairs.")
    private Path html;

    private Measurement allOurs;
    private Measurement allTheirs;

    @Override
    public Integer call() {
        if (pairs == null) {
            pairs = quick ? QUICK_PAIRS : PAIRS;
        }
        options.check("--pairs", pairs, 1, MAX_REPEATS);
        if (slices == null) {
            slices = Environment.isLab() ? 1 : SLICES;
        }
        options.check("--slices", slices, 1, MAX_REPEATS);
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        Outputs.add(outputs, "--html", html);
        peers.check(options);
        if (options.needLab()) {
            return Lab.run(arguments(outputs), outputs);
        }
        if (peers.peer().isTwoThreads(options.transport())) {
            options.checkOneProcess("--peer " + peers.peer() + " over IPC is measured in");
            stream.checkOnePublisher(options, "--peer " + peers.peer() + " over IPC supports only");
        }
        return compare();
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
        Peer peer = peers.peer();
        Comparison comparison = new Comparison(peers.subjectName(), peer.toString(), slices);
        boolean missed = false;
        if (metric != Metric.THROUGHPUT && peer.hasRoundTrips()) {
            missed = compareRoundTrips(comparison);
        }
        if (metric != Metric.RTT && peer.hasStreams(options.transport())) {
            compareStreams(comparison);
        }
        if (comparison.isEmpty()) {
            throw new BusException("--peer " + peer + " does not support --metric " + metric);
        }
        System.out.print(comparison.summary());
        if (json != null) {
            Outputs.write(json, comparison.json());
        }
        if (html != null && allOurs != null) {
            PercentilePage page =
                    new PercentilePage("Round trips, " + options.transport() + ", all pairs");
            page.add(peers.subjectName(), allOurs.histogram());
            page.add(peer.toString(), allTheirs.histogram());
            Outputs.write(html, page.html(comparison.environment()));
        }
        if (missed) {
            System.err.println("the rate was missed in at least one run; choose a lower --rate");
            return 1;
        }
        return 0;
    }

    private boolean compareRoundTrips(Comparison comparison) {
        options.only(roundTrips.lengths(options));
        Work work = roundTrips.work(options, 0, quick ? QUICK_DIVISOR : 1);
        boolean missed = false;
        System.out.print(comparison.begin(work));
        for (int number = 1; number <= pairs; number++) {
            Pair<Measurement> pair =
                    measure(work, number, comparison, Contender::roundTrips, Measurement::plus);
            System.out.print(comparison.add(Figures.of(pair.first()), Figures.of(pair.second())));
            allOurs = number == 1 ? pair.first() : allOurs.plus(pair.first());
            allTheirs = number == 1 ? pair.second() : allTheirs.plus(pair.second());
            missed |= pair.first().missedRate() || pair.second().missedRate();
        }
        return missed;
    }

    private void compareStreams(Comparison comparison) {
        Work work =
                stream.work(
                        options,
                        options.length(),
                        1,
                        streamMessages,
                        null,
                        quick ? QUICK_DIVISOR : 1);
        System.out.print(comparison.begin(work));
        for (int number = 1; number <= pairs; number++) {
            Pair<Throughput> pair =
                    measure(work, number, comparison, Contender::stream, Throughput::plus);
            System.out.print(comparison.add(Figures.of(pair.first()), Figures.of(pair.second())));
        }
    }

    private <T> Pair<T> measure(
            Work work,
            int number,
            Comparison comparison,
            Pair.Measure<T> measure,
            BinaryOperator<T> sum) {
        String what = "pair %d of %d, %s".formatted(number, pairs, "%s");
        Supplier<Contender> ours =
                () ->
                        peers.subject(
                                work, Outputs.progress(what.formatted(peers.subjectName()), work));
        Supplier<Contender> theirs =
                () -> peers.peer(work, Outputs.progress(what.formatted(peers.peer()), work));
        if (slices == 1) {
            return Pair.apart(
                    ours, theirs, number % 2 == 1, work.messages(), measure, comparison::versions);
        }
        try (Contender first = ours.get();
                Contender second = theirs.get()) {
            comparison.versions(first.version(), second.version());
            return Pair.measure(first, second, work.messages(), slices, measure, sum);
        }
    }
}
