// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.release.Release;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class ReportsTest {
    private static final String VERBUS = "verbus";

    @Test
    void printsCommandDateVersionAndMachineInHeader() {
        assertEquals(
                List.of(
                        "verbus perf compare --quick",
                        "2026-11-28T10:20:30Z, Verbus 1.2 (abc)",
                        "Some CPU, 4 CPUs, Linux 6.1, Some VM 25, load average 0.25 0.5 0.75"),
                new ReportText(SampleReports.report("0.25 0.5 0.75")).header().lines().toList());
    }

    @Test
    void printsUnitOnEachLineOfFigures() {
        Report report = SampleReports.report("0 0 0");
        Section section = single(report, SampleReports.oneAtATime(), SampleReports.trips(1000));

        List<String> lines = new ReportText(report).figures(section).lines().toList();

        assertEquals("  p50                      1,000 us", lines.getFirst());
        assertEquals("  rate                     1,000 messages/s", lines.getLast());
        List<String> units = List.of(" us", " round trips", " messages/s");
        lines.forEach(line -> assertTrue(units.stream().anyMatch(line::endsWith), line));
    }

    @Test
    void printsThreadsOfWork() {
        Report report = SampleReports.report("0 0 0");
        Section section = report.begin("stream", streams(), Map.of(), List.of(VERBUS));
        assertEquals(
                "stream, ipc, 32 bytes, 2 publishers: 2,000 messages after 1,000 warm-up messages,"
                        + " 4 threads, 3 of them busy"
                        + System.lineSeparator(),
                new ReportText(report).begin(section));
    }

    @Test
    void omitsPercentilesWithTooFewSamples() {
        List<String> names =
                Figures.of(SampleReports.trips(1, 999)).keySet().stream()
                        .map(Figure::name)
                        .toList();
        assertEquals(List.of("p50", "p90", "p99", "max", "samples", "rate"), names);
        assertTrue(
                Figures.of(SampleReports.trips(1, 10_000)).containsKey(Percentile.P99_99.figure()));
    }

    @Test
    void summarizesRatiosOfPairsWithUnits() {
        String text = new ReportText(SampleReports.comparison(1, 2, 3, 1, 0.9, 1)).summary();

        assertTrue(
                text.contains("round trips, ipc, 32 bytes, one at a time, medians of 3 pairs"),
                text);
        assertTrue(
                text.contains("verbus / aeron, p50: 1.000 us / 1.000 us, ratio 0.900 (0.500 to"),
                text);
        assertTrue(
                text.contains(
                        "verbus / aeron, rate: 3,000,000 messages/s / 1,000,000 messages/s, ratio"
                                + " 3.000 (3.000 to 3.000)"),
                text);
        assertTrue(text.contains("aeron: Aeron 3"), text);
        assertTrue(text.contains("load average 1.50 1 1"), text);
        assertFalse(text.contains("warning"), text);
    }

    @Test
    void printsBothContendersOfPair() {
        Report report = SampleReports.comparison(1, 2);
        List<String> lines =
                new ReportText(report).pair(report.sections().getFirst()).lines().toList();
        assertTrue(lines.get(0).startsWith("  pair 1, verbus: p50 1.000 us, p90 1."), lines.get(0));
        assertTrue(lines.get(1).startsWith("  pair 1, aeron: p50 2.000 us, p90 3."), lines.get(1));
    }

    @Test
    void writesSameKeysForEveryCommand() {
        Report single = SampleReports.report("0 0 0");
        single(single, SampleReports.oneAtATime(), SampleReports.trips(1));
        for (Report report : List.of(single, SampleReports.comparison(1, 2))) {
            Map<?, ?> json = (Map<?, ?>) JsonParser.parse(report.json());
            assertEquals(Report.KEYS, List.copyOf(json.keySet()));
        }
    }

    @Test
    void keepsFiguresOfEveryPairInJson() {
        Map<?, ?> json = (Map<?, ?>) JsonParser.parse(SampleReports.comparison(1, 2, 3, 1).json());

        List<?> pairs = (List<?>) json.get("pairs");
        assertEquals(4, pairs.size(), "two pairs of two works");
        Map<?, ?> second = (Map<?, ?>) pairs.get(1);
        assertEquals(2.0, second.get("pair"));
        Map<?, ?> verbus = (Map<?, ?>) ((Map<?, ?>) second.get("figures")).get(VERBUS);
        assertEquals(3.0, (double) verbus.get("p50"), 0.01);
        Map<?, ?> first = (Map<?, ?>) ((List<?>) json.get("figures")).getFirst();
        assertEquals("p50", first.get("figure"));
        assertEquals("us", first.get("unit"));
        assertEquals(2.0, (double) first.get("median"), 0.01);
        Map<?, ?> work = (Map<?, ?>) ((List<?>) json.get("work")).getFirst();
        assertEquals(7.0, work.get("slices"));
        assertEquals(2.0, work.get("busyThreads"));
    }

    @Test
    void describesThisMachine() {
        Report report = new Report("verbus perf rtt");
        report.end();
        Map<String, Object> environment = report.environment();
        assertEquals(Release.CURRENT.commit(), environment.get("commit"));
        assertTrue(environment.get("flags").toString().contains("-Dagrona.disable.bounds.checks"));
        for (String key : List.of(Environment.LOAD_BEFORE, Environment.LOAD_AFTER)) {
            assertTrue(environment.get(key).toString().matches("[\\d.]+ [\\d.]+ [\\d.]+"), key);
        }
    }

    @Test
    void warnsOfLoadAverageAboveCpusInAllForms() {
        Report report = SampleReports.report("4.01 1 1");
        report.end("3.99 1 1");
        String warning = "the load average was 4.01 before the run, with 4 CPUs";

        assertEquals(1, report.warnings().size());
        assertTrue(new ReportText(report).header().contains("warning: " + warning));
        assertTrue(report.json().contains(warning));
        assertTrue(ReportPage.html(report).contains("Warning: " + warning));
    }

    @Test
    void warnsOfMoreBusyThreadsThanCpus() {
        Report report = SampleReports.report("0 0 0");
        Work work =
                SampleReports.work(
                        Work.Wire.UDP,
                        2,
                        Load.roundTrips(Load.MAX, 1),
                        Work.Threading.DEDICATED,
                        Work.Idle.BACKOFF,
                        Work.Idle.BACKOFF);
        Section section = report.begin("round trips", work, Map.of(), List.of(VERBUS));
        String warning = "6 busy threads of drivers and ends share 4 CPUs";

        ReportText text = new ReportText(report);
        assertTrue(text.begin(section).contains("warning: " + warning));
        assertFalse(text.begin(section).contains(warning), "printed once");
        assertTrue(report.json().contains(warning));
        assertTrue(ReportPage.html(report).contains(warning));
    }

    @Test
    void warnsOfMissedRate() {
        Report report = SampleReports.report("0 0 0");
        Measurement late =
                new Measurement(SampleReports.trips(1).histogram(), 1000, 30_000_000, true);
        Section section = single(report, SampleReports.work(Load.roundTrips(5000, 1)), late);

        assertTrue(report.missedRate());
        assertTrue(
                new ReportText(report)
                        .figures(section)
                        .contains(
                                "verbus missed the rate of 5,000/s: the last message was sent 30.0"
                                        + " ms late; choose a lower --rate"));
    }

    @Test
    void reportsAdaptedRate() {
        Report report = SampleReports.report("0 0 0");
        Scaling scaling = Scaling.of(501_000, 200_000, 50);
        Work work = SampleReports.work(Load.roundTrips(scaling.rate(), 1));
        Section section = single(report, work, SampleReports.trips(1));
        section.scaled(scaling);

        String text = new ReportText(report).figures(section);
        assertTrue(text.contains("so the rate of 501,000/s was low"), text);
        String json = report.json();
        assertTrue(json.contains("\"rateAsked\": 501000"), json);
        assertTrue(json.contains("\"sustainedPerSecond\": 200000"), json);
        assertTrue(json.contains("\"rate\": 100000"), json);
    }

    @Test
    void tabulatesLatencyOverLoad() {
        Report report = SampleReports.report("0 0 0");
        for (int rate : new int[] {10_000, 50_000}) {
            Work work = SampleReports.work(Load.roundTrips(rate, 1));
            single(report, work, SampleReports.trips(rate / 10_000.0));
        }

        String text = new ReportText(report).summary();
        assertTrue(text.contains("latency under load, verbus"), text);
        assertTrue(
                text.contains(
                        "      10,000 messages/s: p50     1.000 us, p99     1.980 us, p99.9 "),
                text);
        String html = ReportPage.html(report);
        assertTrue(html.contains("<h2>Latency under load</h2>"), html);
        assertEquals(3 + 2, count(html, "<polyline"), "p50, p99, p99.9; percentiles of each rate");
        assertTrue(html.contains(">10,000/s</text>"), html);
    }

    @Test
    void doesNotTreatDifferentLengthsAsSweep() {
        Report report = SampleReports.report("0 0 0");
        single(report, SampleReports.work(Load.roundTrips(1000, 1)), SampleReports.trips(1));
        single(report, SampleReports.work(Load.roundTrips(2000, 2)), SampleReports.trips(1));
        assertEquals(List.of(), report.sweeps());
    }

    @Test
    void showsRatiosAndStreamsWithSpreadOnSelfContainedPage() {
        Report report = SampleReports.comparison(1, 2, 3, 1, 0.9, 1);
        String html = ReportPage.html(report).replace('\u00a0', ' ');

        assertTrue(html.contains("<th>verbus / aeron</th>"), html);
        assertTrue(html.contains("<td>p50, us</td><td>1.000 (0.900 to 3.001)</td>"), html);
        assertTrue(html.contains("<td>0.900 (0.500 to 3.0"), html);
        assertTrue(html.contains("<td>rate, messages/s</td><td>3,000,000 (3,000,000 to"), html);
        assertTrue(html.contains("<td>3.000 (3.000 to 3.000)</td>"), html);
        assertEquals(2, count(html, "<polyline"), "lines");
        assertTrue(html.contains("2026-11-28T10:20:30Z"), html);
        assertTrue(html.contains("Aeron 3"), html);
        assertFalse(html.contains("http"), "the page must be self-contained");
    }

    @Test
    void escapesNamesOnPage() {
        Report report = SampleReports.report("0 0 0");
        report.version("a<b", "x & y");
        String html = ReportPage.html(report);
        assertTrue(html.contains("a&lt;b"), html);
        assertTrue(html.contains("x &amp; y"), html);
    }

    @Test
    void drawsOnlyPercentilesCoveredBySamples() {
        Report report = SampleReports.report("0 0 0");
        List<String> contenders = List.of(VERBUS, "aeron");
        Section section =
                report.begin("round trips", SampleReports.oneAtATime(), Map.of(), contenders);
        section.addRoundTrips(
                Map.of(
                        VERBUS,
                        SampleReports.trips(1, 100_000),
                        "aeron",
                        SampleReports.trips(1, 10)));

        String html = ReportPage.html(report);
        double[] ends =
                html.lines()
                        .filter(line -> line.startsWith("<polyline"))
                        .map(line -> line.substring(line.indexOf("points=\"") + 8))
                        .map(line -> line.split(" "))
                        .map(points -> points[points.length - 2].split(",")[0])
                        .mapToDouble(Double::parseDouble)
                        .sorted()
                        .toArray();
        assertEquals(70 + 840 / 5.0, ends[0], 1, "10 samples end at 90 %");
        assertEquals(70 + 840, ends[1], 1, "100,000 samples end at 99.999 %");
        assertFalse(html.contains("99.9999 %"), html);
    }

    @Test
    void writesDistribution() {
        assertTrue(
                HistogramLog.distribution(SampleReports.trips(1000))
                        .contains("#[Max     =     2000."));
    }

    @Test
    void logsSeriesWithTagsAndTheirOwnStarts() {
        HistogramLog.Series first = series("ipc 32 B, 1K/s", 4000);
        HistogramLog.Series later = series("ipc 32 B, 2K/s", 60_000);
        String log = HistogramLog.write(List.of(first, later));

        List<String> lines = log.lines().toList();
        assertTrue(lines.getFirst().startsWith("#[Histogram log format"), log);
        assertTrue(log.contains("Interval_Max is in microseconds"), log);
        assertTrue(log.contains("[StartTime: 4.000 "), log);
        assertTrue(lines.get(lines.size() - 2).startsWith("Tag=ipc-32-B-1K/s,4.000,1.000,"), log);
        assertTrue(lines.getLast().startsWith("Tag=ipc-32-B-2K/s,60.000,1.000,"), log);
    }

    private static HistogramLog.Series series(String name, long startMs) {
        return new HistogramLog.Series(name, startMs, SampleReports.trips(1000));
    }

    @Test
    void marksInterruptedReport() {
        Report report = SampleReports.report("0 0 0");
        assertFalse(report.isBegun());
        Section section = report.begin("stream", streams(), Map.of(), List.of(VERBUS, "aeron"));
        section.addStreams(Map.of(VERBUS, stream(300_000_000), "aeron", stream(300_000_000)));
        report.begin("stream", streams(), Map.of(), List.of(VERBUS, "aeron"));
        assertTrue(report.isBegun());
        report.interrupt();

        String warning =
                "the measurement was interrupted: this report contains only its first" + " runs";
        assertTrue(report.json().contains(warning), report.json());
        assertEquals(
                List.of(warning),
                StoredReport.parse("a", report.json()).warnings().stream()
                        .filter(warning::equals)
                        .toList());
        assertTrue(ReportPage.html(report).contains(warning));
    }

    @Test
    void keepsBothVersionsOfContenderWithTwoPrograms() {
        Report report = SampleReports.report("0 0 0");
        report.version("floor", "two cache lines");
        report.version("floor", "a memory copy");
        report.version("floor", "two cache lines");
        assertEquals(Map.of("floor", "two cache lines; a memory copy"), report.versions());
    }

    @Test
    void omitsProcessorTimeBelowClockResolution() {
        Report report = SampleReports.report("0 0 0");
        Section section = report.begin("stream", streams(), Map.of(), List.of(VERBUS));
        section.addStreams(Map.of(VERBUS, stream(199_000_000)));
        String text = new ReportText(report).figures(section);
        assertFalse(text.contains("  cpu  "), text);
        assertTrue(
                text.contains(
                        "cpu left out: the processes used less than 200 ms of processor time,"),
                text);

        Section longer = report.begin("stream", streams(), Map.of(), List.of(VERBUS));
        longer.addStreams(Map.of(VERBUS, stream(200_000_000)));
        text = new ReportText(report).figures(longer);
        assertTrue(text.contains("  cpu  "), text);
        assertFalse(text.contains("left out"), text);
    }

    @Test
    void comparesOnlyFiguresOfAllPairs() {
        Report report = SampleReports.report("0 0 0");
        Section section = report.begin("stream", streams(), Map.of(), List.of(VERBUS, "aeron"));
        section.addStreams(Map.of(VERBUS, stream(300_000_000), "aeron", stream(300_000_000)));
        section.addStreams(Map.of(VERBUS, stream(300_000_000), "aeron", stream(10_000_000)));
        String text = new ReportText(report).figures(section);
        assertTrue(text.contains("verbus / aeron, rate: "), text);
        assertFalse(text.contains("verbus / aeron, cpu: "), text);
        assertTrue(report.json().contains("\"cpu\""), "the pairs keep what they have");
    }

    private static Throughput stream(long cpuNs) {
        return new Throughput(1000, 32_000, 1_000_000, 0, 0, cpuNs);
    }

    private static Work streams() {
        return SampleReports.work(Load.stream(1, 2, 1));
    }

    private static Section single(Report report, Work work, Measurement measurement) {
        Section section = report.begin("round trips", work, Map.of(), List.of(VERBUS));
        section.addRoundTrips(Map.of(VERBUS, measurement));
        return section;
    }

    private static long count(String text, String part) {
        return IntStream.range(0, text.length()).filter(i -> text.startsWith(part, i)).count();
    }
}
