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
 * What a run has measured.
 *
 * @param histogram of round trips in nanoseconds, every sample.
 * @param elapsedNs from the first message to the last echo.
 * @param latenessNs how late the last message was sent, where a rate was asked for.
 * @param missedRate whether messages were sent slower than that.
 */
public record Measurement(
        Histogram histogram, long elapsedNs, long latenessNs, boolean missedRate) {
    /** How late the last message may be without the rate counting as missed. */
    private static final long TOLERATED_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * A measurement in one go: the rate was missed if a backlog stood at its end.
     *
     * @param histogram of round trips in nanoseconds, every sample.
     * @param elapsedNs from the first message to the last echo.
     * @param latenessNs how late the last message was sent.
     */
    static Measurement of(Histogram histogram, long elapsedNs, long latenessNs) {
        boolean missed = latenessNs > Math.max(TOLERATED_NS, elapsedNs / 100);
        return new Measurement(histogram, elapsedNs, latenessNs, missed);
    }

    /** This and another part of the same work together. */
    public Measurement plus(Measurement other) {
        Histogram sum = histogram.copy();
        sum.add(other.histogram);
        return new Measurement(
                sum,
                elapsedNs + other.elapsedNs,
                Math.max(latenessNs, other.latenessNs),
                missedRate | other.missedRate);
    }

    /** Round trips a second. */
    public double perSecond() {
        return histogram.getTotalCount() * 1e9 / elapsedNs;
    }

    /** One line from which {@link #parse} makes an equal measurement. */
    public String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        String text = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        return elapsedNs + " " + latenessNs + " " + missedRate + " " + text;
    }

    /**
     * Reads what {@link #encode()} wrote.
     *
     * @throws IllegalArgumentException if it is something else.
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
