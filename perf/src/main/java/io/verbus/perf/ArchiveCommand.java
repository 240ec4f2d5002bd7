// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.report.Figure;
import io.verbus.perf.report.Figures;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Run;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** Measures recording and replay by Aeron Archive on Verbus and Aeron drivers. */
@Command(
        name = "archive",
        mixinStandardHelpOptions = true,
        description = {
            "Measures how fast Aeron Archive records a stream from another host and replays it to"
                    + " that host. Prints the Verbus / Aeron ratios of messages per second (above 1"
                    + " is better).",
            "The archive and its driver run in one process, the publisher and the reader in"
                    + " another. The same setup runs on Aeron's Java driver. A recording is"
                    + " complete when the archive reports the final position, and a replay when the"
                    + " last message arrives; every message must arrive once and in order. Nothing"
                    + " is synced to disk."
        })
final class ArchiveCommand implements Callable<Integer> {
    private static final int PROCESSES = 2;
    private static final long UDP_MESSAGES = 1_000_000;
    private static final long RDMA_MESSAGES = 20_000;

    @Spec private CommandSpec spec;

    @Mixin private ServiceOptions options;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description =
                    "Number of messages to record and replay (default: 1000000 on UDP, 20000 on"
                            + " RDMA).")
    private Long messages;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = {
                "Number of warm-up messages, split into 20 recordings (default: half of"
                        + " --messages)."
            })
    private Long warmup;

    @Override
    public Integer call() {
        options.check();
        if (options.needLab()) {
            Map<String, Path> outputs = options.report().outputs();
            return LabRun.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        boolean isRdma = options.transport() == Wire.RDMA;
        long count = messages != null ? messages : isRdma ? RDMA_MESSAGES : UDP_MESSAGES;
        long before = warmup != null ? warmup : count / 2;
        Work work = options.work(PROCESSES, Load.recordings(), count, before);
        return new ServiceComparison(
                        Contender.ARCHIVE_ON_VERBUS, Contender.ARCHIVE_ON_AERON, work, options)
                .run("recordings", Run::recording, ArchiveCommand::add);
    }

    private static void add(Section section, Map<String, Recording> turn) {
        Map<String, Map<Figure, Double>> figures = new LinkedHashMap<>();
        turn.forEach((name, recording) -> figures.put(name, Figures.of(recording)));
        section.add(figures);
    }
}
