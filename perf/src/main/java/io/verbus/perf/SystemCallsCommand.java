// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.Figure;
import io.verbus.perf.report.Figures;
import io.verbus.perf.report.Section;
import io.verbus.perf.report.Section.Table;
import io.verbus.perf.run.Contender;
import io.verbus.perf.run.SystemCalls;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Counts the system calls per message, beside Aeron's. */
@Command(
        name = "syscalls",
        mixinStandardHelpOptions = true,
        modelTransformer = Narrowed.OneHost.class,
        description = {
            "Counts the socket system calls of both processes together, per round trip and per"
                    + " streamed message, of Verbus and of Aeron. Counts calls that transfer data"
                    + " and calls that find nothing to do separately. Needs --transport udp, and"
                    + " strace, which slows the processes down and so raises the second count."
        })
final class SystemCallsCommand implements Callable<Integer> {
    private static final long MAX_MESSAGES = 100_000_000;

    @Mixin private WorkOptions options;

    @Mixin private StreamOptions stream;

    @Mixin private ReportOptions report;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "Number of round trips (default: ${DEFAULT-VALUE}).")
    private long messages = 20_000;

    @Option(
            names = "--stream-messages",
            paramLabel = "N",
            description = "Number of messages per stream (default: ${DEFAULT-VALUE}).")
    private long streamMessages = 200_000;

    @Override
    public Integer call() {
        options.checkOneHost("system calls are counted");
        options.check("--messages", messages, 1, MAX_MESSAGES);
        options.check("--stream-messages", streamMessages, 1, MAX_MESSAGES);
        if (options.transport() != Work.Wire.UDP) {
            throw options.wrong("system calls are counted only over UDP: add --transport udp");
        }
        Map<String, List<Work>> works = new LinkedHashMap<>();
        works.put("system calls of round trips", new ArrayList<>());
        works.put("system calls of a stream", new ArrayList<>());
        for (int length : options.lengths()) {
            works.get("system calls of round trips")
                    .add(options.work(length, Load.roundTrips(Load.MAX, 1), messages, 0));
            works.get("system calls of a stream")
                    .add(stream.work(options, length, 1, streamMessages, 0L, 1));
        }
        report.start();
        works.forEach((metric, list) -> list.forEach(work -> count(metric, work)));
        return report.finish();
    }

    private void count(String metric, Work work) {
        List<Contender> contenders = List.of(Contender.VERBUS, Contender.AERON);
        List<String> names = contenders.stream().map(Contender::toString).toList();
        Section section = report.begin(metric, work, Map.of(), names);
        Map<String, Map<Figure, Double>> figures = new LinkedHashMap<>();
        List<List<String>> rows = new ArrayList<>();
        contenders.forEach(
                contender -> {
                    String name = contender.toString();
                    SystemCalls calls = SystemCalls.count(contender, work);
                    double useful = perMessage(calls.useful().values().stream(), work);
                    double idle = perMessage(calls.vain().values().stream(), work);
                    figures.put(name, Figures.ofSystemCalls(useful, idle));
                    calls.useful()
                            .forEach(
                                    (call, count) ->
                                            rows.add(
                                                    List.of(
                                                            name,
                                                            call,
                                                            each(count, work),
                                                            each(calls.vain().get(call), work)
                                                                    + " idle")));
                });
        section.add(figures);
        section.show("by call:", new Table(List.of("contender", "call", "useful", "idle"), rows));
        report.printPair(section);
    }

    private static String each(long count, Work work) {
        return String.format(Locale.ROOT, "%.4f calls/message", (double) count / work.messages());
    }

    private static double perMessage(Stream<Long> counts, Work work) {
        return (double) counts.mapToLong(Long::longValue).sum() / work.messages();
    }
}
