// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * Encodes the command that adds a static counter, which no client owns and which stays as long as
 * the driver; AddStaticCounterDecoder shows the layout. Fields of variable length are written last,
 * in their order, each of them even if empty.
 */
public final class AddStaticCounterEncoder {
    /** Bytes before the first field of variable length. */
    public static final int BLOCK_LENGTH = AddStaticCounterDecoder.BLOCK_LENGTH;

    /** Type id in the buffer that carries the message. */
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

    /** Bytes of the message as far as it is written. */
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

    /** Writes the key, and zeros up to the label. Without a key, {@code src} may be null. */
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
