// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Log-linear buckets of durations in nanoseconds. Each power of two is divided into 32 buckets of
 * equal width, so that a bucket's width is at most 1/32 of its values.
 *
 * <pre>
 *  value   0 .. 63 | 64 .. 127 | 128 .. 255 | ... | 2^35 .. 2^36 - 1
 *  width         1 |         2 |          4 | ... |             2^30
 *  index   0 .. 63 | 64 .. 95  | 96 .. 127  | ... |      992 .. 1023
 * </pre>
 */
public final class LatencyBuckets {
    /** Number of buckets. */
    public static final int COUNT = 1024;

    /** Highest duration with a bucket, in nanoseconds: about 69 s. Longer ones are in the last. */
    public static final long HIGHEST = (1L << 36) - 1;

    private static final int SHIFT = 5;
    private static final int PER_POWER = 1 << SHIFT;

    private LatencyBuckets() {}

    /** Returns the index of the bucket of a duration; negative durations are in the first. */
    public static int index(long durationNs) {
        long value = Math.min(Math.max(durationNs, 0), HIGHEST);
        int power =
                Math.max(0, Long.SIZE - 1 - SHIFT - Long.numberOfLeadingZeros(value | PER_POWER));
        return (power << SHIFT) + (int) (value >>> power);
    }

    /** Returns the lowest duration of a bucket in nanoseconds. */
    public static long lowest(int index) {
        int power = Math.max(0, (index >>> SHIFT) - 1);
        return (long) (index - (power << SHIFT)) << power;
    }

    /** Returns the highest duration of a bucket in nanoseconds. */
    public static long highest(int index) {
        return lowest(index + 1) - 1;
    }
}
