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
 * Transmits events to all clients, at a pace that each of them can follow. A client that is overrun
 * loses the driver, whoever has caused the events: so the driver fills the buffer once in {@link
 * #FILL_NS} at most, but for a part that it may send in one go, and keeps back what is more. A
 * client that reads every {@link #FOLLOWED_NS} misses nothing.
 *
 * <p>Each client may write to the buffer: so the driver keeps the tail itself, and restores it
 * where a client has overwritten it. Conductor's thread.
 */
public final class EventTransmitter extends BroadcastTransmitter {
    /**
     * Time to fill the buffer. Clients read every few milliseconds, Aeron's every 16 when idle, and
     * stand still for as long as their garbage collector takes; with the default buffer of 1 MiB
     * this leaves some 20,000 answers a second.
     */
    public static final long FILL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Part of the buffer that may be sent in one go, as a shift. */
    private static final int BURST_SHIFT = 2;

    /** How long a client may read nothing, whatever others do. */
    public static final long FOLLOWED_NS = FILL_NS - (FILL_NS >> BURST_SHIFT);

    /** Shorter times are not worth a division each cycle, and would round to nothing. */
    private static final long REFILL_NS = TimeUnit.MICROSECONDS.toNanos(10);

    private record Event(int typeId, UnsafeBuffer body) {}

    private final AtomicBuffer buffer;
    private final int tailIndex;
    private final long burst;
    private final ArrayDeque<Event> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long tail;

    /** Bytes that may be sent now; less than 0 after an event that was longer. */
    private long room;

    private long refilledNs;

    /**
     * @param buffer of the events, which is zero.
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

    /** Transmits an event, as soon as those before it are transmitted and clients can follow. */
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

    /** Whether an event would be transmitted at once. What can wait is done only then. */
    public boolean isOpen() {
        return room > 0 && waiting.isEmpty();
    }

    /** Whether more events wait than there is room for in the buffer. */
    public boolean isCrowded() {
        return waitingBytes > capacity();
    }

    /**
     * Transmits what waits, as far as clients can follow. Every cycle.
     *
     * @return how many events.
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

    /** Transmits all that waits: the driver closes. */
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
        int taken = toEnd < record ? toEnd + record : record; // which begins anew at the front
        tail += taken;
        room -= taken;
    }
}
