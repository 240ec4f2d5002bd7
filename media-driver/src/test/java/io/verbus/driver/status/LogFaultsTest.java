// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

class LogFaultsTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Error FAULT =
            new InternalError("a fault occurred in an unsafe memory access operation");

    private final List<Throwable> errors = new ArrayList<>();
    private final LogFaults faults = new LogFaults(errors::add);
    private int truncated;

    private int mend() {
        return faults.mend(() -> truncated);
    }

    @Test
    void acceptsOnlyMemoryFaults() {
        assertTrue(faults.take(FAULT));
        assertFalse(faults.take(new InternalError("another")));
        assertFalse(faults.take(new InternalError()));
        assertFalse(faults.take(new OutOfMemoryError("unsafe memory access")));
    }

    @Test
    void searchesForTruncatedLogsOncePerFault() {
        assertEquals(0, mend());
        truncated = 1;
        faults.take(FAULT);
        assertEquals(1, mend());
        assertEquals(0, mend());
        assertEquals(List.of(), errors);
    }

    @Test
    void logsFaultOutsideLogs() {
        faults.take(FAULT);
        assertEquals(1, mend());
        assertEquals(FAULT, errors.getFirst().getCause());
    }

    @Test
    void rejectsRepeatedFaultsWithoutTruncatedLog() {
        long nowNs = Long.MAX_VALUE - SECOND_NS;
        for (int i = 0; i <= 20; i++) {
            assertTrue(faults.take(FAULT, nowNs + i * SECOND_NS / 10));
            mend();
        }
        assertFalse(faults.take(FAULT, nowNs + 21 * SECOND_NS / 10));
    }

    @Test
    void acceptsRepeatedFaultsWhileTruncatedLogsAreFound() {
        truncated = 1;
        for (int i = 0; i <= 100; i++) {
            assertTrue(faults.take(FAULT, i * SECOND_NS / 10));
            mend();
        }
    }

    @Test
    void acceptsRareFaults() {
        for (int i = 0; i <= 10; i++) {
            assertTrue(faults.take(FAULT, i * 3 * SECOND_NS));
            mend();
        }
    }
}
