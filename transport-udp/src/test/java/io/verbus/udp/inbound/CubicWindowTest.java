// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.List;

class CubicWindowTest {
    private static final long MS = 1_000_000;

    /** Each step takes a millisecond: a loss if it is 0, else progress in hundreds of bytes. */
    @Property
    void keepsWindowBetweenDatagramAndStaticWindow(
            @ForAll @IntRange(min = 1, max = 512) int windowKib,
            @ForAll @IntRange(min = 2, max = 256) int mtuUnits,
            @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 2000) Integer> steps) {
        int window = windowKib * 1024;
        int mtu = mtuUnits * 32;
        CubicWindow cubic = new CubicWindow(window, mtu, MS);
        long nowNs = 1;
        for (int step : steps) {
            nowNs += MS;
            int before = cubic.window();
            if (step == 0) {
                cubic.onLoss(nowNs);
                assertTrue(cubic.window() <= before, "a loss widened the window");
            } else {
                cubic.onProgress(step * 100L, nowNs);
                assertTrue(cubic.window() >= before, "progress narrowed the window");
            }
            assertTrue(cubic.window() <= window, cubic.window() + " of " + window);
            assertTrue(cubic.window() >= Math.min(mtu, window), cubic.window() + " for " + mtu);
        }
    }

    @Property(tries = 200)
    void reducesWindowByThreeTenthsOncePerRoundTrip(
            @ForAll @IntRange(min = 20, max = 1000) int datagrams,
            @ForAll @IntRange(min = 1, max = 20) int losses) {
        CubicWindow cubic = new CubicWindow(datagrams * 1408, 1408, 10 * MS);
        widen(cubic, datagrams);
        int before = cubic.window();
        for (int i = 0; i < losses; i++) {
            cubic.onLoss(100 * MS + i * MS / 4);
        }
        assertEquals(0.7, (double) cubic.window() / before, 0.05);
        cubic.onLoss(200 * MS);
        assertEquals(0.49, (double) cubic.window() / before, 0.05);
    }

    @Property(tries = 200)
    void recoversWindowWithoutLosses(
            @ForAll @IntRange(min = 20, max = 1000) int datagrams,
            @ForAll @IntRange(min = 1, max = 30) int losses) {
        CubicWindow cubic = new CubicWindow(datagrams * 1408, 1408, MS);
        widen(cubic, datagrams);
        long nowNs = 0;
        for (int i = 0; i < losses; i++) {
            nowNs += 10 * MS;
            cubic.onLoss(nowNs);
        }
        for (int i = 0; i < 60_000 && cubic.window() < datagrams * 1408; i++) {
            nowNs += MS;
            cubic.onProgress(1408, nowNs);
        }
        assertEquals(datagrams * 1408, cubic.window());
    }

    private static void widen(CubicWindow cubic, int datagrams) {
        assertTrue(cubic.window() <= 10 * 1408);
        cubic.onProgress(datagrams * 1408L, 1);
        assertEquals(datagrams * 1408, cubic.window());
    }
}
