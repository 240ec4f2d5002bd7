// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

class LookUpTimesTest {
    private final CountersManager counters =
            new CountersManager(
                    new UnsafeBuffer(ByteBuffer.allocateDirect(4 * CountersReader.METADATA_LENGTH)),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(4 * CountersReader.COUNTER_LENGTH)));

    @Test
    void countsLookUpLongerThanThreshold() {
        AtomicCounter longest = counters.newCounter("longest");
        AtomicCounter exceeded = counters.newCounter("exceeded");
        LookUpTimes times = new LookUpTimes(longest, exceeded, 10);
        for (long ns : new long[] {3, 10, 11, 9, 25, 1}) {
            times.accept(ns);
        }
        assertEquals(25, longest.get());
        assertEquals(2, exceeded.get());
    }
}
