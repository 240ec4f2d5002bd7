// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbus.perf.load.Load;

import org.junit.jupiter.api.Test;

import java.util.List;

class RatesTest {
    @Test
    void singleRateAppliesToAllLengths() {
        Rates rates = Rates.parse("2K");
        assertEquals(2_000, rates.of(List.of(32, 288), 0));
        assertEquals(2_000, rates.of(List.of(32, 288), 1));
        assertEquals(List.of(64), rates.lengths(64));
    }

    @Test
    void severalRatesApplyToLengthsInOrder() {
        Rates rates = Rates.parse("501K,1M,7");
        List<Integer> lengths = List.of(32, 32, 1344);
        assertEquals(501_000, rates.of(lengths, 0));
        assertEquals(1_000_000, rates.of(lengths, 1));
        assertEquals(7, rates.of(lengths, 2));
        assertThrows(IllegalArgumentException.class, () -> rates.of(List.of(32, 64), 0));
        assertEquals(3, rates.count(lengths));
    }

    @Test
    void treatsSeveralRatesOfOneLengthAsSweep() {
        Rates rates = Rates.parse("10k,50K,1m");
        assertEquals(3, rates.count(List.of(32)));
        assertEquals(10_000, rates.of(List.of(32), 0));
        assertEquals(1_000_000, rates.of(List.of(32), 2));
        assertEquals(1, Rates.parse("max").count(List.of(32)));
    }

    @Test
    void fieldRatesApplyToFieldLengths() {
        Rates rates = Rates.parse("field");
        assertEquals(List.of(32, 288, 1344), rates.lengths(64));
        assertEquals(501_000, rates.of(List.of(32), 0));
        assertEquals(101_000, rates.of(List.of(288, 1344), 1));
    }

    @Test
    void maxMeansUnlimitedRate() {
        assertEquals(Load.MAX, Rates.parse("max").of(List.of(32), 0));
    }
}
