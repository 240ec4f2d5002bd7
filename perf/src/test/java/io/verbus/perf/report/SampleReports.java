// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;

import org.HdrHistogram.Histogram;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reports and their parts, without a measurement. */
final class SampleReports {
    static final Instant DATE = Instant.parse("2026-11-28T10:20:30.456Z");

    private SampleReports() {}

    static Work work(Load load) {
        return work(
                Work.Wire.IPC,
                1,
                load,
                Work.Threading.SHARED,
                Work.Idle.BUSY_SPIN,
                Work.Idle.BACKOFF);
    }

    static Work work(
            Work.Wire wire,
            int processes,
            Load load,
            Work.Threading threading,
            Work.Idle idle,
            Work.Idle driverIdle) {
        return new Work(
                wire,
                processes,
                Work.Drivers.EMBEDDED,
                32,
                1408,
                65536,
                1000,
                500,
                load,
                threading,
                idle,
                driverIdle,
                "",
                "",
                0,
                "");
    }

    static Work oneAtATime() {
        return work(Load.roundTrips(Load.MAX, 1));
    }

    /** Returns an empty report of a machine with four CPUs. */
    static Report report(String loadBefore) {
        Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("version", "1.2");
        environment.put("commit", "abc");
        environment.put("cpu", "Some CPU");
        environment.put("cpus", 4);
        environment.put("kernel", "6.1");
        environment.put("jdk", "Some VM 25");
        environment.put(Environment.LOAD_BEFORE, loadBefore);
        return new Report("verbus perf compare --quick", DATE, environment);
    }

    /** Returns a report that compares round trips, one pair for each two medians, and a stream. */
    static Report comparison(double... mediansUs) {
        Report report = report("0.25 0.5 0.75");
        report.version("verbus", "Verbus 1.2");
        report.version("aeron", "Aeron 3");
        List<String> contenders = List.of("verbus", "aeron");
        Section section =
                report.begin("round trips", oneAtATime(), Map.of("slices", 7), contenders);
        for (int i = 0; i < mediansUs.length; i += 2) {
            section.addRoundTrips(
                    Map.of("verbus", trips(mediansUs[i]), "aeron", trips(mediansUs[i + 1])));
        }
        Section stream =
                report.begin("stream", work(Load.stream(1, 1, 1)), Map.of("slices", 7), contenders);
        for (int i = 0; i < mediansUs.length; i += 2) {
            stream.add(
                    Map.of("verbus", Figures.of(stream(3000)), "aeron", Figures.of(stream(1000))));
        }
        report.end("1.50 1 1");
        return report;
    }

    static Throughput stream(long messages) {
        return new Throughput(messages, messages * 32, 1_000_000, 0, 0, 1);
    }

    static Measurement trips(double medianUs) {
        return trips(medianUs, 1000);
    }

    /** Returns a measurement with evenly spaced samples up to twice the median. */
    static Measurement trips(double medianUs, int samples) {
        Histogram histogram = new Histogram(3_600_000_000_000L, 3);
        for (int i = 1; i <= samples; i++) {
            histogram.recordValue((long) (2000 * medianUs * i / samples));
        }
        return new Measurement(histogram, 1_000_000_000L, 0, false);
    }
}
