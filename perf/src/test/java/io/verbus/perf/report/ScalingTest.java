// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ScalingTest {
    @Test
    void keepsSustainableRate() {
        Scaling scaling = Scaling.of(501_000, 1_100_000, 50);
        assertEquals(501_000, scaling.rate());
        assertTrue(scaling.text().contains("so the rate of 501,000/s is kept"), scaling.text());
    }

    @Test
    void lowersRateToPercentageOfSustainableRate() {
        Scaling scaling = Scaling.of(501_000, 200_000.9, 25);
        assertEquals(50_000, scaling.rate());
        assertTrue(scaling.text().contains("was lowered to 50,000/s"), scaling.text());
    }

    @Test
    void neverLowersRateBelowOne() {
        assertEquals(1, Scaling.of(501_000, 0.5, 50).rate());
    }
}
