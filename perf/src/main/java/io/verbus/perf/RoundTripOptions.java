// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Load.Polling;
import io.verbus.perf.load.Work;

import picocli.CommandLine.Option;

import java.util.List;

/** Options that say how round trips follow each other. */
final class RoundTripOptions {
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
            description = "Round trips before, unmeasured (default: as many as --messages).")
    private Long warmup;

    @Option(
            names = "--rate",
            paramLabel = "R[,R...]|field|max",
            description = {
                "Messages a second, such as 501000 or 501K, each measured from the time it was due,"
                        + " several of them one for each --length; or field: 501K of 32 bytes, 301K"
                        + " of 288, 101K of 1344, the rates at which Aeron's figures are published;"
                        + " or max (the default): each message is sent when the echo of the one"
                        + " before has arrived."
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

    @Option(
            names = "--polling",
            paramLabel = "controlled|plain",
            description = {
                "How the end that reflects polls: controlled, where an echo that cannot be sent"
                        + " aborts the poll; or plain, where the handler offers the echo until it"
                        + " is sent (default: ${DEFAULT-VALUE})."
            })
    private Polling polling = Polling.CONTROLLED;

    /** Lengths of messages that were asked for, in order. */
    List<Integer> lengths(WorkOptions options) {
        return options.lengths(rates(options).lengths(WorkOptions.DEFAULT_LENGTH));
    }

    /**
     * The round trips that were asked for.
     *
     * @param index of the length of a message, among {@link #lengths}.
     * @param divisor of the number that is measured, if none was asked for.
     */
    Work work(WorkOptions options, int index, int divisor) {
        long asked = messages != null ? messages : defaultMessages(options.transport());
        long count = messages != null ? messages : asked / divisor;
        // Not divided: past the first term, at whose end the JVM compiles the hot path anew.
        long before = warmup != null ? warmup : asked;
        return options.work(lengths(options).get(index), load(options, index), count, before);
    }

    private Load load(WorkOptions options, int index) {
        options.check("--burst", burst, 1, MAX_BURST);
        long messagesPerSecond;
        try {
            messagesPerSecond = rates(options).of(lengths(options), index);
        } catch (IllegalArgumentException ex) {
            throw options.wrong(ex.getMessage());
        }
        if (burst > 1 && messagesPerSecond == Load.MAX) {
            throw options.wrong("--burst needs a --rate, at which the messages are due");
        }
        return Load.roundTrips(messagesPerSecond, burst).with(polling);
    }

    private Rates rates(WorkOptions options) {
        try {
            return Rates.parse(rate);
        } catch (IllegalArgumentException ex) {
            throw options.wrong(ex.getMessage());
        }
    }

    private static long defaultMessages(Work.Wire transport) {
        return switch (transport) {
            case IPC -> IPC_MESSAGES;
            case UDP -> UDP_MESSAGES;
            case RDMA -> RDMA_MESSAGES;
        };
    }
}
