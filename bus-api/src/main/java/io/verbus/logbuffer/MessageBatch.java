// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Messages to be sent together; see {@link io.verbus.Publication#offerBatch}. The messages' buffers
 * are not copied, so they must not change before the batch is sent. Reusable, but not thread-safe;
 * does not allocate after construction.
 *
 * <pre>{@code
 * MessageBatch batch = new MessageBatch(16);
 * for (UnsafeBuffer quote : quotes) {
 *     batch.add(quote, 0, quote.capacity());
 * }
 * while (publication.offerBatch(batch) < 0) {
 *     idleStrategy.idle(); // see the constants of Publication
 * }
 * batch.clear();
 * }</pre>
 */
public final class MessageBatch {
    private final DirectBuffer[] buffers;
    private final int[] offsets;
    private final int[] lengths;
    private int size;

    /**
     * Creates an empty batch.
     *
     * @param capacity maximum number of messages, 1 or more.
     * @throws IllegalArgumentException if the capacity is less than 1.
     */
    public MessageBatch(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "the batch capacity " + capacity + " is less than 1: choose 1 or more");
        }
        buffers = new DirectBuffer[capacity];
        offsets = new int[capacity];
        lengths = new int[capacity];
    }

    /**
     * Adds a message, to be sent after the messages already added.
     *
     * @param buffer buffer with the message.
     * @param offset offset of the message in the buffer.
     * @param length length of the message in bytes, 0 or more.
     * @return false if the batch is full.
     * @throws IllegalArgumentException if the length is negative.
     * @throws IndexOutOfBoundsException if the buffer does not contain the message.
     */
    public boolean add(DirectBuffer buffer, int offset, int length) {
        if (length < 0) {
            throw new IllegalArgumentException(
                    "the message length " + length + " is negative: choose 0 or more");
        }
        buffer.boundsCheck(offset, length);
        if (size == buffers.length) {
            return false;
        }
        buffers[size] = buffer;
        offsets[size] = offset;
        lengths[size] = length;
        size++;
        return true;
    }

    /** Removes all messages, and releases their buffers. */
    public void clear() {
        for (int i = 0; i < size; i++) {
            buffers[i] = null;
        }
        size = 0;
    }

    /** Returns the number of messages. */
    public int size() {
        return size;
    }

    /** Returns the maximum number of messages. */
    public int capacity() {
        return buffers.length;
    }

    /**
     * Returns the number of bytes that the messages occupy in the log, including headers and
     * padding.
     *
     * @throws IllegalArgumentException if the batch is empty or too long.
     */
    int required(int maxPayload, int maxTotal) {
        long total = 0;
        for (int i = 0; i < size; i++) {
            if (lengths[i] > maxPayload) {
                throw new IllegalArgumentException(
                        "message "
                                + i
                                + " of the batch has "
                                + lengths[i]
                                + " bytes, but a batch allows at most "
                                + maxPayload
                                + ": offer the message by itself, or choose a larger mtu");
            }
            total += FrameHeader.align(FrameHeader.LENGTH + lengths[i]);
        }
        if (size == 0) {
            throw new IllegalArgumentException(
                    "the batch has no messages: add a message before offering it");
        }
        if (total > maxTotal) {
            throw new IllegalArgumentException(
                    "a batch of "
                            + size
                            + " messages takes "
                            + total
                            + " bytes of the log, which is more than "
                            + maxTotal
                            + ": offer fewer messages at a time, or choose a longer term-length");
        }
        return (int) total;
    }

    /**
     * Writes all frames, except for the first word of the first frame, which makes all frames
     * visible.
     *
     * @param term address of the term.
     * @param termOffset offset of the first frame, in claimed space.
     * @return the first frame's first word, for the caller to commit.
     */
    long write(Framing framing, long term, int termOffset, int termId) {
        int at = termOffset;
        long first = 0;
        for (int i = 0; i < size; i++) {
            int length = FrameHeader.LENGTH + lengths[i];
            long word =
                    FrameHeader.word(length, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA);
            framing.header(term, at, termId, 0);
            Framing.payload(term + at + FrameHeader.LENGTH, buffers[i], offsets[i], lengths[i]);
            if (i == 0) {
                first = word;
            } else {
                UnsafeApi.putLong(term + at, word);
            }
            at += FrameHeader.align(length);
        }
        return first;
    }

    @Override
    public String toString() {
        long bytes = 0;
        for (int i = 0; i < size; i++) {
            bytes += lengths[i];
        }
        return "batch messages=" + size + " capacity=" + buffers.length + " bytes=" + bytes;
    }
}
