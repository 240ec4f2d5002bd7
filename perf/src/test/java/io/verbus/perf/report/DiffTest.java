// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.perf.load.Load;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

class DiffTest {
    private static final double[] BEFORE = {2, 2, 2.1, 2, 2.2, 2, 2.3, 2, 2.4, 2};

    @Test
    void distinguishesDifferencesFromNoise() {
        double[] after = {1, 2, 1.1, 2, 1.2, 2, 1.3, 2, 1.4, 2};

        String text = diff(SampleReports.comparison(BEFORE), SampleReports.comparison(after));

        assertTrue(text.contains("A.json: 2026-11-28T10:20:30Z, Verbus 1.2 (abc), Some CPU"), text);
        assertTrue(text.contains("B.json / A.json"), text);
        assertTrue(line(text, "  verbus, p50:").endsWith(" with 96.8 %), lower, better"), text);
        assertTrue(
                line(text, "  verbus / aeron, p50:").startsWith("  verbus / aeron, p50: 0.545 ("),
                text);
        assertTrue(line(text, "  aeron, p50:").endsWith("), no difference shown"), text);
        assertFalse(text.contains("samples"), text);
    }

    @Test
    void reportsLowerRatesAsWorse() {
        Report before = streams(3000);
        Report after = streams(2000);
        assertTrue(
                line(diff(before, after), "  verbus, rate:")
                        .equals("  verbus, rate: 0.667 (0.667 to 0.667 with 97.1 %), lower, worse"),
                diff(before, after));
    }

    @Test
    void reportsTooFewPairs() {
        String text = diff(SampleReports.comparison(1, 2), SampleReports.comparison(2, 2));
        assertEquals(
                "  verbus, p50: 2.000, too few pairs for an interval",
                line(text, "  verbus, p50:"));
    }

    @Test
    void omitsRatioToZero() {
        Report idle = SampleReports.report("0 0 0");
        Section section = idle.begin("calls", SampleReports.oneAtATime(), Map.of(), List.of("a"));
        section.add(Map.of("a", Figures.ofSystemCalls(1, 0)));
        assertTrue(
                diff(idle, idle).contains("  a, idle calls: no ratio, because a value is missing"));
    }

    @Test
    void listsWorkMeasuredInOnlyOneReport() {
        Report more = SampleReports.comparison(BEFORE);
        Section section =
                more.begin(
                        "round trips",
                        SampleReports.work(Load.roundTrips(5000, 1)),
                        Map.of("slices", 7),
                        List.of("verbus"));
        section.addRoundTrips(Map.of("verbus", SampleReports.trips(1)));

        String text = diff(SampleReports.comparison(BEFORE), more);

        assertTrue(text.contains("only in B.json: round trips, ipc, 32 bytes, rate 5,000"), text);
    }

    @Test
    void repeatsWarnings() {
        Report busy = SampleReports.comparison(BEFORE);
        busy.end("9.0 1 1");
        String text = diff(busy, SampleReports.comparison(BEFORE));
        assertTrue(text.contains("warning in A.json: the load average was 9.00 at the end"), text);
    }

    @Test
    void namesDifferenceBetweenWorks() {
        Report other = SampleReports.report("0 0 0");
        other.begin(
                "round trips",
                SampleReports.work(Load.roundTrips(5000, 1)),
                Map.of("slices", 7),
                List.of("verbus"));
        BusException ex =
                assertThrows(
                        BusException.class, () -> diff(SampleReports.comparison(BEFORE), other));
        assertEquals(
                "A.json and B.json measure different work: rate is max and 5,000; measure again"
                        + " with the same options",
                ex.getMessage());
    }

    @Test
    void rejectsReportsWithoutCommonFigure() {
        Report other = SampleReports.report("0 0 0");
        Section section =
                other.begin(
                        "round trips",
                        SampleReports.oneAtATime(),
                        Map.of("slices", 7),
                        List.of("floor"));
        section.addRoundTrips(Map.of("floor", SampleReports.trips(1)));
        BusException ex =
                assertThrows(
                        BusException.class, () -> diff(SampleReports.comparison(BEFORE), other));
        assertTrue(ex.getMessage().contains("have no figures in common"), ex.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    p50 | A.json is not JSON: expected a value at character 1;
                    [] | A.json is not a report of verbus perf; give a file
                    {"peer": "aeron"} | or is not a report: it lacks the key command; give a file that
                    {"command":1,"date":1,"versions":1,"work":1,"environment":1,"warnings":1,"figures":1,"pairs":1} | A.json is not a complete report
                    """)
    void rejectsInvalidReportFiles(String json, String message) {
        BusException ex =
                assertThrows(BusException.class, () -> StoredReport.parse("A.json", json));
        assertTrue(ex.getMessage().contains(message), ex.getMessage());
    }

    private static Report streams(long messages) {
        Report report = SampleReports.report("0 0 0");
        Section section =
                report.begin(
                        "stream",
                        SampleReports.work(Load.stream(1, 1, 1)),
                        Map.of(),
                        List.of("verbus"));
        for (int i = 0; i < 4; i++) {
            section.add(Map.of("verbus", Figures.of(SampleReports.stream(messages))));
        }
        return report;
    }

    private static String diff(Report before, Report after) {
        return new Diff(
                        StoredReport.parse("A.json", before.json()),
                        StoredReport.parse("B.json", after.json()))
                .text();
    }

    private static String line(String text, String start) {
        return text.lines().filter(line -> line.startsWith(start)).findFirst().orElse("");
    }
}
