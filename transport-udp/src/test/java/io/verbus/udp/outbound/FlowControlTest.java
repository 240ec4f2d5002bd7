// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

class FlowControlTest {
    private static final long TIMEOUT = 100;

    private final AtomicCounter receivers =
            new AtomicCounter(new UnsafeBuffer(new byte[CountersReader.COUNTER_LENGTH]), 0);

    private MinFlowControl min(long position, long timeoutNs, int groupSize) {
        return new MinFlowControl(position, timeoutNs, timeoutNs, groupSize, receivers);
    }

    private static void check(FlowControl flow, long consumed, long limit) {
        assertEquals(consumed, flow.consumed());
        assertEquals(limit, flow.limit());
    }

    @Test
    void grantsNoCreditWithoutReceivers() {
        for (FlowControl flow :
                new FlowControl[] {new MaxFlowControl(64, TIMEOUT, false), min(64, TIMEOUT, 1)}) {
            assertFalse(flow.hasReceivers(0));
            check(flow, 64, 64);
        }
    }

    @Test
    void onlyNewReceiverLowersLimit() {
        FlowControl flow = new MaxFlowControl(0, TIMEOUT, false);
        flow.onStatus(128, 1024, 1, 0);
        check(flow, 128, 1152);
        flow.onStatus(64, 1024, 1, 1); // reordered
        check(flow, 128, 1152);
        flow.onStatus(192, 256, 2, 2);
        check(flow, 192, 448);
        assertTrue(flow.hasReceivers(101));
        assertFalse(flow.hasReceivers(102));
        flow.onStatus(192, 256, 2, 200);
        flow.onLeave(1);
        assertTrue(flow.hasReceivers(201));
        flow.onLeave(2);
        assertFalse(flow.hasReceivers(201));
    }

    @Test
    void maxStaysConnectedUntilLastReceiverLeaves() {
        FlowControl flow = new MaxFlowControl(0, TIMEOUT, true);
        flow.onStatus(0, 1024, 1, 0);
        flow.onStatus(0, 1024, 2, 0);
        flow.onLeave(1);
        assertTrue(flow.hasReceivers(0));
        flow.onLeave(2);
        assertFalse(flow.hasReceivers(0));
        flow.onStatus(0, 1024, 2, 1); // rejoins
        assertTrue(flow.hasReceivers(TIMEOUT));
        assertFalse(flow.hasReceivers(TIMEOUT + 1));
    }

    @Test
    void maxCountsReceiversBeyondCapacityUntilAllAreSilent() {
        FlowControl flow = new MaxFlowControl(0, TIMEOUT, true);
        for (int id = 0; id <= GroupReceivers.CAPACITY; id++) {
            flow.onStatus(0, 1024, id, 0);
        }
        for (int id = 0; id <= GroupReceivers.CAPACITY; id++) {
            flow.onLeave(id);
        }
        assertTrue(flow.hasReceivers(TIMEOUT - 1));
        assertFalse(flow.hasReceivers(TIMEOUT));
    }

    @Test
    void maxFollowsFastestReceiver() {
        FlowControl flow = new MaxFlowControl(0, TIMEOUT, true);
        flow.onStatus(128, 1024, 1, 0);
        flow.onStatus(64, 1024, 2, 0);
        check(flow, 128, 1152);
        flow.onLeave(1);
        assertTrue(flow.hasReceivers(1));
    }

    @Test
    void minFollowsSlowestReceiverUntilItLeaves() {
        FlowControl flow = min(0, TIMEOUT, 1);
        flow.onStatus(128, 1024, 1, 0);
        check(flow, 128, 1152);
        flow.onStatus(256, 1024, 2, 50);
        check(flow, 128, 1152);
        assertTrue(flow.hasReceivers(100));
        check(flow, 256, 1280);
        flow.onStatus(512, 1024, 3, 100);
        check(flow, 256, 1280);
        flow.onLeave(2);
        check(flow, 512, 1536);
        flow.onStatus(
                320, 1024, 4, 100); // joins further behind; the released position does not change
        check(flow, 512, 1344);
        flow.onLeave(3);
        flow.onLeave(4);
        assertFalse(flow.hasReceivers(101));
    }

    @Test
    void taggedConsidersOnlyReceiversWithTag() {
        FlowControl flow = new TaggedFlowControl(0, TIMEOUT, TIMEOUT, 1, receivers, 7);
        assertTrue(flow.heeds(true, 7));
        assertFalse(flow.heeds(true, 8));
        assertFalse(flow.heeds(false, 7));
        assertTrue(min(0, TIMEOUT, 1).heeds(false, 0));
    }

    @Test
    void minIgnoresReceiversBeyondCapacity() {
        FlowControl flow = min(0, TIMEOUT, 1);
        for (int id = 0; id < MinFlowControl.CAPACITY; id++) {
            flow.onStatus(1024, 1024, id, 0);
        }
        flow.onStatus(64, 64, 1000, 0);
        check(flow, 1024, 2048);
    }

    @Test
    void minConnectsOnceGroupSizeIsReached() {
        FlowControl flow = min(0, 1000, 2);
        flow.onStatus(0, 100, 1, 0);
        assertFalse(flow.hasReceivers(1));
        flow.onStatus(0, 50, 2, 10);
        assertTrue(flow.hasReceivers(11));
        assertEquals(50, flow.limit());
        assertFalse(flow.hasReceivers(1005));
        flow.onStatus(0, 100, 1, 1006);
        assertTrue(flow.hasReceivers(1007));
        flow.onLeave(1);
        assertFalse(flow.hasReceivers(1008));
    }

    @Test
    void minWaitsForReceiverUntilTimeout() {
        FlowControl flow = new MinFlowControl(0, 500, TIMEOUT, 1, receivers);
        flow.onStatus(64, 100, 1, 0);
        flow.onStatus(256, 100, 2, 90);
        assertEquals(2, receivers.get());
        assertTrue(flow.hasReceivers(189));
        check(flow, 64, 164);
        assertFalse(flow.hasReceivers(190), "all are silent");
        assertEquals(2, receivers.get());
        flow.onStatus(256, 100, 2, 500);
        assertTrue(flow.hasReceivers(501));
        check(flow, 256, 356);
        assertEquals(1, receivers.get());
    }
}
