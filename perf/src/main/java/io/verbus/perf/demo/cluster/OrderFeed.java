// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.codecs.marketdata.MessageHeaderEncoder;
import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.codecs.marketdata.NewOrderEncoder;
import io.verbus.codecs.marketdata.Side;
import io.verbus.codecs.marketdata.TimeInForce;
import io.verbus.samples.cluster.MatchingEngine;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;

/**
 * Generates synthetic orders of one account, numbered from 0. The same number always gives the same
 * order, so that an order can be sent again. Used by one thread.
 */
final class OrderFeed {
    private static final int LENGTH = 128;
    private static final long CENT = 1_000_000;
    private static final long MIDDLE = 10_000 * CENT;
    private static final int SPREAD = 128;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LENGTH]);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final NewOrderEncoder order = new NewOrderEncoder();
    private final byte[][] symbols = {ascii("ALPHA   "), ascii("BRAVO   "), ascii("CHARLIE ")};
    private final byte[] account = ascii("HOUSE-07");

    /** Returns the buffer into which {@link #encode} writes the message, at offset 0. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * Encodes an order.
     *
     * @param id number of the order.
     * @param timestampNs timestamp of the order.
     * @return message length in bytes.
     */
    int encode(long id, long timestampNs) {
        long r = random(id);
        order.wrapAndApplyHeader(buffer, 0, header)
                .sequence(id)
                .timestampNs(timestampNs)
                .checksum(0)
                .putSymbol(symbols[(int) (r & 0xFF) % symbols.length], 0)
                .clientOrderId(id)
                .size(1 + (r >>> 8 & 0x7F))
                .side((r & 0x8000) == 0 ? Side.BUY : Side.SELL)
                .timeInForce(timeInForce((int) (r >>> 16) & 0xF));
        order.price().mantissa(MIDDLE + ((r >>> 24 & 0xFFFF) % SPREAD - SPREAD / 2) * CENT);
        order.putAccount(account, 0, account.length);
        return MessageHeaderEncoder.ENCODED_LENGTH + order.encodedLength();
    }

    /** Returns the state of an engine after the first {@code orders} orders. */
    MatchingEngine.State expected(int orders) {
        MatchingEngine engine = new MatchingEngine();
        NewOrderDecoder decoder = new NewOrderDecoder();
        for (int id = 0; id < orders; id++) {
            encode(id, 0);
            engine.take(
                    decoder.wrap(
                            buffer,
                            MessageHeaderEncoder.ENCODED_LENGTH,
                            NewOrderDecoder.BLOCK_LENGTH,
                            NewOrderDecoder.SCHEMA_VERSION));
        }
        return engine.state();
    }

    private static TimeInForce timeInForce(int choice) {
        return switch (choice) {
            case 0 -> TimeInForce.FILL_OR_KILL;
            case 1, 2 -> TimeInForce.IMMEDIATE_OR_CANCEL;
            default -> TimeInForce.DAY;
        };
    }

    /** Returns the element of Steele's SplitMix64 sequence at an index. */
    private static long random(long index) {
        long z = (index + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
