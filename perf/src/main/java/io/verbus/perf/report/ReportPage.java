// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.driver.latency.LogPlot;
import io.verbus.driver.latency.LogPlot.Line;
import io.verbus.driver.latency.LogPlot.Tick;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Presents a report as a self-contained HTML page: where and how it ran, plots of the percentiles
 * and of latency over load, and all figures and ratios with their spread.
 */
public final class ReportPage {
    private static final double NS_PER_US = 1000;

    /** The word "to" with non-breaking spaces, so that a spread breaks only before it begins. */
    private static final String NEXT_TO = "\u00a0to\u00a0";

    private static final String STYLE =
            """
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1000px;
              padding: 0 1em; }
            table { border-collapse: collapse; margin: 1em 0; }
            td, th { padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd; }
            td:first-child, th:first-child, .facts td, .rows td, .rows th { text-align: left; }
            .wide { overflow-x: auto; }
            .warning { background: #fff0d0; padding: 0.5em 1em; }
            pre { background: #f6f6f6; padding: 1em; overflow: auto; font-size: 12px; }
            """;

    private final Report report;
    private final StringBuilder page = new StringBuilder();

    private ReportPage(Report report) {
        this.report = report;
    }

    /** Returns the page of a report. */
    public static String html(Report report) {
        return new ReportPage(report).html();
    }

    private String html() {
        page.append(
                format(
                        "<!DOCTYPE html>%n<html lang=\"en\">%n<head>%n<meta charset=\"utf-8\">%n"
                                + "<title>%s</title>%n<style>%n%s%s</style>%n</head>%n<body>%n"
                                + "<h1>%s</h1>%n",
                        escaped(report.command()),
                        STYLE,
                        LogPlot.STYLE,
                        escaped(report.command())));
        appendFacts();
        report.sweeps().forEach(this::appendSweep);
        appendSingles();
        report.sections().forEach(this::append);
        page.append("<h2>Environment</h2>\n<pre>")
                .append(escaped(JsonWriter.write(report.environment())))
                .append("</pre>\n</body>\n</html>\n");
        return page.toString();
    }

    private void appendFacts() {
        Map<String, Object> environment = report.environment();
        report.warnings()
                .forEach(
                        warning ->
                                page.append(
                                        format(
                                                "<p class=\"warning\">Warning: %s</p>%n",
                                                escaped(warning))));
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("date", report.date());
        facts.put("measured by", Environment.release(environment));
        facts.putAll(report.versions());
        facts.put("machine", Environment.machine(environment));
        facts.put(
                "load average",
                environment.get(Environment.LOAD_BEFORE)
                        + " before, "
                        + environment.get(Environment.LOAD_AFTER)
                        + " at the end");
        page.append("<div class=\"wide\"><table class=\"facts\">\n");
        facts.forEach((name, value) -> appendRow("td", List.of(name, value.toString())));
        page.append("</table></div>\n");
    }

    private void appendSweep(List<Section> sweep) {
        page.append("<h2>Latency under load</h2>\n");
        double low = Math.log(sweep.stream().mapToLong(ReportPage::rate).min().getAsLong());
        double high = Math.log(sweep.stream().mapToLong(ReportPage::rate).max().getAsLong());
        double range = Math.max(high - low, Double.MIN_NORMAL);
        LogPlot plot = new LogPlot();
        List<Tick> ticks = new ArrayList<>();
        for (Section section : sweep) {
            double at = (Math.log(rate(section)) - low) / range;
            ticks.add(new Tick(at, format("%,d/s", rate(section))));
        }
        int colour = 0;
        for (String contender : sweep.getFirst().contenders()) {
            for (Figure figure : ReportText.overLoad(sweep.getFirst(), contender)) {
                List<double[]> points = new ArrayList<>();
                for (int i = 0; i < sweep.size(); i++) {
                    if (sweep.get(i).figures(contender).contains(figure)) {
                        double us = Spread.of(sweep.get(i).values(contender, figure)).median();
                        points.add(new double[] {ticks.get(i).at(), us * NS_PER_US});
                    }
                }
                String name = contender + ", " + figure.name();
                plot.add(new Line(name, LogPlot.colour(colour++), false, points));
            }
        }
        page.append(plot.svg(ticks));
        page.append("<div class=\"wide\"><table>\n");
        for (String contender : sweep.getFirst().contenders()) {
            List<String> head = new ArrayList<>(List.of(contender + ", us"));
            List<Figure> figures = ReportText.overLoad(sweep.getFirst(), contender);
            figures.forEach(figure -> head.add(figure.name()));
            appendRow("th", head);
            for (Section section : sweep) {
                List<String> row = new ArrayList<>(List.of(format("%,d/s", rate(section))));
                for (Figure figure : figures) {
                    row.add(
                            section.figures(contender).contains(figure)
                                    ? Spread.of(section.values(contender, figure)).text()
                                    : "");
                }
                appendRow("td", row);
            }
        }
        page.append("</table></div>\n");
    }

