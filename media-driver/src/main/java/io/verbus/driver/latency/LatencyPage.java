// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.latency;

import io.verbus.cnc.LatencyFile.Durations;
import io.verbus.cnc.LatencyFile.Reading;
import io.verbus.driver.latency.LatencySample.Hop;
import io.verbus.driver.latency.LogPlot.Line;
import io.verbus.driver.latency.LogPlot.Tick;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Self-contained HTML page of {@code verbus latency}: for each stream and receiver, the hops'
 * percentiles, and their p50 and p99 over time. Thread-safe, because a signal may end the command
 * while it samples.
 */
public final class LatencyPage {
    private static final int TIME_TICKS = 5;
    private static final double NS_PER_SECOND = 1e9;

    private static final String STYLE =
            """
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1000px;
              padding: 0 1em; }
            pre { background: #f6f6f6; padding: 1em; overflow: auto; font-size: 12px; }
            """;

    private record Look(long timeNs, LatencySample sample) {}

    private final String directory;
    private final int samples;
    private final List<Look> looks = new ArrayList<>();

    /**
     * @param directory directory of the driver.
     * @param samples number of samples to take.
     */
    public LatencyPage(String directory, int samples) {
        this.directory = directory;
        this.samples = samples;
    }

    /** Adds a sample with the time that has passed since the first one. */
    public synchronized void add(long timeNs, LatencySample sample) {
        looks.add(new Look(timeNs, sample));
    }

    /** Returns the last sample that was added; null if there is none. */
    public synchronized LatencySample last() {
        return looks.isEmpty() ? null : looks.getLast().sample();
    }

    /**
     * Returns the page.
     *
     * @param figures table of the last sample, line by line.
     */
    public synchronized String html(List<String> figures) {
        Map<String, List<Hop>> groups = new LinkedHashMap<>();
        for (Hop hop : last().hops()) {
            groups.computeIfAbsent(group(hop), absent -> new ArrayList<>()).add(hop);
        }
        StringBuilder page = new StringBuilder();
        String title = LogPlot.escaped("Latency by hop in " + directory);
        page.append(
                        "<!DOCTYPE html>\n"
                                + "<html lang=\"en\">\n"
                                + "<head>\n"
                                + "<meta charset=\"utf-8\">\n"
                                + "<title>")
                .append(title)
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append(LogPlot.STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(title)
                .append("</h1>\n");
        if (looks.size() < samples) {
            page.append(
                    "<p>Interrupted after %d of %d samples.</p>%n"
                            .formatted(looks.size(), samples));
        }
        groups.forEach((name, hops) -> append(page, name, hops));
        page.append("<h2>Figures since each stream started</h2>\n<pre>");
        figures.forEach(line -> page.append(LogPlot.escaped(line)).append('\n'));
        return page.append("</pre>\n</body>\n</html>\n").toString();
    }

    private static String group(Hop hop) {
        String name = hop.name();
        return name.substring(0, name.length() - hop.owner().hop().toString().length()).strip();
    }

    private void append(StringBuilder page, String name, List<Hop> hops) {
        long samples = 0;
        for (Hop hop : hops) {
            samples = Math.max(samples, hop.reading().most().count());
        }
        if (samples == 0) {
            return;
        }
        page.append("<h2>")
                .append(LogPlot.escaped(name))
                .append("</h2>\n<h3>Percentiles: upper bound (solid), lower bound (dashed)</h3>\n");
        page.append(percentiles(hops, samples));
        String times = looks.size() > 2 ? times(hops) : "";
        if (!times.isEmpty()) {
            page.append("<h3>Upper bounds in each interval: p99 (solid), p50 (dashed)</h3>\n")
                    .append(times);
        }
    }

    private static String percentiles(List<Hop> hops, long samples) {
        int decades = LogPlot.decades(samples);
        LogPlot plot = new LogPlot();
        for (Hop hop : hops) {
            Reading reading = hop.reading();
            plot.add(line(hop, "", true, percentiles(reading.least(), decades)));
            plot.add(
                    line(
                            hop,
                            hop.owner().hop().toString(),
                            false,
                            percentiles(reading.most(), decades)));
        }
        return plot.svg(LogPlot.ticks(decades));
    }

    private static List<double[]> percentiles(Durations durations, int decades) {
        return LogPlot.percentiles(LatencySample.histogram(durations), decades);
    }

    private String times(List<Hop> hops) {
        LogPlot plot = new LogPlot();
        double lengthNs = Math.max(1, looks.getLast().timeNs());
        for (Hop hop : hops) {
            List<double[]> half = new ArrayList<>();
            List<double[]> most = new ArrayList<>();
            for (Look look : looks.subList(1, looks.size())) { // the first sample has no interval
                for (Hop then : look.sample().hops()) {
                    if (then.reading().number() == hop.reading().number()
                            && then.most().count() > 0) {
                        double at = look.timeNs() / lengthNs;
                        half.add(new double[] {at, then.most().at(50)});
                        most.add(new double[] {at, then.most().at(99)});
                    }
                }
            }
            plot.add(line(hop, hop.owner().hop() + " p50", true, half));
            plot.add(line(hop, hop.owner().hop() + " p99", false, most));
        }
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i <= TIME_TICKS; i++) {
            double at = (double) i / TIME_TICKS;
            ticks.add(new Tick(at, "%.1f s".formatted(at * lengthNs / NS_PER_SECOND)));
        }
        return plot.svg(ticks);
    }

    private static Line line(Hop hop, String name, boolean isDashed, List<double[]> points) {
        return new Line(name, LogPlot.colour(hop.owner().hop().ordinal()), isDashed, points);
    }
}
