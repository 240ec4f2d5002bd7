// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.driver.metrics.ReadCounters;

import org.agrona.SystemUtil;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** {@code verbus stat}: shows the activity of a driver, live or once. */
@Command(
        name = "stat",
        description = {
            "Shows the streams of a running driver, each with the receiver that limits it, and "
                    + "its counters, with their rates per second.",
            "On a terminal the view refreshes until q or an interrupt ends it: s changes the "
                    + "order, f sets a filter, t hides the counters. Counters that only grow "
                    + "are listed separately from gauges.",
            "Without a terminal, and with --once or --json, it prints the counters once, or "
                    + "with --streams the streams. With --live it repeats there too, until its "
                    + "output is closed."
        },
        mixinStandardHelpOptions = true)
final class StatCommand implements Callable<Integer> {
    private static final long MIN_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MAX_INTERVAL_NS = TimeUnit.HOURS.toNanos(1);
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(
            names = "--json",
            description = {
                "prints JSON once, as a list with an object for each line; with --live, one "
                        + "line with an object for each sample"
            })
    private boolean isJson;

    @Option(names = "--once", description = "prints once, even on a terminal")
    private boolean isOnce;

    @Option(names = "--live", description = "repeats, even if the output is not a terminal")
    private boolean isLive;

    @Option(names = "--streams", description = "shows only the streams")
    private boolean isOfStreams;

    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            description =
                    "${COMPLETION-CANDIDATES}; by default, counters are sorted by id, or by "
                            + "rate in the live view, and streams by stream id")
    private StatOrder order;

    @Option(
            names = "--filter",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "shows only lines with this text in the metric, label or channel")
    private String filter;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "time between two samples, such as 500ms [1s]")
    private String interval;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "number of samples before it ends; 0 is unlimited")
    private int count;

    @Override
    public Integer call() {
        if (isOnce && isLive) {
            throw misused("--live cannot be combined with --once");
        }
        if (count < 0) {
            throw misused("--count is " + count + ": it must be 0 or more");
        }
        long intervalNs = intervalNs();
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

    private ParameterException misused(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    private long intervalNs() {
        long ns;
        try {
            ns = SystemUtil.parseDuration("interval", interval);
        } catch (NumberFormatException e) {
            ns = -1;
        }
        if (ns < MIN_INTERVAL_NS || ns > MAX_INTERVAL_NS) {
            throw misused(
                    "--interval is '"
                            + interval
                            + "': it must be from 50ms to 3600s, with a unit: ms or s");
        }
        return ns;
    }

    private void print(StatSample sample, PrintWriter out) {
        StatPrinter printer = new StatPrinter(order == null ? StatOrder.ID : order, filter);
        if (isJson) {
            printer.printJson(sample, isOfStreams, out);
        } else {
            (isOfStreams
                            ? printer.streams(sample).lines(Integer.MAX_VALUE)
                            : printer.counterLines(sample))
                    .forEach(out::println);
        }
        out.flush();
    }

    /** Runs until a key, the end of the output or the count ends it. */
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
            if (looks == count || !await(view, sample, terminal, intervalNs, hasScreen, out)) {
                return;
            }
            directory.checkRunning(cnc);
        }
    }

    /** Waits for the next look; returns false if there is none. Keys take effect at once. */
    private static boolean await(
            StatView view,
            StatSample sample,
            Terminal terminal,
            long intervalNs,
            boolean hasScreen,
            PrintWriter out) {
        long endNs = System.nanoTime() + intervalNs;
        for (long left = intervalNs; left > 0; left = endNs - System.nanoTime()) {
            int key = terminal.key(left + NS_PER_MS - 1);
            if (key == Terminal.ENDED || out.checkError() || key >= 0 && !view.press(key)) {
                return false;
            }
            if (key >= 0 && hasScreen) {
                draw(view, sample, terminal, out);
                out.flush();
            }
        }
        return true;
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
