// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.codecs.marketdata.MessageHeaderEncoder;
import io.verbus.codecs.marketdata.NewOrderEncoder;
import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.codecs.marketdata.Side;
import io.verbus.codecs.marketdata.TimeInForce;
import io.verbus.codecs.marketdata.TradeEncoder;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Generates synthetic market data: quotes of varying book depth, trades and orders.
 *
 * <p>Half of the messages are quotes: most carry up to ten levels of depth (240 bytes), one in 64
 * carries 64 to 160 levels (4 KiB), and one in 1024 carries 400 to 1000 levels (24 KiB), which
 * exceeds any MTU. Equal seeds generate equal messages. Used by one thread; allocates nothing after
 * construction.
 */
public final class MarketDataFeed {
    /** Maximum message length in bytes. */
    static final int MAX_LENGTH = 32 * 1024;

    /** Length of one level of depth: price, size and number of orders. */
    static final int LEVEL_LENGTH = 24;

    private static final int BOOK_LENGTH = 2048 * LEVEL_LENGTH;
    private static final long CENT = 1_000_000;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[MAX_LENGTH]);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final QuoteEncoder quote = new QuoteEncoder();
    private final TradeEncoder trade = new TradeEncoder();
    private final NewOrderEncoder order = new NewOrderEncoder();
    private final MessageChecksum checksum = new MessageChecksum();
    private final byte[][] symbols = {
        ascii("ALPHA   "), ascii("BRAVO   "), ascii("CHARLIE "), ascii("DELTA   ")
    };
    private final byte[][] accounts = {ascii("A1"), ascii("HOUSE-07"), ascii("CLIENT-0000012345")};
    private final byte[] book = new byte[BOOK_LENGTH];

    private long random;

    /** Creates a feed from a seed. */
    public MarketDataFeed(long seed) {
        SplittableRandom source = new SplittableRandom(seed);
        source.nextBytes(book);
        random = source.nextLong() | 1;
    }

    /** Returns the buffer into which {@link #encode} writes the message, at offset 0. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * Encodes the next message.
     *
     * @param sequence sequence number of the message.
     * @param timestampNs timestamp of the message.
     * @return message length in bytes.
     */
    public int encode(long sequence, long timestampNs) {
        long r = nextRandom();
        int length =
                switch ((int) r & 7) {
                    case 0, 1, 2, 3 -> encodeQuote(sequence, timestampNs, r >>> 3);
                    case 4, 5 -> encodeTrade(sequence, timestampNs, r >>> 3);
                    default -> encodeOrder(sequence, timestampNs, r >>> 3);
                };
        checksum.seal(buffer, 0, length);
        return length;
    }

    private int encodeQuote(long sequence, long timestampNs, long r) {
        int depth = levels(r) * LEVEL_LENGTH;
        long price = price(r);
        quote.wrapAndApplyHeader(buffer, 0, header)
                .sequence(sequence)
                .timestampNs(timestampNs)
                .checksum(0)
                .putSymbol(symbol(r), 0)
                .bidSize(100 + (r & 0xFF))
                .askSize(100 + (r >>> 8 & 0xFF));
        quote.bidPrice().mantissa(price);
        quote.askPrice().mantissa(price + CENT);
        quote.putDepth(book, (int) (r & 0x3FF) * LEVEL_LENGTH, depth);
        return MessageHeaderEncoder.ENCODED_LENGTH + quote.encodedLength();
    }

    private int encodeTrade(long sequence, long timestampNs, long r) {
        trade.wrapAndApplyHeader(buffer, 0, header)
                .sequence(sequence)
                .timestampNs(timestampNs)
                .checksum(0)
                .putSymbol(symbol(r), 0)
                .size(1 + (r & 0xFFF))
                .tradeId(sequence)
                .aggressor((r & 0x1000) == 0 ? Side.BUY : Side.SELL);
        trade.price().mantissa(price(r));
        return MessageHeaderEncoder.ENCODED_LENGTH + trade.encodedLength();
    }

    private int encodeOrder(long sequence, long timestampNs, long r) {
        byte[] account = accounts[(int) (r & 0xFF) % accounts.length];
        order.wrapAndApplyHeader(buffer, 0, header)
                .sequence(sequence)
                .timestampNs(timestampNs)
                .checksum(0)
                .putSymbol(symbol(r), 0)
                .clientOrderId(sequence)
                .size(1 + (r & 0xFFF))
                .side((r & 0x1000) == 0 ? Side.BUY : Side.SELL)
                .timeInForce((r & 0x2000) == 0 ? TimeInForce.DAY : TimeInForce.FILL_OR_KILL);
        order.price().mantissa(price(r));
        order.putAccount(account, 0, account.length);
        return MessageHeaderEncoder.ENCODED_LENGTH + order.encodedLength();
    }

    private static int levels(long r) {
        int choice = (int) (r >>> 40) & 0x3FF;
        int spread = (int) (r >>> 20) & 0xFFFF;
        if (choice == 0) {
            return 400 + spread % 601;
        }
        return (choice & 0x3F) == 1 ? 64 + spread % 97 : spread % 11;
    }

    private byte[] symbol(long r) {
        return symbols[(int) (r >>> 16) & 3];
    }

    private static long price(long r) {
        return (10_000 + (r >>> 24 & 0xFFFF)) * CENT;
    }

    /** Marsaglia's xorshift64. */
    private long nextRandom() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return random;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
