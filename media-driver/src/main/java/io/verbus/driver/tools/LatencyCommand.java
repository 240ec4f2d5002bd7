// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.LatencyFile;
import io.verbus.driver.latency.LatencyPage;
import io.verbus.driver.latency.LatencySample;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code verbus latency}: shows where the messages of a driver's streams spend their time. */
@Command(
        name = "latency",
        description = {
            "Shows how long each hop of a running driver's streams takes: in the sender, over the"
                    + " fabric or for a round trip, in the subscriber, and in IPC consumption.",
            "The driver must be started with --latency-samples-per-second. Each duration is shown"
                    + " as a single figure or as a range.",
            "On a terminal, the view refreshes until q or an interrupt ends it. Without a terminal,"
                    + " or with --once, --json or --hgrm, the command prints all samples once. With"
                    + " --live, it keeps printing samples until its output is closed."
        },
        mixinStandardHelpOptions = true)
final class LatencyCommand implements Callable<Integer> {
    private static final double NS_PER_US = 1000;
    private static final int PAGE_SAMPLES = 10;

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--once", description = "prints the samples once, even on a terminal")
    private boolean isOnce;

    @Option(
            names = "--live",
            description = "keeps printing samples, even if the output is not a terminal")
    private boolean isLive;

    @Option(
            names = "--json",
            description =
                    "prints JSON once, with durations in nanoseconds; with --live, prints one line"
                            + " for each sample")
    private boolean isJson;

