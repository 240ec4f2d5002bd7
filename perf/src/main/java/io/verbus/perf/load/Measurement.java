// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.HdrHistogram.Histogram;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;

/**
 * Result of a round-trip run.
 *
 * @param histogram all round-trip times in nanoseconds.
 * @param elapsedNs time from the first message to the last echo.
 * @param latenessNs delay of the last message after its scheduled time; 0 without a rate.
 * @param missedRate whether the requested rate was missed.
 */
public record Measurement(
        Histogram histogram, long elapsedNs, long latenessNs, boolean missedRate) {
    /**
     * Lateness of the last message up to which the rate always counts as met; long runs tolerate 1%
     * of their duration.
     */
    private static final long TOLERATED_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * Creates the measurement of one run; the rate is missed if there is a backlog at its end.
     *
     * @param histogram all round-trip times in nanoseconds.
     * @param elapsedNs time from the first message to the last echo.
     * @param latenessNs delay of the last message after its scheduled time.
     */
    static Measurement of(Histogram histogram, long elapsedNs, long latenessNs) {
        boolean missed = latenessNs > Math.max(TOLERATED_NS, elapsedNs / 100);
        return new Measurement(histogram, elapsedNs, latenessNs, missed);
    }

    /** Combines this measurement with another part of the same work. */
    public Measurement plus(Measurement other) {
        Histogram sum = histogram.copy();
        sum.add(other.histogram);
        return new Measurement(
                sum,
                elapsedNs + other.elapsedNs,
                Math.max(latenessNs, other.latenessNs),
                missedRate | other.missedRate);
    }

    /** Returns the round trips per second. */
    public double perSecond() {
        return histogram.getTotalCount() * 1e9 / elapsedNs;
    }

    /** Encodes the measurement as one line for {@link #parse}. */
    public String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        String text = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        return elapsedNs + " " + latenessNs + " " + missedRate + " " + text;
    }

    /**
     * Parses the output of {@link #encode()}.
     *
     * @throws IllegalArgumentException if the line is malformed.
     */
    public static Measurement parse(String line) {
        String[] parts = line.split(" ");
        if (parts.length != 4) {
            throw new IllegalArgumentException("not a measurement: " + line);
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(parts[3]));
            return new Measurement(
                    Histogram.decodeFromCompressedByteBuffer(bytes, 0),
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    Boolean.parseBoolean(parts[2]));
        } catch (DataFormatException | BufferUnderflowException ex) {
            throw new IllegalArgumentException("not a histogram: " + parts[3], ex);
        }
    }
}
