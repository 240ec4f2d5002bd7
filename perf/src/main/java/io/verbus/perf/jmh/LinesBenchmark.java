// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.concurrent.TimeUnit;

/**
 * Measures round trips between two threads through cache lines, without a log; each message goes to
 * the next line. Shows the benefit of writing to a line some messages before it is needed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LinesBenchmark {
    private static final int LINE = BitUtil.CACHE_LINE_LENGTH;

    /** Number of lines used per direction: a power of two. */
    @Param({"4096", "64", "1"})
    public int lines;

    /**
     * Number of lines ahead at which the writer zeroes a line after each message; 0 disables this.
     */
    @Param({"0", "1", "2", "4", "8", "64"})
    public int ahead;

    private Way requests;
    private Way replies;
    private Reflection reflection;
    private long sent;

    /** Lines of one direction. Immutable apart from the buffer, so both threads may use it. */
    private static final class Way {
        private final UnsafeBuffer buffer;
        private final int mask;
        private final int ahead;

        Way(int lines, int ahead) {
            buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(lines * LINE, 4096));
            mask = lines - 1;
            this.ahead = ahead < lines ? ahead : 0; // must not zero the message itself
        }

        void write(long number) {
            int at = line(number);
            for (int i = Long.BYTES; i < LINE; i += Long.BYTES) {
                buffer.putLong(at + i, number);
            }
            buffer.putLongRelease(at, number);
            if (ahead > 0) {
                buffer.putLong(line(number + ahead), 0);
            }
        }

        boolean has(long number) {
            return buffer.getLongAcquire(line(number)) == number;
        }

        private int line(long number) {
            return (int) (number & mask) * LINE;
        }
    }

    /** Starts the reflecting thread. */
    @Setup
    public void open() {
        Way there = new Way(lines, ahead);
        Way back = new Way(lines, ahead);
        requests = there;
        replies = back;
        reflection = new Reflection(number -> reflect(there, back, number));
    }

    private static boolean reflect(Way there, Way back, long number) {
        if (!there.has(number)) {
            return false;
        }
        back.write(number);
        return true;
    }

    /** Stops the reflecting thread. */
    @TearDown
    public void close() {
        reflection.close();
    }

    /** Measures one round trip. */
    @Benchmark
    public long roundTrip() {
        requests.write(++sent);
        long spins = 0;
        while (!replies.has(sent)) {
            spins = Reflection.spin(spins);
        }
        return spins;
    }
}
