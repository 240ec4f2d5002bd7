// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Work;
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

/** Measures the maximum throughput of streams. */
@Command(
        name = "throughput",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the maximum throughput of streams: messages and bytes per second, and the"
                    + " processor time and allocation per message.",
            "On IPC, uses one process with an embedded driver and one receiving thread. On UDP and"
                    + " RDMA, uses two processes. RDMA runs in the lab if this host has no RDMA"
                    + " device."
        })
final class ThroughputCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private WorkOptions options;

    @Mixin private StreamOptions stream;

    @Option(
            names = "--subscribers",
            paramLabel = "N",
            split = ",",
            description = {
                "Number of subscriptions that each receive the whole stream; one thread polls them"
                        + " all. Several numbers, separated by commas, are measured in turn"
                        + " (default: 1)."
            })
    private List<Integer> subscribers = List.of(1);

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = {
                "Number of messages to measure (default: 20000000 on IPC, 2000000 on UDP, 200000 on"
                        + " RDMA; fewer if the messages are long)."
            })
    private Long messages;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Number of warm-up messages (default: half of --messages).")
    private Long warmup;

    @Mixin private ReportOptions report;

    @Override
    public Integer call() {
        Map<String, Path> outputs = report.outputs();
        if (options.needLab()) {
            return LabRun.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        List<Work> works = new ArrayList<>();
        for (int length : options.lengths()) {
            for (int count : subscribers) {
                works.add(stream.work(options, length, count, messages, warmup, 1));
            }
        }
        report.start();
        works.forEach(this::measure);
        return report.finish();
    }

    private void measure(Work work) {
        Section section = report.begin("stream", work);
        try (Runner runner =
                new Runner(Contender.VERBUS, work, Outputs.progress("messages", work))) {
            runner.warmUp();
            section.addStreams(Map.of(Contender.VERBUS.toString(), runner.stream(work.messages())));
            report.version(Contender.VERBUS.toString(), runner.version());
        }
        report.printFigures(section);
    }
}
