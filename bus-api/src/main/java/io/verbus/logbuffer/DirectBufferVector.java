// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** A part of a message that lies in several places. Reusable; one thread at a time. */
public final class DirectBufferVector {
    private DirectBuffer buffer;
    private int offset;
    private int length;

    /** A part of nothing, to be {@link #reset} before it is used. */
    public DirectBufferVector() {}

    /**
     * @param buffer that holds the part.
     * @param offset at which it begins.
     * @param length in bytes, 0 or more.
     */
    public DirectBufferVector(DirectBuffer buffer, int offset, int length) {
        reset(buffer, offset, length);
    }

    /**
     * Takes another part.
     *
     * @param buffer that holds the part.
     * @param offset at which it begins.
     * @param length in bytes, 0 or more.
     * @return this.
     */
    public DirectBufferVector reset(DirectBuffer buffer, int offset, int length) {
        this.buffer = buffer;
        this.offset = offset;
        this.length = length;
        return this;
    }

    /** Buffer that holds the part. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Sets the buffer. */
    public DirectBufferVector buffer(DirectBuffer buffer) {
        this.buffer = buffer;
        return this;
    }

    /** Offset in the buffer at which the part begins. */
    public int offset() {
        return offset;
    }

    /** Sets the offset. */
    public DirectBufferVector offset(int offset) {
        this.offset = offset;
        return this;
    }

    /** Bytes of the part. */
    public int length() {
        return length;
    }

    /** Sets the length. */
    public DirectBufferVector length(int length) {
        this.length = length;
        return this;
    }

    /**
     * Checks that the buffer holds the part.
     *
     * @return this.
     * @throws IllegalArgumentException if the length is negative, or there is no buffer.
     * @throws IndexOutOfBoundsException if the buffer does not hold the part.
     */
    public DirectBufferVector validate() {
        if (buffer == null || length < 0) {
            throw new IllegalArgumentException(
                    buffer == null
                            ? "a part of the message has no buffer: reset each vector first"
                            : "the length " + length + " of a part of the message is negative");
        }
        buffer.boundsCheck(offset, length);
        return this;
    }

    /**
     * Checks the parts of a message.
     *
     * @param vectors of the message, first to last.
     * @return bytes of all parts together.
     * @throws IllegalArgumentException as {@link #validate}, or if they are more than 2 GiB.
     * @throws IndexOutOfBoundsException if a buffer does not hold its part.
     */
    public static int validateAndComputeLength(DirectBufferVector[] vectors) {
        long sum = 0;
        for (DirectBufferVector vector : vectors) {
            sum += vector.validate().length;
        }
        if (sum > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the parts of the message have " + sum + " bytes: split the message");
        }
        return (int) sum;
    }

    @Override
    public String toString() {
        return length + " bytes from " + offset + " of " + buffer;
    }
}
