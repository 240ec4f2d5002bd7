// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;

import java.util.List;

/**
 * Bandwidth of perftest's {@code ib_write_bw} with writes of 64 KiB, reported as messages of the
 * work's length.
 */
public final class IbWriteBandwidth implements Run {
    private static final int WRITE_LENGTH = 64 * 1024;
    private static final double MEBIBYTE = 1024 * 1024;
    private static final int COLUMNS = 5;
    private static final int AVERAGE = 3;

    /** Minimum number of iterations that the program accepts. */
    private static final long MIN_ITERATIONS = 128;

    private final PerftestProgram program;
    private final int length;

    /**
     * @param work work with addresses, port and length.
     */
    public IbWriteBandwidth(Work work) {
        program = new PerftestProgram("ib_write_bw", work, WRITE_LENGTH);
        length = work.length();
    }

    @Override
    public String version() {
        return program.version();
    }

    @Override
    public void warmUp() {}

    @Override
    public Measurement roundTrips(long count) {
        throw new BusException("ib_write_bw does not measure round trips: use --metric throughput");
    }

    @Override
    public Throughput stream(long count) {
        long iterations = Math.max(count * length / WRITE_LENGTH, MIN_ITERATIONS);
        double bytesPerSecond = parse(program.run(iterations, List.of()));
        long bytes = iterations * WRITE_LENGTH;
        return new Throughput(
                bytes / length, bytes, Math.round(bytes / bytesPerSecond * 1e9), 0, 0, 0);
    }

    /**
     * Parses the bytes per second from a line that contains bytes, iterations, peak and average in
     * MiB/s, and message rate.
     */
    static double parse(String text) {
        for (String line : (Iterable<String>) text.lines()::iterator) {
            String[] words = line.strip().split("\\s+");
            if (words.length == COLUMNS && words[0].equals(Integer.toString(WRITE_LENGTH))) {
                return Double.parseDouble(words[AVERAGE]) * MEBIBYTE;
            }
        }
        throw new BusException("ib_write_bw printed no bandwidth: " + text.strip());
    }

    @Override
    public void close() {}
}
