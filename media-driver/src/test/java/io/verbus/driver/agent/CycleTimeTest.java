// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

class CycleTimeTest {
    private final CountersManager counters =
            new CountersManager(
                    new UnsafeBuffer(ByteBuffer.allocateDirect(4 * CountersReader.METADATA_LENGTH)),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(4 * CountersReader.COUNTER_LENGTH)));

    @Test
    void countsCycleLongerThanThreshold() {
        AtomicCounter max = counters.newCounter("max");
        AtomicCounter exceeded = counters.newCounter("exceeded");
        CycleTime time = new CycleTime(max, counters.newCounter("recent"), exceeded, 10);
        for (long nowNs : new long[] {1000, 1010, 1021, 1030, 1055, 1056}) {
            time.onCycle(nowNs);
        }
        assertEquals(25, max.get());
        assertEquals(2, exceeded.get());
    }

    @Test
    void forgetsLongestCycleAfterTwoWindows() {
        AtomicCounter max = counters.newCounter("max");
        AtomicCounter recent = counters.newCounter("recent");
        CycleTime time = new CycleTime(max, recent, counters.newCounter("exceeded"), 10);
        long second = CycleTime.WINDOW_NS / 10;
        long nowNs = 1 << 20;
        time.onCycle(nowNs);
        time.onCycle(nowNs += 3 * second);
        assertEquals(3 * second, recent.get(), "at once");
        for (int i = 0; i < 10; i++) {
            time.onCycle(nowNs += second);
            assertEquals(3 * second, recent.get(), "in its window and the next");
        }
        for (int i = 0; i < 12; i++) {
            time.onCycle(nowNs += second);
        }
        assertEquals(second, recent.get());
        assertEquals(3 * second, max.get(), "since the start");
        time.onCycle(nowNs += 2 * second);
        assertEquals(2 * second, recent.get());
    }
}
