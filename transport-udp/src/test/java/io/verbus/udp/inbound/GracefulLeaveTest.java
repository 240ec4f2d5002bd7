// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GracefulLeaveTest {
    private static final long MS = 1_000_000;

    @Test
    void leavesQuietSenderAndWaitsForFramesInFlight() {
        GracefulLeave leave = new GracefulLeave(100, 0);
        assertFalse(leave.isLeavingDue(100, false, false, 49 * MS));
        assertTrue(leave.isLeavingDue(100, false, false, 50 * MS));
        assertTrue(leave.hasLeft());
        assertFalse(leave.isOver(99 * MS));
        // Frames in flight arrive; the sender is notified again only if it keeps sending.
        assertFalse(leave.isLeavingDue(132, false, false, 55 * MS));
        assertFalse(leave.isOver(104 * MS));
        assertTrue(leave.isLeavingDue(164, false, false, 90 * MS));
        assertFalse(leave.isOver(139 * MS));
        assertTrue(leave.isOver(140 * MS));
    }

    @Test
    void leavesSenderWithoutCreditImmediately() {
        assertTrue(new GracefulLeave(100, 0).isLeavingDue(128, false, true, MS));
    }

    @Test
    void waitsForMissingFramesBeforeLeaving() {
        GracefulLeave leave = new GracefulLeave(100, 0);
        assertFalse(leave.isLeavingDue(100, true, false, 60 * MS));
        assertFalse(leave.isLeavingDue(100, true, false, 2_000 * MS));
        assertTrue(leave.isLeavingDue(100, false, false, 2_001 * MS));
    }

    @Test
    void leavesSenderThatNeverStopsAfterTimeout() {
        GracefulLeave leave = new GracefulLeave(0, 0);
        for (long ms = 1; ms < 1_000; ms++) {
            assertFalse(leave.isLeavingDue(32 * ms, false, false, ms * MS));
        }
        assertTrue(leave.isLeavingDue(32_000, false, false, 1_000 * MS));
    }
}
