// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Self-contained HTML page that overlays the percentiles of several series: round trip in
 * microseconds against percentile, on logarithmic axes.
 */
public final class PercentilePage {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 480;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 20;
    private static final int BOTTOM = 50;
    private static final int TICKS_PER_HALF_DISTANCE = 8;
    private static final double NS_PER_US = 1000;
    private static final List<String> COLOURS =
            List.of("#0b62a4", "#d1495b", "#3a7d44", "#8d5fd3", "#e08e0b", "#4a4a4a");
    private static final List<String> DECADES =
            List.of("0", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999");
    private static final String STYLE =
            """
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1000px; }
            table { border-collapse: collapse; margin: 1em 0; }
            td, th { padding: 2px 12px; text-align: right; border-bottom: 1px solid #ddd; }
            td:first-child, th:first-child { text-align: left; }
            svg text { font: 12px system-ui, sans-serif; }
            pre { background: #f6f6f6; padding: 1em; overflow: auto; font-size: 12px; }
            """;

    private final String title;
    private final List<Series> series = new ArrayList<>();

    /**
     * Line of the plot.
     *
     * @param name display name.
     * @param histogram round-trip times in nanoseconds.
     */
    public record Series(String name, Histogram histogram) {}

    private record Axis(double lowUs, double highUs, int decades) {
        double x(double percentile) {
            double beyond = Math.log10(100 / Math.max(100 - percentile, 1e-9));
            return LEFT + Math.min(beyond / decades, 1) * (WIDTH - LEFT - RIGHT);
        }

        double y(double us) {
            double part = Math.log(us / lowUs) / Math.log(highUs / lowUs);
            return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
        }
    }

    /**
     * @param title title of the page.
     */
    public PercentilePage(String title) {
        this.title = title;
    }

    /** Adds a line to the plot. */
    public void add(String name, Histogram histogram) {
        series.add(new Series(name, histogram));
    }

    /**
     * Returns the page.
     *
     * @param environment values to show below the plot.
     */
    public String html(Map<String, Object> environment) {
        StringBuilder page = new StringBuilder();
        page.append(
                        "<!DOCTYPE html>\n"
                                + "<html lang=\"en\">\n"
                                + "<head>\n"
                                + "<meta charset=\"utf-8\">\n"
                                + "<title>")
                .append(escaped(title))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(escaped(title))
                .append("</h1>\n");
        appendPlot(page);
        appendTable(page);
        page.append("<h2>Environment</h2>\n<pre>")
                .append(escaped(Json.write(environment)))
                .append("</pre>\n</body>\n</html>\n");
        return page.toString();
    }

    private void appendPlot(StringBuilder page) {
        Axis axis = axis();
        page.append(
                format(
                        "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\">%n",
                        WIDTH, HEIGHT));
        appendGrid(page, axis);
        for (int i = 0; i < series.size(); i++) {
            String colour = COLOURS.get(i % COLOURS.size());
            page.append(
                    format(
                            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
                            colour));
            appendPoints(page, axis, series.get(i).histogram());
            page.append("\"/>\n");
            page.append(
                    format(
                            "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                            LEFT + 10, TOP + 15 + 16 * i, colour, escaped(series.get(i).name())));
        }
        page.append("</svg>\n");
    }

    private void appendGrid(StringBuilder page, Axis axis) {
        for (int decade = 0; decade <= axis.decades(); decade++) {
            double x = LEFT + (double) decade / axis.decades() * (WIDTH - LEFT - RIGHT);
            appendLine(page, x, TOP, x, HEIGHT - BOTTOM);
            appendText(page, x, HEIGHT - BOTTOM + 18, "middle", DECADES.get(decade) + " %");
        }
        for (double us = axis.lowUs(); us <= axis.highUs() * 1.001; us *= 10) {
            for (int factor : new int[] {1, 2, 5}) {
                if (us * factor <= axis.highUs() * 1.001) {
                    double y = axis.y(us * factor);
                    appendLine(page, LEFT, y, WIDTH - RIGHT, y);
                    appendText(page, LEFT - 6, y + 4, "end", label(us * factor));
                }
            }
        }
        appendText(page, WIDTH / 2.0, HEIGHT - 8, "middle", "percentile");
        appendText(page, 12, TOP - 6, "start", "round trip, us");
    }

    private static void appendPoints(StringBuilder page, Axis axis, Histogram histogram) {
        for (HistogramIterationValue value : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
            double us = Math.max(value.getValueIteratedTo() / NS_PER_US, axis.lowUs());
            page.append(
                    format("%.1f,%.1f ", axis.x(value.getPercentileLevelIteratedTo()), axis.y(us)));
        }
    }

    private void appendTable(StringBuilder page) {
        page.append("<table>\n<tr><th>us</th>");
        for (Percentile percentile : Percentile.values()) {
            page.append("<th>").append(percentile.text()).append("</th>");
        }
        page.append("<th>samples</th></tr>\n");
        for (Series line : series) {
            page.append("<tr><td>").append(escaped(line.name())).append("</td>");
            for (Percentile percentile : Percentile.values()) {
                page.append(format("<td>%,.3f</td>", percentile.microseconds(line.histogram())));
            }
            page.append(format("<td>%,d</td></tr>%n", line.histogram().getTotalCount()));
        }
        page.append("</table>\n");
    }

    /** Returns axes that span whole decades and contain all samples. */
    private Axis axis() {
        double low = Double.MAX_VALUE;
        double high = 0.001;
        long samples = 1;
        for (Series line : series) {
            low = Math.min(low, line.histogram().getMinNonZeroValue() / NS_PER_US);
            high = Math.max(high, line.histogram().getMaxValue() / NS_PER_US);
            samples = Math.max(samples, line.histogram().getTotalCount());
        }
        double lowUs = Math.pow(10, Math.floor(Math.log10(Math.min(low, high))));
        double highUs = Math.pow(10, Math.ceil(Math.log10(high)));
        int decades = (int) Math.ceil(Math.log10(samples));
        return new Axis(
                lowUs, Math.max(highUs, lowUs * 10), Math.clamp(decades, 1, DECADES.size() - 1));
    }

    private static void appendLine(StringBuilder page, double x1, double y1, double x2, double y2) {
        page.append(
                format(
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                        x1, y1, x2, y2));
    }

    private static void appendText(
            StringBuilder page, double x, double y, String anchor, String text) {
        page.append(
                format(
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#555\">%s</text>%n",
                        x, y, anchor, text));
    }

    private static String label(double us) {
        return us >= 1 ? format("%,.0f", us) : format("%.3f", us).replaceAll("0+$", "");
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
