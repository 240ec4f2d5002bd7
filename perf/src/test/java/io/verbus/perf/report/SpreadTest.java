// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;

class SpreadTest {
    @Test
    void computesMedianOfOddNumberOfValues() {
        assertEquals(new Spread(2, 1, 9), Spread.of(List.of(9.0, 1.0, 2.0)));
        assertEquals(new Spread(4, 4, 4), Spread.of(List.of(4.0)));
    }

    @Test
    void computesMedianOfEvenNumberOfValues() {
        assertEquals(new Spread(2.5, 1, 9), Spread.of(List.of(9.0, 3.0, 1.0, 2.0)));
    }
}
