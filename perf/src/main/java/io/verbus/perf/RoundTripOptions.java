// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Load.Polling;
import io.verbus.perf.load.Work;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/** Options for the pacing of round trips. */
final class RoundTripOptions {
    /** Names of the options. */
    static final List<String> NAMES =
            List.of("--messages", "--warmup", "--rate", "--burst", "--polling");

    private static final long IPC_MESSAGES = 1_000_000;
    private static final long UDP_MESSAGES = 200_000;
    private static final long RDMA_MESSAGES = 20_000;
    private static final int MAX_BURST = 1_000_000;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = {
                "Number of round trips to measure (default: 1000000 on IPC, 200000 on UDP, 20000 on"
                        + " RDMA)."
            })
    private Long messages;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description =
                    "Number of warm-up round trips (default: the same number as for"
                            + " --messages).")
    private Long warmup;

    @Option(
            names = "--rate",
            paramLabel = "R[,R...]|field|max",
            description = {
                "Messages per second, such as 501000 or 501K; latency is measured from the time at"
                    + " which a message was due. Several rates, separated by commas: one rate for"
                    + " each --length, or several rates to measure in turn for one --length, which"
                    + " shows latency under load. field: the rates of Aeron's published figures,"
                    + " which are 501K for 32 bytes, 301K for 288 and 101K for 1344. max (the"
                    + " default): sends each message when the previous echo arrives."
            })
    private String rate = "max";

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = {
                "Number of messages due at the same time; needs a --rate (default:"
                        + " ${DEFAULT-VALUE})."
            })
    private int burst = 1;

    @Option(
            names = "--polling",
            paramLabel = "controlled|plain",
            description = {
                "How the reflecting end polls. controlled: aborts the poll when an echo cannot"
                        + " be sent. plain: the handler retries the offer until the echo is sent"
                        + " (default: ${DEFAULT-VALUE})."
            })
    private Polling polling = Polling.CONTROLLED;

    /** Returns the message lengths to measure, in order. */
    List<Integer> lengths(WorkOptions options) {
        return options.lengths(rates(options).lengths(WorkOptions.DEFAULT_LENGTH));
    }

    /**
     * Returns the configured works: one for each message length, or for each rate of one length.
     *
     * @param divisor divisor of the default number of messages; ignored if the user gives a number.
     */
    List<Work> works(WorkOptions options, int divisor) {
        List<Work> works = new ArrayList<>();
        int count = rates(options).count(lengths(options));
        for (int i = 0; i < count; i++) {
            works.add(work(options, i, divisor));
        }
        return works;
    }

    private Work work(WorkOptions options, int index, int divisor) {
        long asked = messages != null ? messages : defaultMessages(options.transport());
        long count = messages != null ? messages : asked / divisor;
        // The warm-up is not divided: it must pass the end of the first term, where the JVM
        // recompiles the hot path.
        long before = warmup != null ? warmup : asked;
        List<Integer> lengths = lengths(options);
        int length = lengths.size() == 1 ? lengths.getFirst() : lengths.get(index);
        return options.work(length, load(options, index), count, before);
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
            throw options.wrong("--burst needs a --rate: add one, such as --rate 100K");
        }
        return Load.roundTrips(messagesPerSecond, burst).with(polling);
    }

    /**
     * Rejects a rate.
     *
     * @param what start of the error message.
     */
    void checkNoRate(WorkOptions options, String what) {
        if (!rate.equals("max")) {
            throw options.wrong(what + ": omit --rate");
        }
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
