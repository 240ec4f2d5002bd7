// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimedBackoffTest {
    private final TimedBackoff backoff = new TimedBackoff();

    @Test
    void yieldsForMinimumTimeBeforeParking() {
        long beganNs = System.nanoTime();
        idleUntilItParks();
        assertTrue(System.nanoTime() - beganNs >= TimedBackoff.YIELD_NS);
    }

    @Test
    void yieldsOncePerTurn() {
        long turn = TimedBackoff.TURN_NS;
        assertFalse(backoff.isTurnOver(5));
        assertFalse(backoff.isTurnOver(4 + turn));
        assertTrue(backoff.isTurnOver(5 + turn));
        // The other threads' time on the CPU, while this one yields, is not part of its turn.
        assertFalse(backoff.isTurnOver(5 + 100 * turn));
        assertFalse(backoff.isTurnOver(4 + 101 * turn));
        assertTrue(backoff.isTurnOver(5 + 101 * turn));
    }

    @Test
    void doublesParkTimeUpToOneMillisecond() {
        idleUntilItParks();
        for (long parkNs = Idling.MIN_PARK_NS; parkNs < Idling.MAX_PARK_NS; parkNs *= 2) {
            assertEquals(parkNs, backoff.parkNs());
            backoff.idle(0);
        }
        assertEquals(Idling.MAX_PARK_NS, backoff.parkNs());
        long beganNs = System.nanoTime();
        backoff.idle(0);
        assertTrue(System.nanoTime() - beganNs >= Idling.MAX_PARK_NS / 2);
        assertEquals(Idling.MAX_PARK_NS, backoff.parkNs());
    }

    @Test
    void startsOverAfterWork() {
        idleUntilItParks();
        backoff.idle(1);
        yieldsForMinimumTimeBeforeParking();
    }

    @Test
    void isUsedOnlyByNetworkThreadsWithBackoff() {
        for (Idling idling : Idling.values()) {
            boolean isTimed = idling.networkStrategy() instanceof TimedBackoff;
            assertEquals(idling == Idling.BACKOFF, isTimed, idling.name());
            assertFalse(idling.strategy() instanceof TimedBackoff, idling.name());
        }
    }

    private void idleUntilItParks() {
        while (backoff.parkNs() == 0) {
            backoff.idle(0);
        }
    }
}
