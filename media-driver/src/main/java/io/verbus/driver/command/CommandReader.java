// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.BusException;

import org.agrona.BitUtil;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Reads commands from the ring buffer that clients write; see {@link
 * org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer}. Clients can write anything anywhere in it,
 * so each word is read once and checked before use, and the driver never reads back what it wrote
 * to the ring.
 *
 * <p>An invalid record hides where the next one begins. Everything written so far is then skipped,
 * including commands of other clients, and counted. Used by the conductor's thread.
 */
public final class CommandReader {
    /** Type of a padding record; see ManyToOneRingBuffer. */
    private static final int PADDING = -1;

    /** Right shift that turns the ring's capacity into the maximum message length. */
    private static final int MAX_MESSAGE_SHIFT = 3;

    /**
     * Number of ids that exceeds what clients can take between two checks, however long the driver
     * was paused.
     */
    private static final long MAX_IDS = 1L << 32;

    private static final int NOTHING = 0;
    private static final int SENSELESS = -1;

    private final AtomicBuffer buffer;
    private final RingBuffer ring;
    private final ErrorHandler errors;
    private final AtomicCounter senseless;
    private final int capacity;
    private final int tailIndex;
    private final int headIndex;
    private final int headCacheIndex;
    private final int idIndex;

    /** Position up to which commands were read; like all positions, a multiple of 8. */
    private long head;

    /** Last id that was seen. */
    private long lastId;

    /**
     * @param ring new ring of the commands.
     * @param senseless counter of invalid records.
     * @param errors error handler of the driver.
     */
    public CommandReader(RingBuffer ring, AtomicCounter senseless, ErrorHandler errors) {
        this.ring = ring;
        this.errors = errors;
        this.senseless = senseless;
        buffer = ring.buffer();
        capacity = ring.capacity();
        tailIndex = capacity + RingBufferDescriptor.TAIL_POSITION_OFFSET;
        headIndex = capacity + RingBufferDescriptor.HEAD_POSITION_OFFSET;
        headCacheIndex = capacity + RingBufferDescriptor.HEAD_CACHE_POSITION_OFFSET;
        idIndex = capacity + RingBufferDescriptor.CORRELATION_COUNTER_OFFSET;
    }

    /**
     * Reads available commands.
     *
     * @param most maximum number of commands to read.
     * @return the number of commands read.
     */
    public int read(MessageHandler handler, int most) {
        long tail = tail();
        int begin = index(head);
        int end = begin + (int) Math.min(tail - head, capacity - begin);
        int at = begin;
        int count = 0;
        boolean isSenseless = false;
        try {
            while (at < end && count < most) {
                int length = length(at, end);
                if (length == NOTHING) {
                    break;
                }
                if (length == SENSELESS) {
                    isSenseless = true;
                    break;
                }
                int type = buffer.getInt(RecordDescriptor.typeOffset(at));
                int message = RecordDescriptor.encodedMsgOffset(at);
                at += BitUtil.align(length, RecordDescriptor.ALIGNMENT);
                if (type != PADDING) {
                    count++;
                    handler.onMessage(
                            type, buffer, message, length - RecordDescriptor.HEADER_LENGTH);
                }
            }
        } finally {
            if (at > begin) {
                buffer.setMemory(begin, at - begin, (byte) 0);
                release(head + at - begin);
            }
        }
        if (isSenseless) {
            skip(tail);
        }
        return count;
    }

    /** Returns the length of the record at an index; {@link #NOTHING} if it is not written yet. */
    private int length(int index, int end) {
        int length = buffer.getIntVolatile(RecordDescriptor.lengthOffset(index));
        int claimed = Math.abs(length); // the negation of the smallest integer is still negative
        if (claimed == 0) {
            return NOTHING;
        }
        // The type is written before the length, which is negative until then.
        boolean isMessage =
                length > 0 && buffer.getInt(RecordDescriptor.typeOffset(index)) != PADDING;
        int most =
                isMessage
                        ? (capacity >> MAX_MESSAGE_SHIFT) + RecordDescriptor.HEADER_LENGTH
                        : capacity;
        if (claimed < RecordDescriptor.HEADER_LENGTH
                || claimed > most
                || BitUtil.align(claimed, RecordDescriptor.ALIGNMENT) > end - index) {
            return SENSELESS;
        }
        return length < 0 ? NOTHING : length;
    }

    private int index(long position) {
        return (int) position & capacity - 1;
    }

    private void release(long position) {
        head = position;
        buffer.putLongRelease(headIndex, position);
    }

    /** Returns the position up to which clients have claimed; replaces an impossible one. */
    private long tail() {
        long tail = buffer.getLongVolatile(tailIndex);
        while (tail - head < 0 || tail - head > capacity || index(tail) % Long.BYTES != 0) {
            if (buffer.compareAndSetLong(tailIndex, tail, head)) {
                buffer.setMemory(0, capacity, (byte) 0);
                report();
            }
            tail = buffer.getLongVolatile(tailIndex);
        }
        return tail;
    }

    private void skip(long tail) {
        int begin = index(head);
        int toEnd = (int) Math.min(tail - head, capacity - begin);
        buffer.setMemory(begin, toEnd, (byte) 0);
        buffer.setMemory(0, (int) (tail - head) - toEnd, (byte) 0);
        release(tail);
        report();
    }

    private void report() {
        senseless.incrementRelease();
        errors.onError(
                new BusException(
                        "a client has corrupted the command buffer, so the driver skipped the"
                                + " damaged commands: find out which client did this, because other"
                                + " clients may wait for answers that never come"));
    }

    /** Returns whether a claim is not read yet. */
    public boolean hasMore() {
        return buffer.getLongVolatile(tailIndex) != head;
    }

    /** Returns the position up to which clients have claimed space for commands. */
    public long claimed() {
        return tail();
    }

    /** Returns the position up to which commands were read. */
    public long position() {
        return head;
    }

    /**
     * Skips a command that a client has begun but will not complete.
     *
     * @return whether there was such a command.
     */
    public boolean unblock() {
        restore();
        if (ring.unblock()) {
            return true;
        }
        long tail = tail();
        int begin = index(head);
        int end = begin + (int) Math.min(tail - head, capacity - begin);
        for (int at = begin; at < end; at += RecordDescriptor.ALIGNMENT) {
            if (buffer.getIntVolatile(at) != 0) {
                return false; // written in the meantime
            }
        }
        release(head + end - begin);
        return end > begin;
    }

    /**
     * Restores those of the driver's fields in the ring that a client has overwritten. Called at
     * the timer interval.
     */
    public void restore() {
        if (buffer.getLongVolatile(headIndex) != head) {
            buffer.putLongRelease(headIndex, head);
            report();
        }
        if (buffer.getLongVolatile(headCacheIndex) - head > 0) {
            // Otherwise clients could reuse space that is not read yet.
            buffer.putLongRelease(headCacheIndex, head);
            report();
        }
        long id = buffer.getLongVolatile(idIndex);
        if (id - lastId < 0 || id - lastId > MAX_IDS) {
            id = lastId + MAX_IDS; // past all ids that clients have taken
            buffer.putLongRelease(idIndex, id);
            report();
        }
        lastId = id;
    }
}
