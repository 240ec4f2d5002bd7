// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * A datagram of resolution entries after Aeron's frame header.
 *
 * <pre>
 *   0              4         5       6       8
 *   +--------------+---------+-------+-------+---------+- - - -
 *   | frame length | version | flags | type  | entry   | entry
 *   +--------------+---------+-------+-------+---------+- - - -
 *                   0         0       7
 * </pre>
 */
final class ResolutionFrame {
    /** Bytes before the first entry. */
    static final int HEADER = 8;

    /** Maximum length of a datagram in bytes. */
    static final int MAX_LENGTH = 65_504;

    private static final int VERSION = 4;
    private static final int FLAGS = 5;
    private static final int TYPE = 6;
    private static final short RESOLUTION = 7;

    private ResolutionFrame() {}

    /** Writes the header of a frame that ends at {@code length}. */
    static void begin(MutableDirectBuffer buffer, int length) {
        buffer.putInt(0, length, ByteOrder.LITTLE_ENDIAN);
        buffer.putByte(VERSION, (byte) 0);
        buffer.putByte(FLAGS, (byte) 0);
        buffer.putShort(TYPE, RESOLUTION, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Reads a datagram.
     *
     * @param length length of the datagram in bytes.
     * @param entries receives each valid entry.
     * @return false if the datagram is not a resolution frame, or ends within an entry.
     */
    static boolean read(DirectBuffer buffer, int length, Consumer<ResolutionEntry> entries) {
        if (length < HEADER
                || buffer.getByte(VERSION) != 0
                || buffer.getShort(TYPE, ByteOrder.LITTLE_ENDIAN) != RESOLUTION) {
            return false;
        }
        int offset = HEADER;
        while (offset < length) {
            int entryLength = ResolutionEntry.lengthAt(buffer, offset, length);
            if (entryLength < 0) {
                return false;
            }
            ResolutionEntry entry = ResolutionEntry.decode(buffer, offset);
            if (entry != null) {
                entries.accept(entry);
            }
            offset += entryLength;
        }
        return true;
    }
}
