// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Decodes the event that announces an image, one for each subscription that the image serves. Type
 * id 3842, little-endian:
 *
 * <pre>
 *  +----------------------------------------------+
 *  |               image id, int64                |  0
 *  +----------------------------------------------+
 *  |              session id, int32               |  8
 *  +----------------------------------------------+
 *  |               stream id, int32               |  12
 *  +----------------------------------------------+
 *  |     subscription registration id, int64      |  16
 *  +----------------------------------------------+
 *  |    subscriber position counter id, int32     |  24
 *  +----------------------------------------------+
 *  |           log file length n, int32           |  28
 *  +----------------------------------------------+
 *  |               log file, ASCII                |  32
 *  +----------------------------------------------+
 *  |           0 to 3 bytes of padding            |  32 + n
 *  +----------------------------------------------+
 *  |        source identity length, int32         |  32 + align(n, 4)
 *  +----------------------------------------------+
 *  |            source identity, ASCII            |  36 + align(n, 4)
 *  +----------------------------------------------+
 * </pre>
 *
 * SBE cannot express the padding between the two fields of variable length.
 *
 * <p>Fields can be read in any order. Check {@link MessageBounds} first.
 */
public final class AvailableImageDecoder {
    /** Length in bytes of the fixed part, before the first field of variable length. */
    public static final int BLOCK_LENGTH = 28;

    /** Type id of the message in its buffer. */
    public static final int TEMPLATE_ID = 3842;

    private DirectBuffer buffer;
    private int offset;

    public AvailableImageDecoder wrap(DirectBuffer buffer, int offset) {
        this.buffer = buffer;
        this.offset = offset;
        return this;
    }

    /**
     * Returns the length of the message in bytes, according to its fields; a record may be longer.
     */
    public int encodedLength() {
        return VarData.end(buffer, sourceIdentityIndex()) - offset;
    }

    public long imageId() {
        return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }

    public int sessionId() {
        return buffer.getInt(offset + 8, ByteOrder.LITTLE_ENDIAN);
    }

    public int streamId() {
        return buffer.getInt(offset + 12, ByteOrder.LITTLE_ENDIAN);
    }

    public long subscriptionRegistrationId() {
        return buffer.getLong(offset + 16, ByteOrder.LITTLE_ENDIAN);
    }

    public int subscriberPositionCounterId() {
        return buffer.getInt(offset + 24, ByteOrder.LITTLE_ENDIAN);
    }

    public int logFileLength() {
        return VarData.length(buffer, logFileIndex());
    }

    public String logFile() {
        return VarData.ascii(buffer, logFileIndex());
    }

    public int getLogFile(Appendable appendable) {
        return VarData.getAscii(buffer, logFileIndex(), appendable);
    }

    public int sourceIdentityLength() {
        return VarData.length(buffer, sourceIdentityIndex());
    }

    public String sourceIdentity() {
        return VarData.ascii(buffer, sourceIdentityIndex());
    }

    public int getSourceIdentity(Appendable appendable) {
        return VarData.getAscii(buffer, sourceIdentityIndex(), appendable);
    }

    private int logFileIndex() {
        return offset + BLOCK_LENGTH;
    }

    private int sourceIdentityIndex() {
        return VarData.next(buffer, logFileIndex());
    }
}
