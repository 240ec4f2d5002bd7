// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.List;

class MissingRangesTest {
    private static final int CAPACITY = 64;
    private static final long LINGER = 1000;

    private final MissingRanges ranges = new MissingRanges(CAPACITY, LINGER);

    private long sendAll() {
        long bytes = 0;
        int index;
        while ((index = ranges.pending()) >= 0) {
            bytes += ranges.end(index) - ranges.next(index);
            ranges.sentTo(index, ranges.end(index));
        }
        return bytes;
    }

    @Test
    void sendsRangeOncePerLingerTime() {
        assertTrue(ranges.add(64, 128, 0));
        assertFalse(ranges.add(64, 128, 1));
        assertEquals(64, sendAll());
        assertFalse(ranges.add(64, 128, LINGER - 1));
        assertFalse(ranges.add(96, 128, LINGER - 1));
        assertEquals(-1, ranges.pending());
        assertTrue(ranges.add(64, 128, LINGER));
        assertEquals(64, sendAll());
    }

    @Test
    void sendsOnlyNewPartOfRange() {
        assertTrue(ranges.add(128, 256, 0));
        assertEquals(128, sendAll());
        assertTrue(ranges.add(192, 320, 1));
        assertEquals(64, sendAll());
        assertTrue(ranges.add(64, 512, 1)); // only up to the next lingering range
        assertEquals(64, sendAll());
    }

    @Test
    void keepsPendingRangeAfterLingerTime() {
        assertTrue(ranges.add(64, 128, 0));
        assertFalse(ranges.add(64, 128, 5 * LINGER));
        assertEquals(64, sendAll());
    }

    @Test
    void extendsPendingRange() {
        assertTrue(ranges.add(64, 96, 0));
        assertTrue(ranges.add(64, 512, 0), "extends the pending range");
        assertFalse(ranges.add(96, 128, 0));
        assertEquals(448, sendAll());
    }

    /** A range may end within a frame; the next one then starts at the end of that frame. */
    @Test
    void suppressesRepeatsUpToSentPosition() {
        assertTrue(ranges.add(64, 96, 0));
        ranges.sentTo(ranges.pending(), 320);
        assertFalse(ranges.add(96, 128, 1));
        assertTrue(ranges.add(64, 512, 1));
        assertEquals(320, ranges.next(ranges.pending()));
        ranges.cut(ranges.pending());
        assertEquals(-1, ranges.pending());
        assertTrue(ranges.add(320, 512, 1), "this part was not sent");
    }

    @Test
    void mergesClosestRangesWhenFull() {
        for (int i = 0; i < CAPACITY; i++) {
            assertTrue(ranges.add(4000 - i * 20, 4010 - i * 20, 0));
        }
        assertEquals(10 * CAPACITY, sendAll());
        assertTrue(ranges.add(5000, 6000, 1));
        assertEquals(1000 + 10, sendAll(), "the range, and the gap between two others");
        assertFalse(ranges.add(5000, 6000, LINGER));
        assertTrue(ranges.add(5000, 6000, LINGER + 1));
    }

    @Test
    void mergesRangesInTableWithOneEntry() {
        MissingRanges one = new MissingRanges(1, LINGER);
        assertTrue(one.add(64, 128, 0));
        assertTrue(one.add(256, 320, 1));
        int index = one.pending();
        assertEquals(64, one.next(index));
        assertEquals(320, one.end(index));
        one.sentTo(index, 320);
        assertEquals(-1, one.pending());
        assertTrue(one.add(0, 32, 2));
        assertEquals(0, one.next(one.pending()));
        assertEquals(64, one.end(one.pending()), "up to the lingering range");
    }

    /** Requests for other ranges must not exclude any range. */
    @Property
    void sendsEveryRequestedRangeOnceUnderAnyLoad(
            @ForAll @Size(min = 100, max = 900) List<@IntRange(max = 4095) Integer> begins,
            @ForAll @IntRange(min = 1, max = 3) int length) {
        MissingRanges ranges = new MissingRanges(CAPACITY, LINGER);
        int[] sent = new int[4200];
        for (int i = 0; i < begins.size(); i++) {
            ranges.add(begins.get(i), begins.get(i) + length, i);
            int index;
            while ((index = ranges.pending()) >= 0) {
                for (long at = ranges.next(index); at < ranges.end(index); at++) {
                    sent[(int) at]++;
                    assertEquals(1, sent[(int) at], "twice: " + at);
                }
                ranges.sentTo(index, ranges.end(index));
            }
            assertTrue(sent[begins.get(i)] > 0, "never sent: " + begins.get(i));
        }
    }

    @Property
    void neverResendsByteWithinLingerTime(
            @ForAll @Size(max = CAPACITY) List<@IntRange(max = 1023) Integer> begins,
            @ForAll @Size(max = CAPACITY) List<@IntRange(min = 1, max = 300) Integer> lengths) {
        MissingRanges ranges = new MissingRanges(CAPACITY, LINGER);
        boolean[] sent = new boolean[2048];
        for (int i = 0; i < Math.min(begins.size(), lengths.size()); i++) {
            ranges.add(begins.get(i), begins.get(i) + lengths.get(i), i);
            int index = ranges.pending();
            if (index >= 0) {
                for (long at = ranges.next(index); at < ranges.end(index); at++) {
                    assertFalse(sent[(int) at], "twice: " + at);
                    sent[(int) at] = true;
                }
                ranges.sentTo(index, ranges.end(index));
            }
        }
    }
}
