// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class RatioIntervalTest {
    private static final double CLOSE = 1e-9;

    /** The critical values of Mann-Whitney for two samples of five at 5 % are 2 and 23. */
    @Test
    void boundsTwoSamplesOfFiveByThirdRatioFromEachEnd() {
        RatioInterval interval =
                RatioInterval.of(
                        List.of(1.0, 1.0, 1.0, 1.0, 1.0), List.of(1.0, 2.0, 3.0, 4.0, 5.0));
        assertEquals(3, interval.ratio(), CLOSE);
        assertEquals(1, interval.low(), CLOSE, "each ratio occurs five times");
        assertEquals(5, interval.high(), CLOSE);
        assertEquals(1 - 2 * 4 / 252.0, interval.confidence(), CLOSE);
    }

    @Test
    void boundsTwoSamplesOfFourByExtremeRatios() {
        RatioInterval interval =
                RatioInterval.of(List.of(1.0, 2.0, 4.0, 8.0), List.of(16.0, 32.0, 64.0, 128.0));
        assertEquals(2, interval.low(), CLOSE);
        assertEquals(128, interval.high(), CLOSE);
        assertEquals(16, interval.ratio(), CLOSE);
        assertEquals(1 - 2 / 70.0, interval.confidence(), CLOSE);
        assertTrue(interval.showsDifference());
    }

    @Test
    void isNotConfidentWithThreePairs() {
        RatioInterval interval = RatioInterval.of(List.of(1.0, 1.1, 1.2), List.of(2.0, 2.1, 2.2));
        assertEquals(0.9, interval.confidence(), CLOSE);
        assertFalse(interval.isConfident());
        assertFalse(interval.showsDifference(), "although all ratios are above 1");
    }

    @Test
    void isNotConfidentWithOnePair() {
        RatioInterval interval = RatioInterval.of(List.of(2.0), List.of(3.0));
        assertEquals(new RatioInterval(1.5, 1.5, 1.5, 0), interval);
    }

    @Test
    void showsNoDifferenceIfIntervalIncludesOne() {
        List<Double> values = List.of(1.0, 1.1, 0.9, 1.05, 0.95);
        assertFalse(RatioInterval.of(values, values).showsDifference());
    }

    @Test
    void coversTrueRatioAtStatedConfidence() {
        for (int size : new int[] {5, 9, 40}) {
            Random random = new Random(size);
            int covered = 0;
            for (int i = 0; i < 2000; i++) {
                RatioInterval interval =
                        RatioInterval.of(sample(random, size, 1), sample(random, size, 1.3));
                covered += interval.low() <= 1.3 && interval.high() >= 1.3 ? 1 : 0;
            }
            assertEquals(0.96, covered / 2000.0, 0.02, "samples of " + size);
        }
    }

    private static List<Double> sample(Random random, int size, double factor) {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            values.add(factor * Math.exp(random.nextGaussian()));
        }
        return values;
    }
}
