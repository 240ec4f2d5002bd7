// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

class MeasurementTest {
    @Test
    void decodesEncodedMeasurement() {
        SplittableRandom random = new SplittableRandom(42);
        Histogram histogram = new Histogram(3_600_000_000_000L, 3);
        for (int i = 0; i < 10_000; i++) {
            histogram.recordValue(random.nextLong(1L << random.nextInt(1, 41)));
        }
        Measurement measurement = new Measurement(histogram, 123_456_789_012L, 42, true);

        assertEquals(measurement, Measurement.parse(measurement.encode()));
    }

    @Test
    void rejectsMalformedMeasurement() {
        assertThrows(IllegalArgumentException.class, () -> Measurement.parse("1 2"));
        assertThrows(IllegalArgumentException.class, () -> Measurement.parse("1 2 true ***"));
        assertThrows(IllegalArgumentException.class, () -> Measurement.parse("1 2 true AAAA"));
    }

    @Test
    void toleratesShortDelayAtEnd() {
        assertFalse(Measurement.of(new Histogram(3), 10_000_000_000L, 90_000_000).missedRate());
        assertTrue(Measurement.of(new Histogram(3), 10_000_000_000L, 110_000_000).missedRate());
        assertFalse(Measurement.of(new Histogram(3), 1_000_000, 19_000_000).missedRate());
    }

    @Test
    void addsMeasurements() {
        Histogram fast = new Histogram(3);
        fast.recordValueWithCount(10, 3);
        Histogram slow = new Histogram(3);
        slow.recordValue(1000);

        Measurement sum =
                new Measurement(fast, 30, 5, false).plus(new Measurement(slow, 1000, 2, true));

        assertEquals(4, sum.histogram().getTotalCount());
        assertEquals(1000, sum.histogram().getMaxValue());
        assertEquals(3, fast.getTotalCount());
        assertEquals(1030, sum.elapsedNs());
        assertEquals(5, sum.latenessNs());
        assertTrue(sum.missedRate());
    }
}
