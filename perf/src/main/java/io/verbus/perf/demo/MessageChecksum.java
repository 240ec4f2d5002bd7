// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.codecs.marketdata.MessageHeaderEncoder;
import io.verbus.codecs.marketdata.QuoteEncoder;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * CRC32C of a market data message including its header, computed with the checksum field set to
 * zero. All messages of the schema have that field at the same offset. Used by one thread.
 */
final class MessageChecksum {
    /** Offset of the checksum field from the start of the message header. */
    static final int OFFSET =
            MessageHeaderEncoder.ENCODED_LENGTH + QuoteEncoder.checksumEncodingOffset();

    private static final int END = OFFSET + Integer.BYTES;

    private final CRC32C crc = new CRC32C();
    private final byte[] message = new byte[MarketDataFeed.MAX_LENGTH];

    /** Computes the checksum of a message, and stores it in the message. */
    void seal(MutableDirectBuffer buffer, int offset, int length) {
        buffer.putInt(offset + OFFSET, compute(buffer, offset, length), ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns whether a message has a valid length and checksum. */
    boolean matches(DirectBuffer buffer, int offset, int length) {
        return length >= END
                && length <= MarketDataFeed.MAX_LENGTH
                && buffer.getInt(offset + OFFSET, ByteOrder.LITTLE_ENDIAN)
                        == compute(buffer, offset, length);
    }

    private int compute(DirectBuffer buffer, int offset, int length) {
        // Copies the message, because CRC32C accepts only arrays and ByteBuffers.
        buffer.getBytes(offset, message, 0, length);
        for (int i = OFFSET; i < END; i++) {
            message[i] = 0;
        }
        crc.reset();
        crc.update(message, 0, length);
        return (int) crc.getValue();
    }
}
