// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** A part of a message that is gathered from several buffers. Reusable, but not thread-safe. */
public final class DirectBufferVector {
    private DirectBuffer buffer;
    private int offset;
    private int length;

    /** Creates an empty part; call {@link #reset} before using it. */
    public DirectBufferVector() {}

    /**
     * Creates a part.
     *
     * @param buffer buffer with the part.
     * @param offset offset of the part in the buffer.
     * @param length length of the part in bytes, 0 or more.
     */
    public DirectBufferVector(DirectBuffer buffer, int offset, int length) {
        reset(buffer, offset, length);
    }

    /**
     * Sets the part.
     *
     * @param buffer buffer with the part.
     * @param offset offset of the part in the buffer.
     * @param length length of the part in bytes, 0 or more.
     * @return this.
     */
    public DirectBufferVector reset(DirectBuffer buffer, int offset, int length) {
        this.buffer = buffer;
        this.offset = offset;
        this.length = length;
        return this;
    }

    /** Returns the buffer with the part. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Sets the buffer. */
    public DirectBufferVector buffer(DirectBuffer buffer) {
        this.buffer = buffer;
        return this;
    }

    /** Returns the offset of the part in the buffer. */
    public int offset() {
        return offset;
    }

    /** Sets the offset. */
    public DirectBufferVector offset(int offset) {
        this.offset = offset;
        return this;
    }

    /** Returns the length of the part in bytes. */
    public int length() {
        return length;
    }

    /** Sets the length. */
    public DirectBufferVector length(int length) {
        this.length = length;
        return this;
    }

    /**
     * Checks that the buffer contains the part.
     *
     * @return this.
     * @throws IllegalArgumentException if the length is negative or the buffer is null.
     * @throws IndexOutOfBoundsException if the buffer does not contain the part.
     */
    public DirectBufferVector validate() {
        if (buffer == null || length < 0) {
            throw new IllegalArgumentException(
                    buffer == null
                            ? "a part of the message has no buffer: call reset on each vector first"
                            : "the length "
                                    + length
                                    + " of a part of the message is negative: pass a length of 0 or"
                                    + " more");
        }
        buffer.boundsCheck(offset, length);
        return this;
    }

    /**
     * Checks the parts of a message.
     *
     * @param vectors parts of the message, in order.
     * @return total length of the parts in bytes.
     * @throws IllegalArgumentException if a part fails {@link #validate}, or the total length
     *     exceeds 2 GiB.
     * @throws IndexOutOfBoundsException if a buffer does not contain its part.
     */
    public static int validateAndComputeLength(DirectBufferVector[] vectors) {
        long sum = 0;
        for (DirectBufferVector vector : vectors) {
            sum += vector.validate().length;
        }
        if (sum > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the parts of the message have "
                            + sum
                            + " bytes in total, more than 2 GiB: split the message");
        }
        return (int) sum;
    }

    @Override
    public String toString() {
        return length + " bytes from " + offset + " of " + buffer;
    }
}
