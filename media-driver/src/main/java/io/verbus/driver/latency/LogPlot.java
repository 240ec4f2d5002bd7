// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A plot of durations on a logarithmic axis, drawn as SVG. */
final class LogPlot {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 360;
    private static final int LEFT = 80;
    private static final int RIGHT = 260;
    private static final int TOP = 20;
    private static final int BOTTOM = 40;
    private static final int LEGEND_STEP = 18;

    /**
     * A line of the plot.
     *
     * @param name display name; empty for a line without one.
     * @param colour colour in CSS.
     * @param isDashed whether the line is dashed.
     * @param points pairs of a place on the horizontal axis, from 0 to 1, and a duration in
     *     nanoseconds.
     */
    record Line(String name, String colour, boolean isDashed, List<double[]> points) {}

    /**
     * A mark on the horizontal axis.
     *
     * @param at place on the axis, from 0 to 1.
     * @param text display text.
     */
    record Tick(double at, String text) {}

    private final List<Line> lines = new ArrayList<>();

    /** Adds a line. */
    void add(Line line) {
        lines.add(line);
    }

    /** Returns the plot; empty if no line has a point. */
    String svg(List<Tick> ticks) {
        double low = Double.MAX_VALUE;
        double high = 0;
        for (Line line : lines) {
            for (double[] point : line.points()) {
                low = Math.min(low, Math.max(1, point[1]));
                high = Math.max(high, point[1]);
            }
        }
        if (high == 0) {
            return "";
        }
        int first = (int) Math.floor(Math.log10(low));
        int last = Math.max(first + 1, (int) Math.ceil(Math.log10(high)));
        StringBuilder svg = new StringBuilder();
        svg.append(
                format(
                        "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\">%n",
                        WIDTH, HEIGHT));
        for (int decade = first; decade <= last; decade++) {
            double y = y(Math.pow(10, decade), first, last);
            grid(svg, LEFT, y, WIDTH - RIGHT, y);
            text(svg, LEFT - 6, y + 4, "end", "#555", decade(decade));
        }
        for (Tick tick : ticks) {
            double x = x(tick.at());
            grid(svg, x, TOP, x, HEIGHT - BOTTOM);
            text(svg, x, HEIGHT - BOTTOM + 18, "middle", "#555", tick.text());
        }
        int named = 0;
        for (Line line : lines) {
            draw(svg, line, first, last);
            if (!line.name().isEmpty()) {
                int y = TOP + 12 + LEGEND_STEP * named++;
                text(svg, WIDTH - RIGHT + 12, y, "start", line.colour(), line.name());
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private static String decade(int decade) {
        return DurationText.of((long) Math.pow(10, decade)).replaceAll("\\.0+(?=[a-z])", "");
    }

    private static void draw(StringBuilder svg, Line line, int first, int last) {
        svg.append(
                format(
                        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
                        line.colour(), line.isDashed() ? " stroke-dasharray=\"6 4\"" : ""));
        for (double[] point : line.points()) {
            double y = y(Math.max(point[1], Math.pow(10, first)), first, last);
            svg.append(format("%.1f,%.1f ", x(point[0]), y));
        }
        svg.append("\"/>\n");
    }

    private static double x(double at) {
        return LEFT + at * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double ns, int first, int last) {
        double part = (Math.log10(ns) - first) / (last - first);
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
    }

    private static void grid(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(
                format(
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                        x1, y1, x2, y2));
    }

    private static void text(
            StringBuilder svg, double x, double y, String anchor, String colour, String text) {
        svg.append(
                format(
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n",
                        x, y, anchor, colour, escaped(text)));
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    /** Returns a text with HTML's special characters escaped. */
    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
