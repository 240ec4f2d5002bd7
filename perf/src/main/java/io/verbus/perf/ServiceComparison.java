// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.report.Comparison;
import io.verbus.perf.report.Json;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Pair;
import io.verbus.perf.run.Runner;
import io.verbus.perf.run.Turns;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Compares an Aeron service on Verbus drivers, over UDP and optionally RDMA, with the same service
 * on Aeron drivers over UDP.
 */
final class ServiceComparison {
    private static final String PEER = "aeron over udp";

    private final List<String> names = new ArrayList<>();
    private final List<Function<String, Contender>> contenders = new ArrayList<>();
    private final List<Comparison> comparisons = new ArrayList<>();
    private final Work work;
    private final int pairs;

    /**
     * @param onVerbus the service on Verbus drivers.
     * @param onAeron the service on Aeron drivers.
     * @param work work to measure, over the selected transport.
     * @param pairs number of times to measure each.
     */
    ServiceComparison(BusUnderTest onVerbus, BusUnderTest onAeron, Work work, int pairs) {
        this.work = work;
        this.pairs = pairs;
        if (work.wire() == Wire.RDMA) {
            add("verbus over rdma", onVerbus, work);
        }
        add("verbus over udp", onVerbus, work.wire() == Wire.RDMA ? work.overUdp() : work);
        add(PEER, onAeron, work.overUdp());
        for (String subject : names.subList(0, names.size() - 1)) {
            comparisons.add(new Comparison(subject, PEER, 1));
        }
    }

    private void add(String name, BusUnderTest bus, Work ofIt) {
        names.add(name);
        contenders.add(what -> new Runner(bus, ofIt, Outputs.progress(what + name, ofIt)));
    }

    /**
     * Measures all contenders alternately, and prints the result of each turn.
     *
     * @param measure measurement to run on a contender.
     * @param figures function that extracts the figures of a result.
     * @return the results of all measurements.
     */
    <T> List<T> run(Pair.Measure<T> measure, Function<T, Map<String, Double>> figures) {
        List<T> all = new ArrayList<>();
        comparisons.forEach(comparison -> System.out.print(comparison.begin(work)));
        for (int number = 0; number < pairs; number++) {
            String what = "pair %d of %d, ".formatted(number + 1, pairs);
            List<Supplier<Contender>> turns = new ArrayList<>();
            contenders.forEach(contender -> turns.add(() -> contender.apply(what)));
            List<String> versions = new ArrayList<>();
            List<T> results =
                    Turns.measure(turns, number % turns.size(), work.messages(), measure, versions);
            Map<String, Double> peer = figures.apply(results.getLast());
            for (int i = 0; i < comparisons.size(); i++) {
                Comparison comparison = comparisons.get(i);
                comparison.versions(versions.get(i), versions.getLast());
                String line = comparison.add(figures.apply(results.get(i)), peer);
                System.out.print(name(comparison) + line);
            }
            all.addAll(results);
        }
        for (Comparison comparison : comparisons) {
            comparison
                    .summary()
                    .lines()
                    .forEach(line -> System.out.println(name(comparison) + line));
        }
        return all;
    }

    /** Returns the prefix of an output line; empty if there is only one comparison. */
    private String name(Comparison comparison) {
        return comparisons.size() == 1 ? "" : comparison.name() + ": ";
    }

    /** Returns all results as JSON. */
    String json() {
        return Json.write(
                Map.of("comparisons", comparisons.stream().map(Comparison::toMap).toList()));
    }
}
