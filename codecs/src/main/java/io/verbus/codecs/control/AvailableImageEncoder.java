// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * Encodes the event that announces an image, one for each subscription that the image serves; see
 * AvailableImageDecoder for the layout. Write the fields of variable length last, in order and all
 * of them, even if empty.
 */
public final class AvailableImageEncoder {
    /** Length in bytes of the fixed part, before the first field of variable length. */
    public static final int BLOCK_LENGTH = AvailableImageDecoder.BLOCK_LENGTH;

    /** Type id of the message in its buffer. */
    public static final int TEMPLATE_ID = AvailableImageDecoder.TEMPLATE_ID;

    private MutableDirectBuffer buffer;
    private int offset;
    private int limit;

    public AvailableImageEncoder wrap(MutableDirectBuffer buffer, int offset) {
        this.buffer = buffer;
        this.offset = offset;
        limit = offset + BLOCK_LENGTH;
        return this;
    }

    /** Returns the length in bytes of what has been written. */
    public int encodedLength() {
        return limit - offset;
    }

    public AvailableImageEncoder imageId(long value) {
        buffer.putLong(offset, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AvailableImageEncoder sessionId(int value) {
        buffer.putInt(offset + 8, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AvailableImageEncoder streamId(int value) {
        buffer.putInt(offset + 12, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AvailableImageEncoder subscriptionRegistrationId(long value) {
        buffer.putLong(offset + 16, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AvailableImageEncoder subscriberPositionCounterId(int value) {
        buffer.putInt(offset + 24, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /** Writes the path of the log file, and pads with zeros to the source identity. */
    public AvailableImageEncoder logFile(String value) {
        VarData.putAscii(buffer, limit, value);
        limit = VarData.pad(buffer, limit);
        return this;
    }

    public AvailableImageEncoder sourceIdentity(String value) {
        limit = VarData.putAscii(buffer, limit, value);
        return this;
    }
}
