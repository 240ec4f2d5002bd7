// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Threading;

import picocli.CommandLine.Option;

import java.util.List;

/** Options for measuring stream throughput. */
final class StreamOptions {
    /** Names of the options. */
    static final List<String> NAMES = List.of("--publishers", "--batch");

    private static final int MAX_PUBLISHERS = 64;
    private static final int MAX_SUBSCRIBERS = 64;
    private static final int BATCH_BYTES = 64 * 1024;
    private static final int MAX_BATCH = 1_000_000;
    private static final int FRAME_ALIGNMENT = 32;
    private static final long MIN_MESSAGES = 1000;

    @Option(
            names = "--publishers",
            paramLabel = "N",
            description = {
                "Number of sending threads. Several threads share a concurrent publication, and"
                        + " need a --threading other than invoker (default: ${DEFAULT-VALUE})."
            })
    private int publishers = 1;

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = {
                "Number of messages to send between two duty cycles of the driver, if the sending"
                        + " thread invokes the driver (default: as many as fit in 64 KiB of"
                        + " frames)."
            })
    private Integer batch;

    /**
     * Returns the configured work for one stream.
     *
     * @param messages total number of messages from all publishers; null for as many as a stream
     *     transfers in about one second.
     * @param warmup number of messages to send before measuring; null for half the measured number.
     * @param divisor divisor of the default number of messages; ignored if the user gives a number.
     */
    Work work(
            WorkOptions options,
            int length,
            int subscribers,
            Long messages,
            Long warmup,
            int divisor) {
        options.check("--publishers", publishers, 1, MAX_PUBLISHERS);
        options.check("--subscribers", subscribers, 1, MAX_SUBSCRIBERS);
        int frame = (length + Work.HEADER_LENGTH + FRAME_ALIGNMENT - 1) & -FRAME_ALIGNMENT;
        int burst = batch != null ? batch : Math.max(1, BATCH_BYTES / frame);
        options.check("--batch", burst, 1, MAX_BATCH);
        long count = messages != null ? messages : defaultMessages(options, frame) / divisor;
        long each = Math.max(1, count / publishers);
        long before = warmup != null ? warmup / publishers : each / 2;
        Work work = options.work(length, Load.stream(burst, publishers, subscribers), each, before);
        if (publishers > 1 && work.threading() == Threading.INVOKER) {
            throw options.wrong(
                    "--publishers "
                            + publishers
                            + " needs a driver with its own threads: choose --threading shared");
        }
        return work;
    }

    void checkOnePublisher(WorkOptions options, String what) {
        if (publishers != 1) {
            throw options.wrong(what + " one publisher: omit --publishers");
        }
    }

    /** Returns about as many messages as a stream transfers in one second. */
    private static long defaultMessages(WorkOptions options, int frame) {
        return switch (options.transport()) {
            case IPC -> Math.max(MIN_MESSAGES, Math.min(20_000_000L, (2L << 30) / frame));
            case UDP -> Math.max(MIN_MESSAGES, Math.min(2_000_000L, (512L << 20) / frame));
            case RDMA -> Math.max(MIN_MESSAGES, Math.min(200_000L, (128L << 20) / frame));
        };
    }
}
