// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.report.Comparison;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.rtt.Work.Wire;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Pair;
import io.verbus.perf.run.Runner;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;

/** Measures the same round trips on Verbus and on a peer, alternating. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the same round trips on Verbus and on a peer, alternating, and prints the"
                    + " ratios Verbus / peer.",
            "Both have the same processes, threads, idle strategies, lengths, exclusive"
                + " publications and JVM flags. With --transport rdma, Aeron uses UDP between the"
                + " same two addresses."
        })
final class CompareCommand implements Callable<Integer> {
    private static final int MAX_REPEATS = 1000;

    /** What Verbus can be compared with. */
    enum Peer {
        /** Aeron's Java driver and client. */
        AERON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec private CommandSpec spec;

    @Mixin private WorkOptions options;

    @Option(
            names = "--peer",
            paramLabel = "aeron",
            description = "What to compare with (default: ${DEFAULT-VALUE}).")
    private Peer peer = Peer.AERON;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description =
                    "How often both are measured, in new processes (default: ${DEFAULT-VALUE}).")
    private int pairs = 5;

    @Option(
            names = "--slices",
            paramLabel = "N",
            description = {
                "Parts of each measurement, in which the two take turns (default:"
                        + " ${DEFAULT-VALUE})."
            })
    private int slices = 20;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the ratios and the environment as JSON.")
    private Path json;

    @Override
    public Integer call() {
        check("--pairs", pairs);
        check("--slices", slices);
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        if (options.needLab()) {
            return Lab.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        return compare(options.work());
    }

    private int compare(Work work) {
        Work peerWork = work.wire() == Wire.IPC ? work : work.overUdp();
        Comparison comparison = new Comparison(work, peer.toString());
        boolean missed = false;
        System.out.print(comparison.header());
        for (int pair = 0; pair < pairs; pair++) {
            Pair measured = measure(work, peerWork, pair);
            Runner.Outcome verbus = measured.first();
            Runner.Outcome other = measured.second();
            System.out.print(comparison.add(verbus, other));
            missed |= verbus.measurement().missedRate() || other.measurement().missedRate();
        }
        System.out.print(comparison.summary());
        if (json != null) {
            Outputs.write(json, comparison.json());
        }
        if (missed) {
            System.err.println("the rate was missed in at least one run; choose a lower --rate");
            return 1;
        }
        return 0;
    }

    private void check(String option, int value) {
        if (value < 1 || value > MAX_REPEATS) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + " takes a number from 1 to " + MAX_REPEATS + ", not " + value);
        }
    }

    private Pair measure(Work work, Work peerWork, int pair) {
        String what = "pair %d of %d, %s".formatted(pair + 1, pairs, "%s");
        LongConsumer progress = Outputs.progress(what.formatted("verbus"), work);
        LongConsumer peerProgress = Outputs.progress(what.formatted(peer), work);
        try (Runner verbus = new Runner(BusUnderTest.VERBUS, work, progress);
                Runner other = new Runner(BusUnderTest.AERON, peerWork, peerProgress)) {
            return Pair.measure(verbus, other, work, slices);
        }
    }
}
