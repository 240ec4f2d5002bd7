// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.run.BusUnderTest;
import io.verbus.perf.run.SystemCalls;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Counts the system calls per message, beside Aeron's. */
@Command(
        name = "syscalls",
        mixinStandardHelpOptions = true,
        description = {
            "Counts the socket system calls per round trip and per streamed message with"
                    + " --transport udp, of both processes together, beside Aeron's: separately"
                    + " those that transfer data, and those that find nothing to do. Needs"
                    + " strace, which slows down everything and thereby raises the second count."
        })
final class SystemCallsCommand implements Callable<Integer> {
    private static final long MAX_MESSAGES = 100_000_000;

    @Mixin private WorkOptions options;

    @Mixin private StreamOptions stream;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "Round trips (default: ${DEFAULT-VALUE}).")
    private long messages = 20_000;

    @Option(
            names = "--stream-messages",
            paramLabel = "N",
            description = "Messages per stream (default: ${DEFAULT-VALUE}).")
    private long streamMessages = 200_000;

    @Override
    public Integer call() {
        options.checkOneHost("system calls are counted");
        options.check("--messages", messages, 1, MAX_MESSAGES);
        options.check("--stream-messages", streamMessages, 1, MAX_MESSAGES);
        if (options.transport() != Work.Wire.UDP) {
            throw options.wrong("system calls are counted only over UDP: add --transport udp");
        }
        for (int length : options.lengths()) {
            count("a round trip", options.work(length, Load.roundTrips(Load.MAX, 1), messages, 0));
            count("streamed", stream.work(options, length, 1, streamMessages, 0L, 1));
        }
        return 0;
    }

    private static void count(String what, Work work) {
        for (BusUnderTest bus : List.of(BusUnderTest.VERBUS, BusUnderTest.AERON)) {
            SystemCalls calls = SystemCalls.count(bus, work);
            System.out.printf(
                    Locale.ROOT,
                    "%s, %d bytes, %s: %.4f, and idle %.1f%n",
                    bus.name().toLowerCase(Locale.ROOT),
                    work.length(),
                    what,
                    perMessage(calls.useful().values().stream(), work),
                    perMessage(calls.vain().values().stream(), work));
            calls.useful()
                    .forEach(
                            (name, count) ->
                                    System.out.printf(
                                            Locale.ROOT,
                                            "    %-12s %10.4f %10.1f%n",
                                            name,
                                            (double) count / work.messages(),
                                            (double) calls.vain().get(name) / work.messages()));
        }
    }

    private static double perMessage(Stream<Long> counts, Work work) {
        return (double) counts.mapToLong(Long::longValue).sum() / work.messages();
    }
}