    private static long rate(Section section) {
        return section.work().load().rate();
    }

    /** Plots the percentiles of all works with only one contender together. */
    private void appendSingles() {
        Map<String, Histogram> series = new LinkedHashMap<>();
        for (Section section : report.sections()) {
            if (section.subjects().isEmpty() && !section.histograms().isEmpty()) {
                series.put(section.name(), section.histogram(section.peer()));
            }
        }
        appendPercentiles(series);
    }

    private void append(Section section) {
        Threads threads = Threads.of(section.work());
        page.append(format("<h2>%s</h2>%n", escaped(section.name())));
        page.append(
                format(
                        "<p>%,d messages after %,d warm-up messages; %s</p>%n",
                        section.work().messages() * section.work().load().publishers(),
                        section.work().warmup() * section.work().load().publishers(),
                        threads.text()));
        if (!section.subjects().isEmpty()) {
            appendPercentiles(section.histograms());
        }
        appendFigures(section);
        section.notes().forEach(note -> page.append(format("<p>%s</p>%n", escaped(note))));
        if (!section.table().rows().isEmpty()) {
            page.append("<div class=\"wide\"><table class=\"rows\">\n");
            appendRow("th", section.table().columns());
            section.table().rows().forEach(row -> appendRow("td", row));
            page.append("</table></div>\n");
        }
    }

    private void appendFigures(Section section) {
        List<String> head = new ArrayList<>(List.of("median (min to max)"));
        head.addAll(section.contenders());
        section.subjects().forEach(subject -> head.add(subject + " / " + section.peer()));
        page.append("<div class=\"wide\"><table>\n");
        appendRow("th", head);
        for (Figure figure : section.figures(section.contenders().getFirst())) {
            List<String> row = new ArrayList<>(List.of(figure.label()));
            for (String contender : section.contenders()) {
                row.add(
                        section.figures(contender).contains(figure)
                                ? text(section.values(contender, figure), figure)
                                : "");
            }
            for (String subject : section.subjects()) {
                row.add(
                        section.comparedFigures(subject).contains(figure)
                                ? Spread.of(section.ratios(subject, figure)).text()
                                : "");
            }
            appendRow("td", row);
        }
        page.append("</table></div>\n");
        if (!section.subjects().isEmpty()) {
            String pairs = section.pairs() == 1 ? "pair" : "pairs";
            page.append(format("<p>%d %s of runs</p>%n", section.pairs(), pairs));
        }
    }

    private static String text(List<Double> values, Figure figure) {
        return values.size() == 1 ? figure.format(values.getFirst()) : Spread.of(values).text();
    }

    private void appendPercentiles(Map<String, Histogram> series) {
        if (series.isEmpty()) {
            return;
        }
        long samples = series.values().stream().mapToLong(Histogram::getTotalCount).max().orElse(1);
        int decades = LogPlot.decades(samples);
        LogPlot plot = new LogPlot();
        int colour = 0;
        for (Map.Entry<String, Histogram> line : series.entrySet()) {
            plot.add(
                    new Line(
                            line.getKey(),
                            LogPlot.colour(colour++),
                            false,
                            LogPlot.percentiles(line.getValue(), decades)));
        }
        page.append("<h3>Round-trip time by percentile</h3>\n")
                .append(plot.svg(LogPlot.ticks(decades)));
    }

    private void appendRow(String cell, List<String> cells) {
        page.append("<tr>");
        for (String text : cells) {
            String html = escaped(text).replace(" to ", NEXT_TO);
            page.append(format("<%s>%s</%s>", cell, html, cell));
        }
        page.append("</tr>\n");
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    private static String escaped(String text) {
        return LogPlot.escaped(text);
    }
}
