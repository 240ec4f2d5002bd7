// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Outlier;

import org.junit.jupiter.api.Test;

import java.util.List;

class PauseReportTest {
    private static final List<String> LOG =
            List.of(
                    "[1000000ns] GC(0) Pause Young (Allocation Failure) 1M->0M(2M) 0.400ms",
                    "[1000000ns] Safepoint \"ParallelGCCollect\", Time since last: 5 ns, Reaching"
                            + " safepoint: 6 ns, At safepoint: 400000 ns, Leaving safepoint: 7 ns,"
                            + " Total: 500000 ns, Threads: 1 runnable, 12 total");

    @Test
    void mergesOverlappingOutliersIntoOneStall() {
        PauseReport report =
                new PauseReport(
                        List.of(
                                new Outlier(2_000_000, 300_000),
                                new Outlier(2_100_000, 250_000),
                                new Outlier(5_000_000, 300_000)),
                        LOG);

        assertEquals(
                List.of(
                        new PauseReport.Stall(2_000_000, 2_350_000, 2, ""),
                        new PauseReport.Stall(5_000_000, 5_300_000, 1, "")),
                report.stalls());
    }

    @Test
    void findsSafepointInStall() {
        PauseReport report = new PauseReport(List.of(new Outlier(600_000, 300_000)), LOG);

        assertEquals("ParallelGCCollect", report.stalls().getFirst().cause());
        assertTrue(
                report.table()
                        .startsWith(
                                "1 outliers in 1 stalls, of which 1 overlap a safepoint; 1"
                                        + " safepoints and 1 collections"),
                report.table());
    }

    @Test
    void ignoresSafepointBeforeStall() {
        PauseReport report = new PauseReport(List.of(new Outlier(1_000_001, 300_000)), LOG);

        assertEquals("", report.stalls().getFirst().cause());
    }
}
