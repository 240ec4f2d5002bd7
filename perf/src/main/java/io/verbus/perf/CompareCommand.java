// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.report.Comparison;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.rtt.Work.Wire;
import io.verbus.perf.run.BusUnderTest;
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
    private static final int MAX_PAIRS = 1000;

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
            description = "How often each is measured (default: ${DEFAULT-VALUE}).")
    private int pairs = 5;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the ratios and the environment as JSON.")
    private Path json;

    @Override
    public Integer call() {
        if (pairs < 1 || pairs > MAX_PAIRS) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--pairs takes a number from 1 to " + MAX_PAIRS + ", not " + pairs);
        }
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        return Outputs.reporting(
                () -> {
                    if (options.needLab()) {
                        return Lab.run(
                                LabArguments.without(Outputs.typed(spec), outputs.keySet()),
                                outputs);
                    }
                    return compare(options.work());
                });
    }

    private int compare(Work work) {
        Work peerWork = work.wire() == Wire.RDMA ? work.on(Wire.UDP) : work;
        Comparison comparison = new Comparison(work, peer.toString());
        boolean missed = false;
        System.out.print(comparison.header());
        for (int pair = 0; pair < pairs; pair++) {
            Runner.Outcome verbus;
            Runner.Outcome other;
            if (pair % 2 == 0) { // each goes first in half of the pairs
                verbus = run(BusUnderTest.VERBUS, work, pair);
                other = run(BusUnderTest.AERON, peerWork, pair);
            } else {
                other = run(BusUnderTest.AERON, peerWork, pair);
                verbus = run(BusUnderTest.VERBUS, work, pair);
            }
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

    private Runner.Outcome run(BusUnderTest bus, Work work, int pair) {
        String what = "pair %d of %d, %s".formatted(pair + 1, pairs, bus);
        return Runner.run(bus, work, Outputs.progress(what, work));
    }
}
