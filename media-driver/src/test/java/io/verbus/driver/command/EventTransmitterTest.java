// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.broadcast.BroadcastReceiver;
import org.agrona.concurrent.broadcast.CopyBroadcastReceiver;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class EventTransmitterTest {
    private static final int CAPACITY = 64 * 1024;
    private static final long CYCLE_NS = 100_000;

    private final UnsafeBuffer buffer =
            new UnsafeBuffer(
                    ByteBuffer.allocateDirect(CAPACITY + BroadcastBufferDescriptor.TRAILER_LENGTH));
    private final EventTransmitter transmitter = new EventTransmitter(buffer, 0);
    private final CopyBroadcastReceiver receiver =
            new CopyBroadcastReceiver(
                    new BroadcastReceiver(buffer), new UnsafeBuffer(new byte[CAPACITY]));
    private final UnsafeBuffer event = new UnsafeBuffer(new byte[4096]);
    private final List<Integer> received = new ArrayList<>();
    private int sent;

    private void transmit(int length) {
        event.putInt(0, ++sent);
        transmitter.transmit(1, event, 0, length);
    }

    /** Fails if it was overrun. */
    private void receive() {
        int count;
        do {
            count = receiver.receive((type, source, at, length) -> received.add(source.getInt(at)));
        } while (count > 0);
    }

    @Test
    void neverOverrunsSlowReceiver() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        receive();
        long readNs = 0;
        for (long nowNs = 0; nowNs < 10 * EventTransmitter.FILL_NS; nowNs += CYCLE_NS) {
            transmitter.work(nowNs);
            if (transmitter.isOpen()) {
                for (int i = random.nextInt(8); i >= 0; i--) {
                    transmit(16 + random.nextInt(200)); // 50 cycles refill more than two of them
                }
            }
            if (nowNs - readNs >= EventTransmitter.FOLLOWED_NS - 50 * CYCLE_NS) {
                readNs = nowNs;
                receive();
            }
        }
        transmitter.flush();
        receive();
        assertEquals(sent, received.size(), "seed " + seed);
        for (int i = 0; i < sent; i++) {
            assertEquals(i + 1, received.get(i));
        }
        assertTrue(sent > 5 * CAPACITY / 1024, "most of the time is used: " + sent);
    }

    @Test
    void sendsQuarterOfBufferInOneBurst() {
        receive();
        while (transmitter.isOpen()) {
            transmit(100);
        }
        receive();
        assertEquals(CAPACITY / 4 / 112 + 1, received.size());
        transmit(100);
        receive();
        assertEquals(sent - 1, received.size(), "the last waits");
        transmitter.work(EventTransmitter.FILL_NS / 100);
        receive();
        assertEquals(sent, received.size());
        assertTrue(transmitter.isOpen());
    }

    @Test
    void limitsRateOfLongBuffer() {
        int capacity = 16 * EventTransmitter.MAX_BYTES;
        ByteBuffer memory =
                ByteBuffer.allocateDirect(capacity + BroadcastBufferDescriptor.TRAILER_LENGTH);
        EventTransmitter of16 = new EventTransmitter(new UnsafeBuffer(memory), 0);
        long bytes = 0;
        for (long nowNs = 0; nowNs < 10 * EventTransmitter.FILL_NS; nowNs += CYCLE_NS) {
            of16.work(nowNs);
            while (of16.isOpen()) {
                of16.transmit(1, event, 0, 1016);
                bytes += 1024;
            }
        }
        long wanted = capacity / 4 + 10L * EventTransmitter.MAX_BYTES;
        assertTrue(Math.abs(bytes - wanted) < 64 * 1024, bytes + " bytes, not " + wanted);
    }

    @Test
    void isCrowdedIfPendingEventsExceedBuffer() {
        for (int i = 0; i < 16; i++) {
            transmit(4096);
        }
        assertFalse(transmitter.isCrowded());
        for (int i = 0; i < 16; i++) {
            transmit(4096);
        }
        assertTrue(transmitter.isCrowded());
        transmitter.flush();
        assertFalse(transmitter.isCrowded());
    }
}
