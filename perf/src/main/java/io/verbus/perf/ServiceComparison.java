// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Run;
import io.verbus.perf.run.RunPair;
import io.verbus.perf.run.Runner;
import io.verbus.perf.run.SequentialRun;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Compares an Aeron service on Verbus drivers, over UDP and optionally RDMA, with the same service
 * on Aeron drivers over UDP.
 */
final class ServiceComparison {
    private final Map<String, Function<String, Run>> contenders = new LinkedHashMap<>();
    private final ReportOptions report;
    private final Work work;
    private final int pairs;

    /**
     * @param onVerbus the service on Verbus drivers.
     * @param onAeron the service on Aeron drivers.
     * @param work work to measure, over the selected transport.
     * @param options options of the command.
     */
    ServiceComparison(Contender onVerbus, Contender onAeron, Work work, ServiceOptions options) {
        this.work = work;
        report = options.report();
        pairs = options.pairs();
        if (work.wire() == Wire.RDMA) {
            add("verbus over rdma", onVerbus, work);
        }
        add("verbus over udp", onVerbus, work.wire() == Wire.RDMA ? work.overUdp() : work);
        add("aeron over udp", onAeron, work.overUdp());
    }

    private void add(String name, Contender contender, Work work) {
        contenders.put(
                name, what -> new Runner(contender, work, Outputs.progress(what + name, work)));
    }

    /**
     * Measures all contenders alternately, and reports the results.
     *
     * @param metric what is measured.
     * @param measure measurement to run on a contender.
     * @param add adds the results of a turn, by contender, to the report.
     * @return exit status.
     */
    <T> int run(
            String metric, RunPair.Measure<T> measure, BiConsumer<Section, Map<String, T>> add) {
        report.start();
        List<String> names = List.copyOf(contenders.keySet());
        Section section = report.begin(metric, work, Map.of(), names);
        for (int number = 0; number < pairs; number++) {
            String what = "pair %d of %d, ".formatted(number + 1, pairs);
            List<Supplier<Run>> runs = new ArrayList<>();
            contenders.values().forEach(contender -> runs.add(() -> contender.apply(what)));
            List<String> versions = new ArrayList<>();
            List<T> results =
                    SequentialRun.measure(
                            runs, number % runs.size(), work.messages(), measure, versions);
            Map<String, T> turn = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                turn.put(names.get(i), results.get(i));
                report.version(names.get(i), versions.get(i));
            }
            add.accept(section, turn);
            report.printPair(section);
        }
        return report.finish();
    }
}
