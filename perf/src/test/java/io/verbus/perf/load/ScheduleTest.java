// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;

class ScheduleTest {
    @Test
    void spreadsMessagesWithoutDrift() {
        Schedule schedule = new Schedule(100, 3, 1);

        assertEquals(100, schedule.timeOf(0));
        assertEquals(100 + 333_333_333L, schedule.timeOf(1));
        assertEquals(100 + 666_666_666L, schedule.timeOf(2));
        assertEquals(100 + 1_000_000_000L, schedule.timeOf(3));
        assertEquals(100 + 1_000_000_000_000L, schedule.timeOf(3000));
    }

    @Test
    void makesMessagesOfBurstDueTogether() {
        Schedule schedule = new Schedule(100, 1000, 10);

        assertEquals(100, schedule.timeOf(9));
        assertEquals(100 + 10_000_000L, schedule.timeOf(10));
        assertEquals(100 + 10_000_000L, schedule.timeOf(19));
    }

    @Property
    void computesExactDueTimes(
            @ForAll @LongRange(min = 1, max = 100_000_000) long rate,
            @ForAll @LongRange(min = 0, max = 1_000_000_000) long number) {
        BigInteger exact =
                BigInteger.valueOf(number)
                        .multiply(BigInteger.valueOf(1_000_000_000))
                        .divide(BigInteger.valueOf(rate));

        assertEquals(exact.longValueExact(), new Schedule(0, rate, 1).timeOf(number));
    }
}
