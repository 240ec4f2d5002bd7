// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RefusalReportsTest {
    private static final int EACCES = 13;
    private static final long SECOND_NS = 1_000_000_000;

    private final RefusalReports refusals = new RefusalReports();

    @Test
    void reportsOneRefusalPerSecond() {
        assertTrue(refusals.isDue(EACCES, 5));
        assertFalse(refusals.isDue(EACCES, 6));
        assertFalse(refusals.isDue(EACCES, 4 + SECOND_NS));
        assertTrue(refusals.isDue(EACCES, 5 + SECOND_NS));
        assertFalse(refusals.isDue(EACCES, 6 + SECOND_NS));
    }

    @Test
    void ignoresTransientRefusals() {
        assertFalse(refusals.isDue(0, 5));
        assertTrue(refusals.isDue(EACCES, 6), "must not count as reported");
    }
}
