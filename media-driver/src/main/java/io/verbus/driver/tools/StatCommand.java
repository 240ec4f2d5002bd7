// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.driver.metrics.ReadCounters;

import org.agrona.SystemUtil;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.Console;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** {@code verbus stat}: shows the activity of a driver, live or once. */
@Command(
        name = "stat",
        description = {
            "Shows what a running driver does: its streams, a line each with who holds it back, and"
                    + " its counters, with what they gain in a second.",
            "On a terminal it goes on until it is interrupted. Elsewhere, and with --once or"
                    + " --json, it prints the counters once, or the streams with --streams."
        },
        mixinStandardHelpOptions = true)
final class StatCommand implements Callable<Integer> {
    private static final long MIN_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MAX_INTERVAL_NS = TimeUnit.HOURS.toNanos(1);
    private static final int DEFAULT_HEIGHT = 40;

    /** Moves to the top left corner, and clears all below (ECMA-48 CUP and ED). */
    private static final String CLEAR = "\u001b[H\u001b[J";

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--json", description = "once, as JSON: a list with an object for each line")
    private boolean isJson;

    @Option(names = "--once", description = "once, also on a terminal")
    private boolean isOnce;

    @Option(names = "--live", description = "goes on, also where the output is no terminal")
    private boolean isLive;

    @Option(names = "--streams", description = "the streams and no counters")
    private boolean isOfStreams;

    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            description =
                    "${COMPLETION-CANDIDATES}: counters by id, streams by stream id unless set;"
                            + " live, counters by rate")
    private StatOrder order;

    @Option(
            names = "--filter",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "only what contains this text in metric, label or channel")
    private String filter;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "time between two looks, such as 500ms [1s]")
    private String interval;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "ends after so many looks; 0 goes on")
    private int count;

    @Override
    public Integer call() throws InterruptedException {
        if ((isOnce || isJson) && isLive) {
            throw misused("--live goes neither with --once nor with --json");
        }
        if (count < 0) {
            throw misused("--count is " + count + ": it must be 0 or more");
        }
        long intervalNs = intervalNs();
        PrintWriter out = spec.commandLine().getOut();
        try (CncFile cnc = directory.map()) {
            directory.checkRunning(cnc);
            if (isLive || !isOnce && !isJson && isTerminal()) {
                watch(cnc, intervalNs, out);
            } else {
                print(new StatSample(new ReadCounters(cnc), null, System.nanoTime()), out);
            }
        }
        return 0;
    }

    private ParameterException misused(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private long intervalNs() {
        long ns;
        try {
            ns = SystemUtil.parseDuration("interval", interval);
        } catch (NumberFormatException e) {
            ns = -1;
        }
        if (ns < MIN_INTERVAL_NS || ns > MAX_INTERVAL_NS) {
            throw misused("--interval is '" + interval + "': it must be from 50ms to 3600s");
        }
        return ns;
    }

    private void print(StatSample sample, PrintWriter out) {
        StatPrinter printer = new StatPrinter(order == null ? StatOrder.ID : order, filter);
        if (isJson) {
            printer.printJson(sample, isOfStreams, out);
        } else {
            (isOfStreams ? printer.streamLines(sample) : printer.counterLines(sample))
                    .forEach(out::println);
        }
        out.flush();
    }

    private void watch(CncFile cnc, long intervalNs, PrintWriter out) throws InterruptedException {
        boolean isTerminal = isTerminal();
        int height = isTerminal ? TerminalHeight.lines(DEFAULT_HEIGHT) : Integer.MAX_VALUE;
        StatSample before = null;
        for (int looks = 0; count == 0 || looks < count; looks++) {
            if (looks > 0) {
                TimeUnit.NANOSECONDS.sleep(intervalNs);
                directory.checkRunning(cnc);
            }
            StatSample sample = new StatSample(new ReadCounters(cnc), before, System.nanoTime());
            List<String> lines = screen(sample);
            out.print(isTerminal ? CLEAR : looks > 0 ? "\n" : "");
            lines.subList(0, Math.min(lines.size(), height - 1)).forEach(out::println);
            out.flush();
            if (out.checkError()) {
                throw new BusException("the output is closed: nobody reads it any more");
            }
            before = sample;
        }
    }

    private List<String> screen(StatSample sample) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "%s  %s  %d streams, %d counters"
                        .formatted(
                                LocalTime.now().truncatedTo(ChronoUnit.SECONDS),
                                directory.directory(),
                                sample.streams().size(),
                                sample.counters().size()));
        lines.add("");
        lines.addAll(
                new StatPrinter(order == null ? StatOrder.ID : order, filter).streamLines(sample));
        if (!isOfStreams) {
            lines.add("");
            lines.addAll(
                    new StatPrinter(order == null ? StatOrder.RATE : order, filter)
                            .rateLines(sample));
        }
        return lines;
    }
}
