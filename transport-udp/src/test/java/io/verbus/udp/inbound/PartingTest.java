// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PartingTest {
    private static final long MS = 1_000_000;

    @Test
    void leavesQuietSenderAndWaitsForFramesInFlight() {
        Parting parting = new Parting(100, 0);
        assertFalse(parting.isLeavingDue(100, false, false, 49 * MS));
        assertTrue(parting.isLeavingDue(100, false, false, 50 * MS));
        assertTrue(parting.hasLeft());
        assertFalse(parting.isOver(99 * MS));
        // Frames in flight arrive; the sender is notified again only if it keeps sending.
        assertFalse(parting.isLeavingDue(132, false, false, 55 * MS));
        assertFalse(parting.isOver(104 * MS));
        assertTrue(parting.isLeavingDue(164, false, false, 90 * MS));
        assertFalse(parting.isOver(139 * MS));
        assertTrue(parting.isOver(140 * MS));
    }

    @Test
    void leavesSenderWithoutCreditImmediately() {
        assertTrue(new Parting(100, 0).isLeavingDue(128, false, true, MS));
    }

    @Test
    void waitsForMissingFramesBeforeLeaving() {
        Parting parting = new Parting(100, 0);
        assertFalse(parting.isLeavingDue(100, true, false, 60 * MS));
        assertFalse(parting.isLeavingDue(100, true, false, 2_000 * MS));
        assertTrue(parting.isLeavingDue(100, false, false, 2_001 * MS));
    }

    @Test
    void leavesSenderThatNeverStopsAfterTimeout() {
        Parting parting = new Parting(0, 0);
        for (long ms = 1; ms < 1_000; ms++) {
            assertFalse(parting.isLeavingDue(32 * ms, false, false, ms * MS));
        }
        assertTrue(parting.isLeavingDue(32_000, false, false, 1_000 * MS));
    }
}
