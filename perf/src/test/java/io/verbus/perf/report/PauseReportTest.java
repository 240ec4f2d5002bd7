// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Stall;
import io.verbus.perf.load.StallList;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

class PauseReportTest {
    private static final long NOW_NS = 2_000_000_000;
    private static final List<String> LOG =
            List.of(
                    "[1000000ns] GC(0) Pause Young (Allocation Failure) 1M->0M(2M) 0.400ms",
                    "[1000000ns] Safepoint \"ParallelGCCollect\", Time since last: 5 ns, Reaching"
                            + " safepoint: 6 ns, At safepoint: 400000 ns, Leaving safepoint: 7 ns,"
                            + " Total: 500000 ns, Threads: 1 runnable, 12 total");

    @Test
    void countsStallsThatOverlapSafepoints() {
        PauseReport report =
                report(new Stall(600_000, 900_000, 3), new Stall(1_000_001, 1_300_001, 1));

        Map<String, Double> figures =
                report.figures().entrySet().stream()
                        .collect(Collectors.toMap(e -> e.getKey().name(), Map.Entry::getValue));
        assertEquals(
                Map.of(
                        "outliers", 4.0,
                        "stalls", 2.0,
                        "stalls at safepoints", 1.0,
                        "safepoints", 1.0,
                        "collections", 1.0),
                figures);
        assertEquals("ParallelGCCollect", report.cause(new Stall(600_000, 900_000, 3)));
        assertEquals("", report.cause(new Stall(1_000_001, 1_300_001, 1)));
    }

    @Test
    void printsTimeOfDayOfStall() {
        PauseReport report = report();
        assertEquals("2026-11-28T10:20:28.957Z", report.time(new Stall(501_000_000, 0, 1)));
        assertEquals("2026-11-28T10:20:30.456Z", report.time(new Stall(NOW_NS, 0, 1)));
    }

    @Test
    void listsLongestStallsFirstAndAllInJson() {
        Stall[] stalls = new Stall[12];
        for (int i = 0; i < stalls.length; i++) {
            stalls[i] = new Stall(NOW_NS, NOW_NS + 1000 * i, 1);
        }
        Report report = SampleReports.report("0 0 0");
        Section section =
                report.begin(
                        "round trips", SampleReports.oneAtATime(), Map.of(), List.of("verbus"));
        section.addRoundTrips(Map.of("verbus", SampleReports.trips(1)));
        report(stalls).addTo(section);

        String text = new ReportText(report).figures(section);
        assertTrue(text.contains("  the 10 longest of 12 stalls:"), text);
        assertEquals(
                "    2026-11-28T10:20:30.456Z, 11.0 us, 1 message, no safepoint",
                text.lines().filter(line -> line.startsWith("    ")).findFirst().orElse(""));
        assertEquals(12, report.json().split("\"microseconds\"").length - 1);
        assertTrue(
                ReportPage.html(report).contains("<td>2026-11-28T10:20:30.456Z</td><td>11.0 us"));
    }

    @Test
    void countsStallsThatAreNotListed() {
        StallList stalls = new StallList();
        stalls.add(Stall.parse("1 2 3"));
        stalls.addUnlisted("5 40");
        PauseReport report = new PauseReport(stalls, LOG, SampleReports.DATE, NOW_NS);

        Section section =
                SampleReports.report("0 0 0")
                        .begin("a", SampleReports.oneAtATime(), Map.of(), List.of("verbus"));
        report.addTo(section);
        assertEquals(
                List.of("the longest of 6 stalls (the last 5 are only counted):"), section.notes());
        assertTrue(report.figures().containsValue(43.0), report.figures().toString());
    }

    @Test
    void headingMatchesNumberOfStalls() {
        assertEquals(List.of("no stalls"), notes());
        assertEquals(List.of("the stall:"), notes(new Stall(1, 2, 1)));
        assertEquals(
                List.of("the 2 stalls, longest first:"),
                notes(new Stall(1, 2, 1), new Stall(3, 4, 1)));
    }

    private static List<String> notes(Stall... stalls) {
        Section section =
                SampleReports.report("0 0 0")
                        .begin("a", SampleReports.oneAtATime(), Map.of(), List.of("verbus"));
        report(stalls).addTo(section);
        return section.notes();
    }

    @Test
    void usesSingularForCountOfOne() {
        Figure stalls = new Figure("stalls", "stalls", Figure.Better.NEITHER);
        assertEquals("1 stall", stalls.text(1));
        assertEquals("0 stalls", stalls.text(0));
        assertEquals("2 stalls", stalls.text(2));
        assertEquals("1.000 us", new Figure("max", "us", Figure.Better.LOWER).text(1));
        assertEquals(
                "1 messages/s", new Figure("rate", "messages/s", Figure.Better.NEITHER).text(1));
    }

    private static PauseReport report(Stall... stalls) {
        StallList list = new StallList();
        List.of(stalls).forEach(list::add);
        return new PauseReport(list, LOG, SampleReports.DATE, NOW_NS);
    }
}
