// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;

import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Round-trip times of perftest's {@code ib_write_lat}. The program prints half the time between two
 * sends; this class doubles it.
 */
public final class IbWriteLatency implements Run {
    private static final long HIGHEST_NS = TimeUnit.HOURS.toNanos(1);
    private static final double NS_PER_HALF_US = 2000;

    /** Minimum number of iterations that the program accepts. */
    private static final long MIN_ITERATIONS = 5;

    private final PerftestProgram program;

    /**
     * @param work work with addresses, port and length.
     */
    public IbWriteLatency(Work work) {
        program = new PerftestProgram("ib_write_lat", work, work.length());
    }

    @Override
    public String version() {
        return program.version();
    }

    @Override
    public void warmUp() {}

    @Override
    public Measurement roundTrips(long count) {
        return parse(program.run(Math.max(count, MIN_ITERATIONS), List.of("-U")));
    }

    /** Parses the samples. Each is a line with a number, a comma, and a time in microseconds. */
    static Measurement parse(String text) {
        Histogram histogram = new Histogram(HIGHEST_NS, 3);
        long elapsedNs = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            if (line.matches("\\d+, *[0-9.]+ *")) {
                double halfUs = Double.parseDouble(line.substring(line.indexOf(',') + 1).strip());
                long roundTripNs = Math.round(halfUs * NS_PER_HALF_US);
                histogram.recordValue(roundTripNs);
                elapsedNs += roundTripNs;
            }
        }
        if (histogram.getTotalCount() == 0) {
            throw new BusException("ib_write_lat printed no samples: " + text.strip());
        }
        return new Measurement(histogram, elapsedNs, 0, false);
    }

    @Override
    public Throughput stream(long count) {
        throw new BusException("ib_write_lat does not measure streams: use --metric rtt");
    }

    @Override
    public void close() {}
}
