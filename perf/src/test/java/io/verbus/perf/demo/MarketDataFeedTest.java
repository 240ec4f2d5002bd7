// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.codecs.marketdata.NewOrderEncoder;
import io.verbus.codecs.marketdata.QuoteDecoder;
import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.codecs.marketdata.TradeDecoder;
import io.verbus.codecs.marketdata.TradeEncoder;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

class MarketDataFeedTest {
    private static final int DEFAULT_MTU = 8192;

    @Test
    void allMessagesHaveChecksumAtSameOffset() {
        assertEquals(QuoteEncoder.checksumEncodingOffset(), TradeEncoder.checksumEncodingOffset());
        assertEquals(
                QuoteEncoder.checksumEncodingOffset(), NewOrderEncoder.checksumEncodingOffset());
    }

    @Test
    void generatesAllKindsAndLengthsBeyondMtu() {
        MarketDataFeed feed = new MarketDataFeed(1);
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        Set<Integer> templates = new TreeSet<>();
        Set<Integer> lengths = new TreeSet<>();
        for (int sequence = 0; sequence < 20_000; sequence++) {
            lengths.add(feed.encode(sequence, 0));
            templates.add(header.wrap(feed.buffer(), 0).templateId());
        }
        assertEquals(
                Set.of(
                        QuoteDecoder.TEMPLATE_ID,
                        TradeDecoder.TEMPLATE_ID,
                        NewOrderDecoder.TEMPLATE_ID),
                templates);
        assertTrue(lengths.size() > 80, "only " + lengths.size() + " different lengths");
        assertTrue(lengths.stream().min(Integer::compare).orElseThrow() < 80);
        assertTrue(lengths.stream().max(Integer::compare).orElseThrow() > 2 * DEFAULT_MTU);
    }

    @Test
    void generatesEqualMessagesFromEqualSeeds() {
        MarketDataFeed one = new MarketDataFeed(7);
        MarketDataFeed other = new MarketDataFeed(7);
        for (int sequence = 0; sequence < 5_000; sequence++) {
            assertArrayEquals(bytes(one, sequence), bytes(other, sequence));
        }
    }

    @Test
    void encodesSequenceAndTimestamp() {
        MarketDataFeed feed = new MarketDataFeed(3);
        MarketDataVerifier verifier = new MarketDataVerifier(1_000, 0);
        for (int sequence = 0; sequence < 1_000; sequence++) {
            int length = feed.encode(sequence, System.nanoTime());
            verifier.onMessage(feed.buffer(), 0, length);
        }
        DemoResult result = verifier.result();
        assertTrue(result.isPerfect(), result.toString());
        assertEquals(1_000, result.verified());
        assertTrue(result.p50Ns() > 0 && result.p50Ns() <= result.p99Ns(), result.toString());
    }

    @Property
    void detectsAnyDamagedByte(
            @ForAll @IntRange(min = 0, max = 200) int skipped, @ForAll long seed) {
        MarketDataFeed feed = new MarketDataFeed(seed);
        for (int sequence = 0; sequence < skipped; sequence++) {
            feed.encode(sequence, 0);
        }
        int length = feed.encode(skipped, seed);
        UnsafeBuffer buffer = feed.buffer();
        Random random = new Random(seed);
        int damaged = random.nextInt(length);
        byte original = buffer.getByte(damaged);
        buffer.putByte(damaged, (byte) (original ^ (1 + random.nextInt(255))));
        assertFalse(new MessageChecksum().matches(buffer, 0, length));
        buffer.putByte(damaged, original);
        assertTrue(new MessageChecksum().matches(buffer, 0, length));
    }

    @Property
    void rejectsTruncatedOrForeignMessage(
            @ForAll @IntRange(min = 0, max = MarketDataFeed.MAX_LENGTH) int length,
            @ForAll long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        MarketDataVerifier verifier = new MarketDataVerifier(1, 0);
        verifier.onMessage(new UnsafeBuffer(bytes), 0, length);
        assertEquals(1, verifier.result().corrupt());
        assertEquals(1, verifier.result().lost());
    }

    private static byte[] bytes(MarketDataFeed feed, int sequence) {
        int length = feed.encode(sequence, sequence);
        return Arrays.copyOf(feed.buffer().byteArray(), length);
    }
}
