// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.driver.tools.OutputFiles;
import io.verbus.perf.load.Work;
import io.verbus.perf.report.Report;
import io.verbus.perf.report.ReportPage;
import io.verbus.perf.report.ReportText;
import io.verbus.perf.report.Section;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Report of a measuring command: printed as the measurement proceeds, and written to files. */
final class ReportOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = {
                "JSON file for the figures of every pair of runs, the measured work, and the"
                        + " environment; `verbus perf diff` reads it."
            })
    private Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "File for an HTML page with the figures, and plots of round trips.")
    private Path html;

    private final Thread interrupted = Thread.ofPlatform().unstarted(this::interrupt);

    /** Whether the report has ended, so that an interruption changes nothing. */
    private boolean isFinished;

    private Report report;
    private ReportText text;

    /**
     * Returns the files that the command writes, by the option that names each, after checking that
     * they can be written.
     *
     * @throws io.verbus.BusException if one cannot be written.
     */
    Map<String, Path> outputs() {
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        Outputs.add(outputs, "--html", html);
        OutputFiles.check(outputs);
        return outputs;
    }

    /**
     * Starts the report, and prints its first lines.
     *
     * @throws io.verbus.BusException if the files cannot be written.
     */
    void start() {
        outputs();
        report = new Report(Outputs.command(spec));
        Runtime.getRuntime().addShutdownHook(interrupted);
        text = new ReportText(report);
        System.out.print(text.header());
    }

    /** Adds the next work, and prints its lines. */
    Section begin(String metric, Work work, Map<String, Object> details, List<String> contenders) {
        Section section = report.begin(metric, work, details, contenders);
        System.out.print(text.begin(section));
        return section;
    }

    /** Adds the next work of Verbus alone, and prints its lines. */
    Section begin(String metric, Work work) {
        return begin(metric, work, Map.of(), List.of(Outputs.VERBUS));
    }

    /** Records the name and version of a contender. */
    void version(String contender, String version) {
        report.version(contender, version);
    }

    /** Prints the last pair of runs. */
    void printPair(Section section) {
        System.out.print(text.pair(section));
    }

    /** Prints the figures of a work. */
    void printFigures(Section section) {
        System.out.print(text.figures(section));
    }

    /** Writes the files of a measurement that a signal or an error has ended early. */
    private synchronized void interrupt() {
        if (report.isBegun() && !isFinished) {
            report.interrupt();
            write();
        }
    }

    private void write() {
        if (json != null) {
            OutputFiles.write(json, report.json());
        }
        if (html != null) {
            OutputFiles.write(html, ReportPage.html(report));
        }
    }

    /**
     * Ends the report: prints its last lines, and writes the files.
     *
     * @return exit status: 1 if a run missed its rate, else 0.
     */
    int finish() {
        synchronized (this) { // a signal must not end the process while this writes
            isFinished = true;
            report.end();
            System.out.print(text.summary());
            write();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(interrupted);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook has nothing to write.
        }
        return report.missedRate() ? 1 : 0;
    }
}
