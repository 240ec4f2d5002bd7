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

class RetransmitsTest {
    private static final long LINGER = 1000;

    private final Retransmits retransmits = new Retransmits(LINGER);

    private long sendAll() {
        long bytes = 0;
        int index;
        while ((index = retransmits.pending()) >= 0) {
            bytes += retransmits.end(index) - retransmits.next(index);
            retransmits.sentTo(index, retransmits.end(index));
        }
        return bytes;
    }

    @Test
    void aRangeIsSentOnceALingerTime() {
        assertTrue(retransmits.add(64, 128, 0));
        assertFalse(retransmits.add(64, 128, 1));
        assertEquals(64, sendAll());
        assertFalse(retransmits.add(64, 128, LINGER - 1));
        assertFalse(retransmits.add(96, 128, LINGER - 1));
        assertEquals(-1, retransmits.pending());
        assertTrue(retransmits.add(64, 128, LINGER));
        assertEquals(64, sendAll());
    }

    @Test
    void onlyWhatIsNewOfARangeIsSent() {
        assertTrue(retransmits.add(128, 256, 0));
        assertEquals(128, sendAll());
        assertTrue(retransmits.add(192, 320, 1));
        assertEquals(64, sendAll());
        assertTrue(retransmits.add(64, 512, 1)); // up to the next that lingers
        assertEquals(64, sendAll());
    }

    @Test
    void aRangeThatWaitsIsKeptThoughItsTimeIsOver() {
        assertTrue(retransmits.add(64, 128, 0));
        assertFalse(retransmits.add(64, 128, 5 * LINGER));
        assertEquals(64, sendAll());
    }

    @Test
    void noMoreThanACapacityOfRangesLinger() {
        for (int i = 0; i < Retransmits.CAPACITY; i++) {
            assertTrue(retransmits.add(4000 - i * 20, 4010 - i * 20, 0));
        }
        assertFalse(retransmits.add(5000, 6000, 1));
        assertEquals(10 * Retransmits.CAPACITY, sendAll());
        assertTrue(retransmits.add(5000, 6000, LINGER));
    }

    @Property
    void noByteIsSentTwiceInALingerTime(
            @ForAll @Size(max = 200) List<@IntRange(max = 1023) Integer> begins,
            @ForAll @Size(max = 200) List<@IntRange(min = 1, max = 300) Integer> lengths) {
        Retransmits ranges = new Retransmits(LINGER);
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
