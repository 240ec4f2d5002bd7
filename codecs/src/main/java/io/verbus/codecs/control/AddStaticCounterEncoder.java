// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * Encodes the command that adds a static counter, which has no owner and lives as long as the
 * driver; see AddStaticCounterDecoder for the layout. Write the fields of variable length last, in
 * order and all of them, even if empty.
 */
public final class AddStaticCounterEncoder {
    /** Length in bytes of the fixed part, before the first field of variable length. */
    public static final int BLOCK_LENGTH = AddStaticCounterDecoder.BLOCK_LENGTH;

    /** Type id of the message in its buffer. */
    public static final int TEMPLATE_ID = AddStaticCounterDecoder.TEMPLATE_ID;

    private MutableDirectBuffer buffer;
    private int offset;
    private int limit;

    public AddStaticCounterEncoder wrap(MutableDirectBuffer buffer, int offset) {
        this.buffer = buffer;
        this.offset = offset;
        limit = offset + BLOCK_LENGTH;
        return this;
    }

    /** Returns the length in bytes of what has been written. */
    public int encodedLength() {
        return limit - offset;
    }

    public AddStaticCounterEncoder clientId(long value) {
        buffer.putLong(offset, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AddStaticCounterEncoder correlationId(long value) {
        buffer.putLong(offset + 8, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AddStaticCounterEncoder registrationId(long value) {
        buffer.putLong(offset + 16, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    public AddStaticCounterEncoder typeId(int value) {
        buffer.putInt(offset + 24, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * Writes the key, and pads with zeros to the label. {@code src} may be null if the key is
     * empty.
     */
    public AddStaticCounterEncoder putKey(DirectBuffer src, int srcOffset, int length) {
        VarData.put(buffer, limit, src, srcOffset, length);
        limit = VarData.pad(buffer, limit);
        return this;
    }

    public AddStaticCounterEncoder putLabel(DirectBuffer src, int srcOffset, int length) {
        limit = VarData.put(buffer, limit, src, srcOffset, length);
        return this;
    }

    public AddStaticCounterEncoder label(String value) {
        limit = VarData.putAscii(buffer, limit, value);
        return this;
    }
}
