// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Presents a report as text, part by part as the measurement proceeds. Each line of figures has
 * their units, and each warning appears once.
 */
public final class ReportText {
    private static final List<Percentile> OVER_LOAD =
            List.of(Percentile.P50, Percentile.P99, Percentile.P99_9);

    private final Report report;
    private final Set<String> shown = new HashSet<>();

    /**
     * @param report report to present.
     */
    public ReportText(Report report) {
        this.report = report;
    }

    /** Returns what is known before the measurement: command, date, version and machine. */
    public String header() {
        Map<String, Object> environment = report.environment();
        return format(
                "%s%n%s, %s%n%s, load average %s%n%s",
                report.command(),
                report.date(),
                Environment.release(environment),
                Environment.machine(environment),
                environment.get(Environment.LOAD_BEFORE),
                warnings());
    }

    /** Returns the lines of a work that starts. */
    public String begin(Section section) {
        Threads threads = Threads.of(section.work());
        return format(
                "%s: %,d messages after %,d warm-up messages, %s%n%s",
                section.name(),
                section.work().messages() * section.work().load().publishers(),
                section.work().warmup() * section.work().load().publishers(),
                threads.text(),
                warnings());
    }

    /** Returns the lines of the last pair of a comparison; empty if there is only one contender. */
    public String pair(Section section) {
        if (section.subjects().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        String start = "  pair " + section.pairs() + ", ";
        for (String contender : section.contenders()) {
            text.append(start).append(contender).append(": ");
            text.append(line(section.last(contender))).append(System.lineSeparator());
        }
        return text.toString();
    }

    private static String line(Map<Figure, Double> figures) {
        return figures.entrySet().stream()
                .filter(entry -> entry.getKey().isCompared())
                .map(entry -> entry.getKey().name() + " " + entry.getKey().text(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Returns all figures of a work, with the spread over its pairs. */
    public String figures(Section section) {
        return lines(section) + warnings();
    }

    private static String lines(Section section) {
        StringBuilder text = new StringBuilder();
        if (section.subjects().isEmpty()) {
            for (Figure figure : section.figures(section.peer())) {
                Spread spread = Spread.of(section.values(section.peer(), figure));
                text.append(format("  %-24s %s%n", figure.name(), figure.text(spread.median())));
            }
        }
        for (String subject : section.subjects()) {
            for (Figure figure : section.comparedFigures(subject)) {
                text.append(ratio(section, subject, figure));
            }
        }
        section.notes().forEach(note -> text.append("  ").append(note).append(format("%n")));
        section.table()
                .rows()
                .forEach(row -> text.append(format("    %s%n", String.join(", ", row))));
        return text.toString();
    }

    private static String ratio(Section section, String subject, Figure figure) {
        return format(
                "  %s / %s, %s: %s / %s, ratio %s%n",
                subject,
                section.peer(),
                figure.name(),
                figure.text(Spread.of(section.values(subject, figure)).median()),
                figure.text(Spread.of(section.values(section.peer(), figure)).median()),
                Spread.of(section.ratios(subject, figure)).text());
    }

    /**
     * Returns the last lines: the figures of all comparisons, latency over load, versions, and the
     * load average.
     */
    public String summary() {
        StringBuilder text = new StringBuilder();
        for (Section section : report.sections()) {
            if (!section.subjects().isEmpty()) {
                text.append(
                        format(
                                "%s, medians of %d %s (min to max)%n",
                                section.name(),
                                section.pairs(),
                                section.pairs() == 1 ? "pair" : "pairs"));
                text.append(lines(section));
            }
        }
        report.sweeps().forEach(sweep -> append(text, sweep));
        report.versions()
                .forEach((name, version) -> text.append(format("%s: %s%n", name, version)));
        text.append(format("load average %s%n", report.environment().get(Environment.LOAD_AFTER)));
        return text.append(warnings()).toString();
    }

    private static void append(StringBuilder text, List<Section> sweep) {
        for (String contender : sweep.getFirst().contenders()) {
            text.append(format("latency under load, %s%n", contender));
            for (Section section : sweep) {
                text.append(format("  %,12d messages/s:", section.work().load().rate()));
                String comma = "";
                for (Figure figure : overLoad(section, contender)) {
                    double median = Spread.of(section.values(contender, figure)).median();
                    text.append(format("%s %s %12s", comma, figure.name(), figure.text(median)));
                    comma = ",";
                }
                text.append(System.lineSeparator());
            }
        }
    }

    /** Returns the figures to show over the load, as far as the samples reach. */
    static List<Figure> overLoad(Section section, String contender) {
        List<Figure> figures = section.figures(contender);
        return OVER_LOAD.stream().map(Percentile::figure).filter(figures::contains).toList();
    }

    private String warnings() {
        return report.warnings().stream()
                .filter(shown::add)
                .map(warning -> format("warning: %s%n", warning))
                .collect(Collectors.joining());
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
