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
    void aCycleCountsThatTakesLongerThanTheThreshold() {
        AtomicCounter max = counters.newCounter("max");
        AtomicCounter exceeded = counters.newCounter("exceeded");
        CycleTime time = new CycleTime(max, exceeded, 10);
        for (long nowNs : new long[] {1000, 1010, 1021, 1030, 1055, 1056}) {
            time.onCycle(nowNs);
        }
        assertEquals(25, max.get());
        assertEquals(2, exceeded.get());
    }
}
