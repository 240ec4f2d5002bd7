// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimedBackoffTest {
    private final TimedBackoff backoff = new TimedBackoff();

    @Test
    void yieldsForATimeHoweverShortItsTurnsAre() {
        long beganNs = System.nanoTime();
        idleUntilItParks();
        assertTrue(System.nanoTime() - beganNs >= TimedBackoff.YIELD_NS);
    }

    @Test
    void parksTwiceAsLongEachTimeUpToAMillisecond() {
        idleUntilItParks();
        for (long parkNs = TimedBackoff.MIN_PARK_NS;
                parkNs < TimedBackoff.MAX_PARK_NS;
                parkNs *= 2) {
            assertEquals(parkNs, backoff.parkNs());
            backoff.idle(0);
        }
        assertEquals(TimedBackoff.MAX_PARK_NS, backoff.parkNs());
        long beganNs = System.nanoTime();
        backoff.idle(0);
        assertTrue(System.nanoTime() - beganNs >= TimedBackoff.MAX_PARK_NS / 2);
        assertEquals(TimedBackoff.MAX_PARK_NS, backoff.parkNs());
    }

    @Test
    void beginsAnewAfterWork() {
        idleUntilItParks();
        backoff.idle(1);
        yieldsForATimeHoweverShortItsTurnsAre();
    }

    private void idleUntilItParks() {
        while (backoff.parkNs() == 0) {
            backoff.idle(0);
        }
    }
}
