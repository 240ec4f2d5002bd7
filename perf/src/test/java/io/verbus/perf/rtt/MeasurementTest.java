// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.rtt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

class MeasurementTest {
    @Test
    void survivesItsEncoding() {
        SplittableRandom random = new SplittableRandom(42);
        Histogram histogram = new Histogram(3_600_000_000_000L, 3);
        for (int i = 0; i < 10_000; i++) {
            histogram.recordValue(random.nextLong(1L << random.nextInt(1, 41)));
        }
        Measurement measurement = new Measurement(histogram, 123_456_789_012L, 42);

        assertEquals(measurement, Measurement.parse(measurement.encode()));
    }

    @Test
    void refusesWhatIsNoMeasurement() {
        assertThrows(IllegalArgumentException.class, () -> Measurement.parse("1 2"));
        assertThrows(IllegalArgumentException.class, () -> Measurement.parse("1 2 ***"));
        assertThrows(IllegalArgumentException.class, () -> Measurement.parse("1 2 AAAA"));
    }

    @Test
    void toleratesAShortHiccupAtTheEnd() {
        assertFalse(new Measurement(new Histogram(3), 10_000_000_000L, 90_000_000).missedRate());
        assertTrue(new Measurement(new Histogram(3), 10_000_000_000L, 110_000_000).missedRate());
        assertFalse(new Measurement(new Histogram(3), 1_000_000, 19_000_000).missedRate());
    }
}
