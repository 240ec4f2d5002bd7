// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * A field of variable length: an int32 length in bytes, then the bytes. The length of a field that
 * follows another one is aligned to 4 bytes, counted from the first one's bytes.
 */
final class VarData {
    static final int HEADER_LENGTH = 4;

    private VarData() {}

    /** Writes a field at {@code index}; returns the index after its last byte. */
    static int put(
            MutableDirectBuffer buffer, int index, DirectBuffer src, int srcOffset, int length) {
        buffer.putInt(index, length, ByteOrder.LITTLE_ENDIAN);
        if (length > 0) {
            buffer.putBytes(index + HEADER_LENGTH, src, srcOffset, length);
        }
        return index + HEADER_LENGTH + length;
    }

    /** Writes an ASCII field at {@code index}; returns the index after its last byte. */
    static int putAscii(MutableDirectBuffer buffer, int index, String value) {
        buffer.putInt(index, value.length(), ByteOrder.LITTLE_ENDIAN);
        return index
                + HEADER_LENGTH
                + buffer.putStringWithoutLengthAscii(index + HEADER_LENGTH, value);
    }

    /** Pads with zeros after the field at {@code index}; returns the index of the next field. */
    static int pad(MutableDirectBuffer buffer, int index) {
        int end = end(buffer, index);
        int next = next(buffer, index);
        buffer.setMemory(end, next - end, (byte) 0);
        return next;
    }

    static int length(DirectBuffer buffer, int index) {
        return buffer.getInt(index, ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the index after the last byte of the field at {@code index}. */
    static int end(DirectBuffer buffer, int index) {
        return index + HEADER_LENGTH + length(buffer, index);
    }

    /** Returns the index of the field after the one at {@code index}. */
    static int next(DirectBuffer buffer, int index) {
        return index + HEADER_LENGTH + BitUtil.align(length(buffer, index), HEADER_LENGTH);
    }

    /**
     * Copies at most {@code length} bytes of the field at {@code index}; returns the number copied.
     */
    static int get(
            DirectBuffer buffer, int index, MutableDirectBuffer dst, int dstOffset, int length) {
        int copied = Math.min(length, length(buffer, index));
        buffer.getBytes(index + HEADER_LENGTH, dst, dstOffset, copied);
        return copied;
    }

    static void wrap(DirectBuffer buffer, int index, DirectBuffer wrapBuffer) {
        wrapBuffer.wrap(buffer, index + HEADER_LENGTH, length(buffer, index));
    }

    static String ascii(DirectBuffer buffer, int index) {
        return buffer.getStringWithoutLengthAscii(index + HEADER_LENGTH, length(buffer, index));
    }

    static int getAscii(DirectBuffer buffer, int index, Appendable appendable) {
        int length = length(buffer, index);
        return buffer.getStringWithoutLengthAscii(index + HEADER_LENGTH, length, appendable);
    }
}