    @Option(
            names = "--hgrm",
            description = "prints each hop's percentiles in HdrHistogram's format, in microseconds")
    private boolean isHgrm;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "writes an HTML page that plots latency by percentile and over time, after"
                            + " --count samples [10], or with the samples so far if it is"
                            + " interrupted")
    private Path page;

    /** Whether the page was written, or is being written. */
    private boolean isWritten;

    @Mixin private SamplingOptions sampling;

    @Override
    public Integer call() {
        checkCombination();
        long intervalNs = sampling.check();
        boolean isRepeated = isLive || !isOnce && !isJson && !isHgrm && Terminal.isTerminal();
        if (page != null) {
            OutputFiles.check(Map.of("--html", page));
        } else if (!isRepeated) {
            sampling.rejectGiven(
                    isOnce || isHgrm
                            ? (isOnce ? "--once" : "--hgrm") + " prints one sample: omit "
                            : "only one sample is printed: add --live, or omit ");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (CncFile cnc = directory.map();
                LatencyFile file = directory.mapLatency()) {
            directory.checkRunning(cnc);
            if (page != null || isRepeated) {
                watch(file, cnc, intervalNs, out);
            } else {
                print(new LatencySample(file, cnc, null, System.nanoTime()), out);
            }
        }
        return 0;
    }

    /** Rejects options that are mutually exclusive. */
    private void checkCombination() {
        boolean isHtml = page != null;
        refuse(isOnce && isLive, "--once", "--live");
        refuse(isOnce && isHtml, "--once", "--html");
        refuse(isJson && isHgrm, "--json", "--hgrm");
        refuse(isJson && isHtml, "--json", "--html");
        refuse(isHgrm && isHtml, "--hgrm", "--html");
        refuse(isHgrm && isLive, "--hgrm", "--live");
        refuse(isLive && isHtml, "--live", "--html");
    }

    private void refuse(boolean areGiven, String one, String other) {
        if (areGiven) {
            throw sampling.misused(
                    one + " cannot be combined with " + other + ": omit one of them");
        }
    }

    private void print(LatencySample sample, PrintWriter out) {
        if (isJson) {
            out.println(LatencyView.json(sample));
        } else if (isHgrm) {
            sample.hops().forEach(hop -> printHistograms(hop, out));
        } else {
            LatencyView.lines(sample).forEach(out::println);
        }
        out.flush();
    }

    private static void printHistograms(LatencySample.Hop hop, PrintWriter out) {
        printHistogram(hop.name() + ", at least", hop.reading().least(), out);
        printHistogram(hop.name() + ", at most", hop.reading().most(), out);
    }

    private static void printHistogram(
            String name, LatencyFile.Durations durations, PrintWriter out) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (PrintStream stream = new PrintStream(text, true, StandardCharsets.UTF_8)) {
            LatencySample.histogram(durations).outputPercentileDistribution(stream, NS_PER_US);
        }
        out.println("# " + name);
        out.println(text.toString(StandardCharsets.UTF_8));
    }

    /**
     * Runs until a key ends the command, the output is closed or the count is reached; then writes
     * the page. Also writes it if the driver dies or a signal ends this process.
     */
    private void watch(LatencyFile file, CncFile cnc, long intervalNs, PrintWriter out) {
        int samples = sampling.count() == 0 ? PAGE_SAMPLES : sampling.count();
        LatencyPage plots =
                page == null ? null : new LatencyPage(directory.directory().toString(), samples);
        Thread writing = new Thread(() -> write(plots), "verbus-latency-page");
        if (plots != null) {
            Runtime.getRuntime().addShutdownHook(writing);
        }
        try (Terminal terminal = new Terminal()) {
            boolean hasScreen = page == null && !isJson && Terminal.isTerminal();
            terminal.during(
                    () -> look(file, cnc, plots, terminal, intervalNs, hasScreen, out),
                    hasScreen ? out : null);
        } finally {
            if (plots != null) {
                // Before the hook is removed: a signal must not end the process while this writes.
                write(plots);
                forget(writing);
            }
        }
    }

    /** Removes a shutdown hook, unless it already runs. */
    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook has found the page written.
        }
    }

    private void look(
            LatencyFile file,
            CncFile cnc,
            LatencyPage plots,
            Terminal terminal,
            long intervalNs,
            boolean hasScreen,
            PrintWriter out) {
        int last = plots != null && sampling.count() == 0 ? PAGE_SAMPLES : sampling.count();
        LatencySample sample = null;
        long startNs = System.nanoTime();
        for (int looks = 1; ; looks++) {
            long nowNs = System.nanoTime();
            sample = new LatencySample(file, cnc, sample, nowNs);
            if (plots != null) {
                plots.add(nowNs - startNs, sample);
            } else if (isJson) {
                out.println(LatencyView.json(sample).line());
            } else {
                draw(sample, terminal, hasScreen, looks > 1, out);
            }
            out.flush();
            if (looks == last
                    || !SamplingOptions.await(terminal, intervalNs, out, LatencyCommand::goesOn)) {
                return;
            }
            directory.checkRunning(cnc);
        }
    }

    private void draw(
            LatencySample sample,
            Terminal terminal,
            boolean hasScreen,
            boolean isLater,
            PrintWriter out) {
        String time = LocalTime.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String folder = directory.directory().toString();
        if (hasScreen) {
            int columns = terminal.columns();
            int height = terminal.lines();
            List<String> screen = new ArrayList<>(LatencyView.lines(time, folder, sample, columns));
            int room = Math.max(0, height - 1);
            while (screen.size() < room) {
                screen.add("");
            }
            screen.subList(room, screen.size()).clear();
            screen.add(TextTable.cut("q quits", columns));
            Terminal.draw(screen, height, out);
        } else {
            out.print(isLater ? "\n" : "");
            LatencyView.lines(time, folder, sample, Integer.MAX_VALUE).forEach(out::println);
        }
    }

    private static boolean goesOn(int key) {
        return key != 'q' && key != 'Q';
    }

    /** Writes the page; the second caller waits for the first, and writes nothing. */
    private synchronized void write(LatencyPage plots) {
        LatencySample last = plots.last();
        if (last != null && !isWritten) {
            isWritten = true;
            OutputFiles.write(page, plots.html(LatencyView.lines(last)));
        }
    }
}
