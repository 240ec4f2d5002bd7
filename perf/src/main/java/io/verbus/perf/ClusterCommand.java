// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Wire;
import io.verbus.perf.report.Section;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.Run;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Measures round trips through Aeron Cluster on Verbus and Aeron drivers. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = {
            "Measures round trips through Aeron Cluster: from a client to the leader, through the"
                    + " log until a majority of the three members has the message, through an echo"
                    + " service, and back. Prints the Verbus / Aeron ratios of the latency"
                    + " percentiles (below 1 is better).",
            "Each member is one process with a driver, an archive, a consensus module and a"
                    + " service; the client and its driver are another process. The same setup runs"
                    + " on Aeron's Java driver. Messages are sent on a fixed schedule, and latency"
                    + " is measured from the scheduled time. Nothing is synced to disk."
        })
final class ClusterCommand implements Callable<Integer> {
    private static final int PROCESSES = 4;
    private static final long UDP_MESSAGES = 50_000;
    private static final long RDMA_MESSAGES = 3_000;
    private static final long UDP_RATE = 2_000;
    private static final long RDMA_RATE = 20;

    @Spec private CommandSpec spec;

    @Mixin private ServiceOptions options;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description =
                    "Number of round trips to measure (default: 50000 on UDP, 3000 on" + " RDMA).")
    private Long messages;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Number of warm-up round trips (default: half of --messages).")
    private Long warmup;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description =
                    "Messages per second, such as 2000 or 2K; latency is measured from the time at"
                            + " which a message was due (default: 2000 on UDP, 20 on RDMA).")
    private String rate;

    @Override
    public Integer call() {
        options.check();
        long perSecond = rate();
        if (options.needLab()) {
            Map<String, Path> outputs = options.report().outputs();
            return LabRun.run(LabArguments.without(Outputs.typed(spec), outputs.keySet()), outputs);
        }
        Work work = work(perSecond);
        return new ServiceComparison(
                        Contender.CLUSTER_ON_VERBUS, Contender.CLUSTER_ON_AERON, work, options)
                .run("round trips", Run::roundTrips, Section::addRoundTrips);
    }

    private Work work(long perSecond) {
        boolean isRdma = options.transport() == Wire.RDMA;
        long count = messages != null ? messages : isRdma ? RDMA_MESSAGES : UDP_MESSAGES;
        long before = warmup != null ? warmup : count / 2;
        return options.work(PROCESSES, Load.roundTrips(perSecond, 1), count, before);
    }

    private long rate() {
        if (rate == null) {
            return options.transport() == Wire.RDMA ? RDMA_RATE : UDP_RATE;
        }
        try {
            long perSecond = Rates.parse(rate).of(List.of(0), 0);
            if (perSecond == Load.MAX) {
                throw options.wrong(
                        "--rate takes messages per second, such as 2000 or 2K, not " + rate);
            }
            return perSecond;
        } catch (IllegalArgumentException ex) {
            throw options.wrong(ex.getMessage());
        }
    }
}
