// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.latency;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A plot of durations on a logarithmic axis, drawn as SVG, with its legend below. The legend is
 * HTML, so that names of any length fit.
 */
public final class LogPlot {
    /** Style sheet of plot and legend. */
    public static final String STYLE =
            """
            svg text { font: 12px system-ui, sans-serif; }
            .legend span { display: inline-block; margin-right: 1.5em; }
            .legend svg { width: 28px; height: 10px; margin-right: 6px; }
            """;

    private static final int WIDTH = 960;
    private static final int HEIGHT = 360;
    private static final int LEFT = 70;
    private static final int RIGHT = 50;
    private static final int TOP = 14;
    private static final int BOTTOM = 30;
    private static final int MAX_MARKED = 20;
    private static final int NARROW_DECADES = 3;
    private static final int[] WIDE_STEPS = {1};
    private static final int[] NARROW_STEPS = {1, 2, 5};
    private static final int TICKS_PER_HALF_DISTANCE = 8;
    private static final double ROUNDING = 1.001;

    /** Width of a character of a label, at most. */
    private static final double CHARACTER = 7.5;

    private static final List<String> COLOURS =
            List.of("#0b62a4", "#d1495b", "#3a7d44", "#8d5fd3", "#c26a00", "#4a4a4a");
    private static final List<String> DECADES =
            List.of("0", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999");

    /**
     * A line of the plot.
     *
     * @param name display name; empty for a line without one.
     * @param colour colour in CSS.
     * @param isDashed whether the line is dashed.
     * @param points pairs of a place on the horizontal axis, from 0 to 1, and a duration in
     *     nanoseconds.
     */
    public record Line(String name, String colour, boolean isDashed, List<double[]> points) {}

    /**
     * A mark on the horizontal axis.
     *
     * @param at place on the axis, from 0 to 1.
     * @param text display text, drawn if there is room.
     */
    public record Tick(double at, String text) {}

    private final List<Line> lines = new ArrayList<>();
    private double lowNs = Double.MAX_VALUE;
    private double highNs;

    /** Returns the colour of a line by its number. */
    public static String colour(int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    /** Returns the number of decades of an axis of percentiles: as far as the samples reach. */
    public static int decades(long samples) {
        return Math.clamp((int) Math.ceil(Math.log10(samples)), 1, DECADES.size() - 1);
    }

    /** Returns the marks of an axis of percentiles. */
    public static List<Tick> ticks(int decades) {
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i <= decades; i++) {
            ticks.add(new Tick((double) i / decades, DECADES.get(i) + " %"));
        }
        return ticks;
    }

    /**
     * Returns the points of a line of percentiles, no further than the samples reach: n samples
     * have no percentile above 100 (1 - 1/n) except the maximum.
     */
    public static List<double[]> percentiles(Histogram histogram, int decades) {
        List<double[]> points = new ArrayList<>();
        double reach = Math.log10(Math.max(1, histogram.getTotalCount()));
        for (HistogramIterationValue value : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
            double rest = Math.max(100 - value.getPercentileLevelIteratedTo(), 1e-9);
            double at = Math.min(Math.min(Math.log10(100 / rest), reach) / decades, 1);
            if (value.getValueIteratedTo() > 0) { // no place on a logarithmic axis
                points.add(new double[] {at, value.getValueIteratedTo()});
            }
        }
        return points;
    }

    /** Adds a line. */
    public void add(Line line) {
        lines.add(line);
        for (double[] point : line.points()) {
            lowNs = Math.min(lowNs, Math.max(1, point[1]));
            highNs = Math.max(highNs, point[1]);
        }
    }

    /** Returns the plot and its legend; empty if no line has a point. */
    public String svg(List<Tick> ticks) {
        if (highNs == 0) {
            return "";
        }
        fitAxis();
        StringBuilder svg = new StringBuilder();
        svg.append(
                format(
                        "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\">%n",
                        WIDTH, HEIGHT));
        appendRows(svg);
        double free = 0;
        for (Tick tick : ticks) {
            double x = x(tick.at());
            double half = tick.text().length() * CHARACTER / 2;
            grid(svg, x, TOP, x, HEIGHT - BOTTOM);
            if (x - half >= free) {
                text(svg, x, HEIGHT - BOTTOM + 18, "middle", tick.text());
                free = x + half;
            }
        }
        lines.forEach(line -> draw(svg, line));
        svg.append("</svg>\n<p class=\"legend\">");
        for (Line line : lines) {
            if (!line.name().isEmpty()) {
                svg.append(
                        format(
                                "<span><svg viewBox=\"0 0 28 10\"><line x1=\"0\" y1=\"5\" x2=\"28\""
                                        + " y2=\"5\"%s/></svg>%s</span>%n",
                                stroke(line), escaped(line.name())));
            }
        }
        return svg.append("</p>\n").toString();
    }

    /** Extends the vertical axis to the next grid lines. */
    private void fitAxis() {
        double low = decadeBelow(lowNs);
        double high = decadeBelow(highNs) * 10;
        if (Math.log10(high / low) <= NARROW_DECADES) {
            low = lowNs >= 5 * low ? 5 * low : lowNs >= 2 * low ? 2 * low : low;
            high = highNs <= high / 5 ? high / 5 : highNs <= high / 2 ? high / 2 : high;
        }
        lowNs = low;
        highNs = Math.max(high, 2 * low);
    }

    private static double decadeBelow(double ns) {
        return Math.pow(10, Math.floor(Math.log10(ns)));
    }

    private void appendRows(StringBuilder svg) {
        int[] steps = Math.log10(highNs / lowNs) <= NARROW_DECADES ? NARROW_STEPS : WIDE_STEPS;
        for (double decade = decadeBelow(lowNs); decade <= highNs * ROUNDING; decade *= 10) {
            for (int step : steps) {
                double ns = decade * step;
                if (ns * ROUNDING >= lowNs && ns <= highNs * ROUNDING) {
                    grid(svg, LEFT, y(ns), WIDTH - RIGHT, y(ns));
                    text(svg, LEFT - 6, y(ns) + 4, "end", label(ns));
                }
            }
        }
    }

    private static String label(double ns) {
        return DurationText.of(Math.round(ns)).replaceAll("\\.0+(?=[a-z])", "");
    }

    private void draw(StringBuilder svg, Line line) {
        if (line.points().isEmpty()) {
            return;
        }
        svg.append(format("<polyline fill=\"none\"%s points=\"", stroke(line)));
        for (double[] point : line.points()) {
            svg.append(format("%.1f,%.1f ", x(point[0]), y(point[1])));
        }
        svg.append("\"/>\n");
        if (line.points().size() <= MAX_MARKED) {
            for (double[] point : line.points()) {
                svg.append(
                        format(
                                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                                x(point[0]), y(point[1]), line.colour()));
            }
        }
    }

    private static String stroke(Line line) {
        return format(
                " stroke=\"%s\" stroke-width=\"2\"%s",
                line.colour(), line.isDashed() ? " stroke-dasharray=\"6 4\"" : "");
    }

    private static double x(double at) {
        return LEFT + at * (WIDTH - LEFT - RIGHT);
    }

    private double y(double ns) {
        double part = Math.log(Math.max(ns, lowNs) / lowNs) / Math.log(highNs / lowNs);
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
    }

    private static void grid(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(
                format(
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                        x1, y1, x2, y2));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        svg.append(
                format(
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#555\">%s</text>%n",
                        x, y, anchor, escaped(text)));
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    /** Returns a text with HTML's special characters escaped. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
