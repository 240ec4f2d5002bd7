// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * Decodes the command that adds a counter. Type id 9, little-endian:
 *
 * <pre>
 *  +----------------------------------------------+
 *  |               client id, int64               |  0
 *  +----------------------------------------------+
 *  |            correlation id, int64             |  8
 *  +----------------------------------------------+
 *  |            counter type id, int32            |  16
 *  +----------------------------------------------+
 *  |             key length k, int32              |  20
 *  +----------------------------------------------+
 *  |                     key                      |  24
 *  +----------------------------------------------+
 *  |           0 to 3 bytes of padding            |  24 + k
 *  +----------------------------------------------+
 *  |             label length, int32              |  24 + align(k, 4)
 *  +----------------------------------------------+
 *  |                 label, ASCII                 |  28 + align(k, 4)
 *  +----------------------------------------------+
 * </pre>
 *
 * SBE cannot express the padding between the two fields of variable length. The answer is
 * CounterReady or Error; the correlation id becomes the registration id of the counter.
 *
 * <p>Fields can be read in any order. Check {@link MessageBounds} first.
 */
public final class AddCounterDecoder {
    /** Length in bytes of the fixed part, before the first field of variable length. */
    public static final int BLOCK_LENGTH = 20;

    /** Type id of the message in its buffer. */
    public static final int TEMPLATE_ID = 9;

    private DirectBuffer buffer;
    private int offset;

    public AddCounterDecoder wrap(DirectBuffer buffer, int offset) {
        this.buffer = buffer;
        this.offset = offset;
        return this;
    }

    /**
     * Returns the length of the message in bytes, according to its fields; a record may be longer.
     */
    public int encodedLength() {
        return VarData.end(buffer, labelIndex()) - offset;
    }

    public long clientId() {
        return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }

    public long correlationId() {
        return buffer.getLong(offset + 8, ByteOrder.LITTLE_ENDIAN);
    }

    public int typeId() {
        return buffer.getInt(offset + 16, ByteOrder.LITTLE_ENDIAN);
    }

    public int keyLength() {
        return VarData.length(buffer, keyIndex());
    }

    /** Sets {@code wrapBuffer} to a view of the key. */
    public void wrapKey(DirectBuffer wrapBuffer) {
        VarData.wrap(buffer, keyIndex(), wrapBuffer);
    }

    /** Copies at most {@code length} bytes of the key; returns the number copied. */
    public int getKey(MutableDirectBuffer dst, int dstOffset, int length) {
        return VarData.get(buffer, keyIndex(), dst, dstOffset, length);
    }

    public int labelLength() {
        return VarData.length(buffer, labelIndex());
    }

    /** Sets {@code wrapBuffer} to a view of the label. */
    public void wrapLabel(DirectBuffer wrapBuffer) {
        VarData.wrap(buffer, labelIndex(), wrapBuffer);
    }

    public String label() {
        return VarData.ascii(buffer, labelIndex());
    }

    public int getLabel(Appendable appendable) {
        return VarData.getAscii(buffer, labelIndex(), appendable);
    }

    private int keyIndex() {
        return offset + BLOCK_LENGTH;
    }

    private int labelIndex() {
        return VarData.next(buffer, keyIndex());
    }
}
