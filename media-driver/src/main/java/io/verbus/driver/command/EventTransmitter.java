// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;
import org.agrona.concurrent.broadcast.RecordDescriptor;

/**
 * Transmits events to all clients. Each of them may write to the buffer: so the driver keeps the
 * tail itself, and restores it where a client has overwritten it. Conductor's thread.
 */
public final class EventTransmitter extends BroadcastTransmitter {
    private final AtomicBuffer buffer;
    private final int tailIndex;
    private long tail;

    /**
     * @param buffer of the events, which is zero.
     */
    public EventTransmitter(AtomicBuffer buffer) {
        super(buffer);
        this.buffer = buffer;
        tailIndex = capacity() + BroadcastBufferDescriptor.TAIL_COUNTER_OFFSET;
    }

    @Override
    public void transmit(int typeId, DirectBuffer source, int index, int length) {
        if (buffer.getLong(tailIndex) != tail) {
            buffer.putLongRelease(tailIndex, tail);
        }
        super.transmit(typeId, source, index, length);
        int record =
                BitUtil.align(
                        length + RecordDescriptor.HEADER_LENGTH, RecordDescriptor.RECORD_ALIGNMENT);
        int toEnd = capacity() - ((int) tail & capacity() - 1);
        tail += toEnd < record ? toEnd + record : record; // which begins anew at the front
    }
}
