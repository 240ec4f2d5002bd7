// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.rtt;

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
 */
public record Measurement(Histogram histogram, long elapsedNs, long latenessNs) {
    /** How late the last message may be without the rate counting as missed. */
    private static final long TOLERATED_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * Whether messages were sent slower than asked for: at the end of the run the backlog stood.
     */
    public boolean missedRate() {
        return latenessNs > Math.max(TOLERATED_NS, elapsedNs / 100);
    }

    /** Round trips a second. */
    public double perSecond() {
        return histogram.getTotalCount() * 1e9 / elapsedNs;
    }

    /** One line from which {@link #parse} makes an equal measurement. */
    public String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        String encoded = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        return elapsedNs + " " + latenessNs + " " + encoded;
    }

    /**
     * Reads what {@link #encode()} wrote.
     *
     * @throws IllegalArgumentException if it is something else.
     */
    public static Measurement parse(String line) {
        String[] parts = line.split(" ");
        if (parts.length != 3) {
            throw new IllegalArgumentException("not a measurement: " + line);
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(parts[2]));
            return new Measurement(
                    Histogram.decodeFromCompressedByteBuffer(bytes, 0),
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]));
        } catch (DataFormatException | BufferUnderflowException ex) {
            throw new IllegalArgumentException("not a histogram: " + parts[2], ex);
        }
    }
}
