// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Work;
import io.verbus.perf.run.ColdStart;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.util.Map;

class WarmupReportTest {
    private final Work work =
            new Work(
                    Work.Wire.IPC,
                    1,
                    Work.Drivers.EMBEDDED,
                    32,
                    1408,
                    65536,
                    10,
                    0,
                    Load.roundTrips(Load.MAX, 1),
                    Work.Threading.SHARED,
                    Work.Idle.BUSY_SPIN,
                    Work.Idle.BACKOFF,
                    "",
                    "",
                    0,
                    "");

    @Test
    void dividesByPeerFigureOfSameTurn() {
        WarmupReport report = new WarmupReport(work);
        report.add("verbus", start(100_000_000, 1000));
        report.add(WarmupReport.PEER, start(200_000_000, 1000));
        report.add("verbus", start(300_000_000, 2000));
        report.add(WarmupReport.PEER, start(200_000_000, 1000));

        Map<String, Spread> ratios = report.ratios().get("verbus");
        assertEquals(new Spread(1.0, 0.5, 1.5), ratios.get("firstMessageMs"));
        assertEquals(1.5, ratios.get("p99").median(), 0.001);
        assertTrue(report.json().contains("\"pairs\": 2"), report.json());
    }

    private static ColdStart start(long firstNs, long latencyNs) {
        Histogram histogram = new Histogram(3_600_000_000_000L, 3);
        histogram.recordValueWithCount(latencyNs, 10);
        return new ColdStart("Bus 1", firstNs, new Measurement(histogram, 1_000_000, 0, false));
    }
}
