// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;
import org.agrona.concurrent.broadcast.RecordDescriptor;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Transmits events to all clients at a rate that each of them can follow. A client that is overrun
 * loses its connection to the driver, whichever client caused the events. The driver therefore
 * takes at least {@link #FILL_NS} to fill the buffer, apart from a limited burst, and queues
 * further events. A client that reads every {@link #FOLLOWED_NS}, less the time that two of the
 * longest events take, misses no event.
 *
 * <p>Clients can write to the buffer, so the driver keeps its own copy of the tail, and restores a
 * tail that a client has overwritten. Used by the conductor's thread.
 */
public final class EventTransmitter extends BroadcastTransmitter {
    /**
     * Minimum time to fill the buffer. Clients read every few milliseconds, Aeron's every 16 ms
     * when idle, and pause during garbage collection. With the default buffer of 1 MiB this allows
     * about 20,000 answers per second.
     */
    public static final long FILL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Maximum burst, as the buffer's length shifted right by this. */
    private static final int BURST_SHIFT = 2;

    /** Time for which a client may read nothing without being overrun. */
    public static final long FOLLOWED_NS = FILL_NS - (FILL_NS >> BURST_SHIFT);

    /**
     * Minimum time between updates of the budget: a shorter time does not justify a division, and
     * its result would round to zero.
     */
    private static final long REFILL_NS = TimeUnit.MICROSECONDS.toNanos(10);

    private record Event(int typeId, UnsafeBuffer body) {}

    private final AtomicBuffer buffer;
    private final int tailIndex;
    private final long burst;
    private final ArrayDeque<Event> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long tail;

    /** Bytes that may be sent now; negative after a longer event. */
    private long room;

    private long refilledNs;

    /**
     * @param buffer zeroed buffer of the events.
     * @param nowNs monotonic time.
     */
    public EventTransmitter(AtomicBuffer buffer, long nowNs) {
        super(buffer);
        this.buffer = buffer;
        tailIndex = capacity() + BroadcastBufferDescriptor.TAIL_COUNTER_OFFSET;
        burst = capacity() >> BURST_SHIFT;
        room = burst;
        refilledNs = nowNs;
    }

    /** Transmits an event as soon as earlier events are transmitted and clients can follow. */
    @Override
    public void transmit(int typeId, DirectBuffer source, int index, int length) {
        if (isOpen()) {
            send(typeId, source, index, length);
        } else {
            UnsafeBuffer body = new UnsafeBuffer(new byte[length]);
            body.putBytes(0, source, index, length);
            waiting.addLast(new Event(typeId, body));
            waitingBytes += length;
        }
    }

    /**
     * Returns whether an event would be transmitted immediately. Deferrable work is done only then.
     */
    public boolean isOpen() {
        return room > 0 && waiting.isEmpty();
    }

    /** Returns whether more events wait than fit in the buffer. */
    public boolean isCrowded() {
        return waitingBytes > capacity();
    }

    /**
     * Transmits waiting events, as far as clients can follow. Called every cycle.
     *
     * @return the number of transmitted events.
     */
    public int work(long nowNs) {
        long elapsedNs = nowNs - refilledNs;
        if (elapsedNs >= REFILL_NS) {
            refilledNs = nowNs;
            room = Math.min(burst, room + capacity() * Math.min(elapsedNs, FILL_NS) / FILL_NS);
        }
        int count = 0;
        while (room > 0 && !waiting.isEmpty()) {
            sendNext();
            count++;
        }
        return count;
    }

    /** Transmits all waiting events because the driver closes. */
    public void flush() {
        while (!waiting.isEmpty()) {
            sendNext();
        }
    }

    private void sendNext() {
        Event event = waiting.removeFirst();
        waitingBytes -= event.body.capacity();
        send(event.typeId, event.body, 0, event.body.capacity());
    }

    private void send(int typeId, DirectBuffer source, int index, int length) {
        if (buffer.getLong(tailIndex) != tail) {
            buffer.putLongRelease(tailIndex, tail);
        }
        super.transmit(typeId, source, index, length);
        int record =
                BitUtil.align(
                        length + RecordDescriptor.HEADER_LENGTH, RecordDescriptor.RECORD_ALIGNMENT);
        int toEnd = capacity() - ((int) tail & capacity() - 1);
        int taken = toEnd < record ? toEnd + record : record; // wraps if it does not fit
        tail += taken;
        room -= taken;
    }
}
