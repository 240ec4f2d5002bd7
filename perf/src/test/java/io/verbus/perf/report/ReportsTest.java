// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.release.Release;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

class ReportsTest {
    private final Work work =
            new Work(
                    Work.Wire.IPC,
                    1,
                    Work.Drivers.EMBEDDED,
                    32,
                    1408,
                    65536,
                    1000,
                    500,
                    Load.roundTrips(Load.MAX, 1),
                    Work.Threading.SHARED,
                    Work.Idle.BUSY_SPIN,
                    Work.Idle.BACKOFF,
                    "",
                    "",
                    0,
                    "");

    @Test
    void tabulatesPercentilesInMicroseconds() {
        List<String> lines =
                new RttReport(work, outcome(1000)).table().lines().map(String::strip).toList();

        assertEquals(
                "Bus 1, ipc, 32 bytes, one at a time: 1,000 round trips after 500 of warm-up,"
                        + " 1,000/s",
                lines.getFirst());
        assertEquals("p50    1,000.447", lines.get(2)); // three digits of 1 ms
        assertEquals(
                List.of("p50", "p90", "p99", "p99.9", "p99.99", "max"),
                lines.stream().skip(2).map(line -> line.split(" +")[0]).toList());
    }

    @Test
    void reportsAdaptedRate() {
        Scaling scaling = Scaling.of(501_000, 200_000, 50);
        RttReport report =
                new RttReport(work.atRate(scaling.rate()), outcome(1000), Optional.of(scaling));

        assertTrue(report.table().contains(" 100,000/s: "), report.table());
        assertTrue(report.table().contains("so the rate of 501,000/s was low"), report.table());
        String json = RttReport.json(List.of(report));
        assertTrue(json.contains("\"rateAsked\": 501000"), json);
        assertTrue(json.contains("\"sustainedPerSecond\": 200000"), json);
        assertTrue(json.contains("\"rate\": 100000"), json);
    }

    @Test
    void writesPercentilesAndEnvironmentAsJson() {
        String json = RttReport.json(List.of(new RttReport(work, outcome(1000))));

        assertTrue(json.contains("\"p50\": 1000.447"), json);
        assertTrue(json.contains("\"threading\": \"shared\""), json);
        assertTrue(json.contains("\"kernel\": \""), json);
        assertTrue(json.contains("\"commit\": \"" + Release.CURRENT.commit() + "\""), json);
        assertTrue(json.contains("-Dagrona.disable.bounds.checks=true"), json);
    }

    @Test
    void summarizesRatiosOfPairs() {
        Comparison comparison = new Comparison("verbus", "aeron", 7);
        comparison.begin(work);
        comparison.add(figures(1000), figures(2000));
        comparison.add(figures(3000), figures(1000));
        comparison.add(figures(900), figures(1000));

        String json = comparison.json();

        assertTrue(comparison.summary().contains("p50 ratio: median 0.90"));
        assertTrue(
                json.startsWith(
                        """
                        {
                          "transport": "ipc",
                          "peer": "aeron",
                          "pairs": 3,
                          "ratios": {
                            "p50": {
                              "median": 0.90\
                        """),
                json);
        assertTrue(json.contains("\"slices\": 7"), json);
    }

    @Test
    void writesDistribution() {
        assertTrue(new RttReport(work, outcome(1000)).hgrm().contains("#[Max     =     2000."));
    }

    @Test
    void comparesRatesOfStreams() {
        Comparison comparison = new Comparison("verbus", "floor", 7);
        comparison.begin(work);
        Throughput fast = new Throughput(3000, 96_000, 1_000_000, 0, 0, 1);
        Throughput slow = new Throughput(1000, 32_000, 1_000_000, 0, 0, 1);
        comparison.add(Figures.of(fast), Figures.of(slow));

        assertTrue(
                comparison.summary().contains("messagesPerSecond ratio: median 3.000"),
                comparison.summary());
    }

    private static Map<String, Double> figures(int medianUs) {
        return Figures.of(outcome(medianUs).measurement());
    }

    @Test
    void overlaysSeriesOnSelfContainedPage() {
        PercentilePage page = new PercentilePage("Round <trips>");
        page.add("first", outcome(10).measurement().histogram());
        page.add("second", outcome(1000).measurement().histogram());

        String html = page.html(Map.of("kernel", "a & b"));

        assertEquals(2, html.split("<polyline").length - 1, "lines");
        assertTrue(html.contains("Round &lt;trips&gt;"));
        assertTrue(html.contains("a &amp; b"));
        assertTrue(html.contains("<td>1,000.447</td>"), html);
        assertTrue(!html.contains("http"), "the page must be self-contained");
    }

    @Test
    void logsSeriesWithTags() {
        String log = HistogramLog.write(Map.of("ipc 32 B", outcome(1000)), 5000);

        List<String> lines = log.lines().toList();
        assertTrue(lines.getFirst().startsWith("#[Histogram log format"), log);
        assertTrue(lines.getLast().startsWith("Tag=ipc-32-B,4.000,1.000,"), log);
    }

    /** Creates an outcome with samples up to twice the median. */
    private static Outcome outcome(int medianUs) {
        Histogram histogram = new Histogram(3_600_000_000_000L, 3);
        for (int i = 1; i <= 1000; i++) {
            histogram.recordValue(2L * medianUs * i);
        }
        return new Outcome("Bus 1", new Measurement(histogram, 1_000_000_000L, 0, false));
    }
}
