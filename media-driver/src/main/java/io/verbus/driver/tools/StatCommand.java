// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.driver.metrics.ReadCounters;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;

/** {@code verbus stat}: shows the activity of a driver, live or once. */
@Command(
        name = "stat",
        description = {
            "Shows a running driver's streams, each with the receiver that limits it, and the"
                    + " driver's counters with their rates per second.",
            "On a terminal, the view refreshes until q or an interrupt ends it: s changes the"
                    + " order, f sets a filter, t hides the counters. Counters that only grow are"
                    + " listed separately from gauges.",
            "Without a terminal, or with --once or --json, the command prints the counters once, or"
                + " the streams with --streams. With --live, it keeps printing samples until its"
                + " output is closed."
        },
        mixinStandardHelpOptions = true)
final class StatCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(
            names = "--json",
            description = {
                "prints one JSON list with an object for each row; with --live, prints each sample"
                        + " as one object on a line of its own"
            })
    private boolean isJson;

    @Option(names = "--once", description = "prints one sample, even on a terminal")
    private boolean isOnce;

    @Option(
            names = "--live",
            description = "keeps printing samples, even if the output is not a terminal")
    private boolean isLive;

    @Option(names = "--streams", description = "shows only the streams")
    private boolean isOfStreams;

    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            description =
                    "sort order: ${COMPLETION-CANDIDATES}; by default, counters are sorted by id,"
                            + " or by rate in the live view, and streams by stream id")
    private StatOrder order;

    @Option(
            names = "--filter",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "shows only lines with this text in the metric, label or channel")
    private String filter;

    @Mixin private SamplingOptions sampling;

    @Override
    public Integer call() {
        if (isOnce && isLive) {
            throw sampling.misused("--live cannot be combined with --once: omit one of them");
        }
        long intervalNs = sampling.check();
        PrintWriter out = spec.commandLine().getOut();
        try (CncFile cnc = directory.map()) {
            directory.checkRunning(cnc);
            if (isLive || !isOnce && !isJson && Terminal.isTerminal()) {
                watch(cnc, intervalNs, out);
            } else {
                print(new StatSample(new ReadCounters(cnc), null, System.nanoTime()), out);
            }
        }
        return 0;
    }

    private void print(StatSample sample, PrintWriter out) {
        StatPrinter printer = new StatPrinter(order == null ? StatOrder.ID : order, filter);
        if (isJson) {
            printer.printJson(sample, isOfStreams, out);
        } else {
            (isOfStreams
                            ? printer.streams(sample, false).lines(Integer.MAX_VALUE)
                            : printer.counterLines(sample))
                    .forEach(out::println);
        }
        out.flush();
    }

    /** Runs until a key ends the command, the output is closed or the count is reached. */
    private void watch(CncFile cnc, long intervalNs, PrintWriter out) {
        boolean hasScreen = !isJson && Terminal.isTerminal();
        StatView view = new StatView(directory.directory().toString(), order, filter, isOfStreams);
        try (Terminal terminal = new Terminal()) {
            terminal.during(
                    () -> look(cnc, view, terminal, intervalNs, hasScreen, out),
                    hasScreen ? out : null);
        }
    }

    private void look(
            CncFile cnc,
            StatView view,
            Terminal terminal,
            long intervalNs,
            boolean hasScreen,
            PrintWriter out) {
        StatSample sample = null;
        for (int looks = 1; ; looks++) {
            sample = new StatSample(new ReadCounters(cnc), sample, System.nanoTime());
            if (isJson) {
                printLine(sample, out);
            } else if (hasScreen) {
                draw(view, sample, terminal, out);
            } else {
                out.print(looks > 1 ? "\n" : "");
                view.lines(time(), sample, Integer.MAX_VALUE, Integer.MAX_VALUE, false)
                        .forEach(out::println);
            }
            out.flush();
            StatSample shown = sample;
            if (looks == sampling.count()
                    || !SamplingOptions.await(
                            terminal,
                            intervalNs,
                            out,
                            key -> press(key, view, shown, terminal, hasScreen, out))) {
                return;
            }
            directory.checkRunning(cnc);
        }
    }

    /** Handles a key, which takes effect immediately; returns false if the key ends the command. */
    private static boolean press(
            int key,
            StatView view,
            StatSample sample,
            Terminal terminal,
            boolean hasScreen,
            PrintWriter out) {
        boolean goesOn = view.press(key);
        if (goesOn && hasScreen) {
            draw(view, sample, terminal, out);
            out.flush();
        }
        return goesOn;
    }

    private static void draw(StatView view, StatSample sample, Terminal terminal, PrintWriter out) {
        int lines = terminal.lines();
        Terminal.draw(view.lines(time(), sample, terminal.columns(), lines, true), lines, out);
    }

    private void printLine(StatSample sample, PrintWriter out) {
        new StatPrinter(order == null ? StatOrder.ID : order, filter)
                .printJsonLine(Instant.now().toString(), sample, isOfStreams, out);
    }

    private static String time() {
        return LocalTime.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
