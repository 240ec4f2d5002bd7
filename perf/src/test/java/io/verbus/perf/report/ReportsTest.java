// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.rtt.Measurement;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.run.Runner;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.util.List;

class ReportsTest {
    private final Work work =
            new Work(
                    Work.Wire.IPC,
                    32,
                    1408,
                    65536,
                    1000,
                    500,
                    Work.ONE_AT_A_TIME,
                    Work.Threading.SHARED,
                    Work.Idle.BUSY_SPIN,
                    Work.Idle.BACKOFF,
                    "",
                    "",
                    0);

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
    void writesPercentilesAndEnvironmentAsJson() {
        String json = new RttReport(work, outcome(1000)).json();

        assertTrue(json.contains("\"p50\": 1000.447"), json);
        assertTrue(json.contains("\"threading\": \"shared\""), json);
        assertTrue(json.contains("\"kernel\": \""), json);
        assertTrue(json.contains("-Dagrona.disable.bounds.checks=true"), json);
    }

    @Test
    void summarizesTheRatiosOfPairs() {
        Comparison comparison = new Comparison(work, "aeron");
        comparison.add(outcome(1000), outcome(2000));
        comparison.add(outcome(3000), outcome(1000));
        comparison.add(outcome(900), outcome(1000));

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
    }

    @Test
    void writesTheWholeDistribution() {
        assertTrue(new RttReport(work, outcome(1000)).hgrm().contains("#[Max     =     2000."));
    }

    /** Samples up to twice the median. */
    private static Runner.Outcome outcome(int medianUs) {
        Histogram histogram = new Histogram(3_600_000_000_000L, 3);
        for (int i = 1; i <= 1000; i++) {
            histogram.recordValue(2L * medianUs * i);
        }
        return new Runner.Outcome("Bus 1", new Measurement(histogram, 1_000_000_000L, 0, false));
    }
}
