// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The number of known drivers is bounded, and silent ones are forgotten. */
class KnownDriversTest {
    private static final long TIMEOUT_MS = 1000;

    private final KnownDrivers known = new KnownDrivers(TIMEOUT_MS);

    private static ResolutionEntry entry(boolean isSelf, String host, long ageMs, String name) {
        return new ResolutionEntry(
                isSelf, new InetSocketAddress(InetAddress.ofLiteral(host), 8050), ageMs, name);
    }

    @Test
    void forgetsSilentDriver() {
        known.onEntry(entry(true, "10.0.0.1", 0, "A"), 100);
        known.forgetOld(100 + TIMEOUT_MS);
        assertEquals(InetAddress.ofLiteral("10.0.0.1"), known.address("A"));
        assertEquals(1, known.neighbors().size());
        known.forgetOld(101 + TIMEOUT_MS);
        assertNull(known.address("A"));
        assertEquals(0, known.neighbors().size());
    }

    @Test
    void forgetsSilentDriverDespiteReportsOfOthers() {
        known.onEntry(entry(true, "10.0.0.1", 0, "A"), 0);
        known.onEntry(entry(false, "10.0.0.1", 900, "A"), 900);
        known.forgetOld(1001);
        assertNull(known.address("A"));
        known.onEntry(entry(false, "10.0.0.1", 1001, "A"), 1001);
        assertNull(known.address("A"));
        assertEquals(0, known.neighbors().size());
    }

    @Test
    void findsMovedDriverAtNewAddress() {
        known.onEntry(entry(true, "10.0.0.1", 0, "A"), 0);
        known.onEntry(entry(true, "10.0.0.2", 0, "A"), 10);
        known.onEntry(entry(false, "10.0.0.1", 15, "A"), 20); // an older report from another driver
        assertEquals(InetAddress.ofLiteral("10.0.0.2"), known.address("A"));
    }

    @Test
    void limitsNumberOfEntries() {
        for (int i = 0; i < KnownDrivers.MAX_ENTRIES; i++) {
            assertTrue(
                    known.onEntry(entry(true, "10.0." + i / 250 + "." + i % 250, 0, "n" + i), 0));
        }
        assertFalse(known.onEntry(entry(true, "10.9.9.9", 0, "one more"), 0));
        assertEquals(KnownDrivers.MAX_ENTRIES, known.names().size());
        assertEquals(KnownDrivers.MAX_ENTRIES, known.neighbors().size());
        assertTrue(known.onEntry(entry(true, "10.0.0.1", 0, "n1"), 500));
    }
}
