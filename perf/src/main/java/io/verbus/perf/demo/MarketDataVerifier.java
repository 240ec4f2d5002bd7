// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.codecs.marketdata.QuoteDecoder;
import io.verbus.codecs.marketdata.TradeDecoder;

import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/**
 * Verifies the messages of a {@link MarketDataFeed}, and records the latency of the paced ones:
 * from the timestamp in the message to its handler, both by {@link System#nanoTime}, which is one
 * clock (CLOCK_MONOTONIC) for all processes of a host. Used by one thread.
 */
public final class MarketDataVerifier implements BusClient.MessageHandler {
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(1);

    private final SequenceVerifier sequences;
    private final long firstPaced;
    private final MessageChecksum checksum = new MessageChecksum();
    private final MessageHeaderDecoder messageHeader = new MessageHeaderDecoder();
    private final QuoteDecoder quote = new QuoteDecoder();
    private final TradeDecoder trade = new TradeDecoder();
    private final NewOrderDecoder order = new NewOrderDecoder();
    private final Histogram latencies = new Histogram(LONGEST_NS, 3);

    /**
     * @param count number of messages in the stream.
     * @param firstPaced sequence number of the first message whose latency counts.
     */
    public MarketDataVerifier(int count, int firstPaced) {
        sequences = new SequenceVerifier(count);
        this.firstPaced = firstPaced;
    }

    @Override
    public void onMessage(DirectBuffer buffer, int offset, int length) {
        long now = System.nanoTime();
        if (!checksum.matches(buffer, offset, length)) {
            sequences.onCorrupt();
            return;
        }
        messageHeader.wrap(buffer, offset);
        switch (messageHeader.templateId()) {
            case QuoteDecoder.TEMPLATE_ID -> {
                quote.wrapAndApplyHeader(buffer, offset, messageHeader);
                verify(quote.sequence(), quote.timestampNs(), now);
            }
            case TradeDecoder.TEMPLATE_ID -> {
                trade.wrapAndApplyHeader(buffer, offset, messageHeader);
                verify(trade.sequence(), trade.timestampNs(), now);
            }
            case NewOrderDecoder.TEMPLATE_ID -> {
                order.wrapAndApplyHeader(buffer, offset, messageHeader);
                verify(order.sequence(), order.timestampNs(), now);
            }
            default -> sequences.onCorrupt();
        }
    }

    private void verify(long sequence, long timestampNs, long now) {
        sequences.onSequence(sequence);
        if (sequence >= firstPaced) {
            latencies.recordValue(Math.clamp(now - timestampNs, 0, LONGEST_NS));
        }
    }

    /** Returns the number of messages that arrived intact so far, each counted once. */
    public long verified() {
        return sequences.verified();
    }

    /** Returns the result, after the end of the stream. */
    public DemoResult result() {
        return new DemoResult(
                sequences.verified(),
                sequences.lost(),
                sequences.reordered(),
                sequences.duplicated(),
                sequences.corrupt(),
                latencies.getValueAtPercentile(50),
                latencies.getValueAtPercentile(99));
    }
}
