// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;

import picocli.CommandLine.Option;

/** Options that say how round trips follow each other. */
final class RoundTripOptions {
    private static final long MAX_RATE = 100_000_000;
    private static final long IPC_MESSAGES = 1_000_000;
    private static final long UDP_MESSAGES = 200_000;
    private static final long RDMA_MESSAGES = 20_000;
    private static final int MAX_BURST = 1_000_000;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = {
                "Round trips measured (default: 1000000 on IPC, 200000 on UDP, 20000 on RDMA)."
            })
    private Long messages;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Round trips before, unmeasured (default: half of --messages).")
    private Long warmup;

    @Option(
            names = "--rate",
            paramLabel = "R|max",
            description = {
                "Messages a second, each measured from the time it was due; or max (the default):"
                        + " each is sent when the echo of the one before has arrived."
            })
    private String rate = "max";

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = {
                "Messages that are due at the same time, where there is a --rate (default:"
                        + " ${DEFAULT-VALUE})."
            })
    private int burst = 1;

    /**
     * The round trips that were asked for.
     *
     * @param length of a message.
     * @param divisor of their number, if none was asked for.
     */
    Work work(WorkOptions options, int length, int divisor) {
        long count = messages != null ? messages : defaultMessages(options.transport()) / divisor;
        long before = warmup != null ? warmup : count / 2;
        return options.work(length, load(options), count, before);
    }

    private Load load(WorkOptions options) {
        options.check("--burst", burst, 1, MAX_BURST);
        long parsed = parseRate(options);
        if (burst > 1 && parsed == Load.MAX) {
            throw options.wrong("--burst needs a --rate, at which the messages are due");
        }
        return Load.roundTrips(parsed, burst);
    }

    private static long defaultMessages(Work.Wire transport) {
        return switch (transport) {
            case IPC -> IPC_MESSAGES;
            case UDP -> UDP_MESSAGES;
            case RDMA -> RDMA_MESSAGES;
        };
    }

    private long parseRate(WorkOptions options) {
        if (rate.equals("max")) {
            return Load.MAX;
        }
        try {
            long number = Long.parseLong(rate);
            options.check("--rate", number, 1, MAX_RATE);
            return number;
        } catch (NumberFormatException ex) {
            throw options.wrong("--rate takes messages a second or max, not '" + rate + "'");
        }
    }
}
