// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Publication;
import io.verbus.codecs.marketdata.AccountStateDecoder;
import io.verbus.codecs.marketdata.AccountStateEncoder;
import io.verbus.codecs.marketdata.BookSummaryDecoder;
import io.verbus.codecs.marketdata.BookSummaryEncoder;
import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.MessageHeaderEncoder;
import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.codecs.marketdata.NewOrderEncoder;
import io.verbus.codecs.marketdata.TimeInForce;
import io.verbus.samples.cluster.MatchingEngine.State;
import io.verbus.samples.cluster.OrderBook.RestingOrder;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.IdleStrategy;

/**
 * The state of a {@link MatchingEngine} as a stream of messages: accounts, resting orders, and a
 * summary, whose checksum shows that the snapshot is complete.
 */
final class EngineSnapshot {
    private static final int FRAGMENT_LIMIT = 16;

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private final ExclusivePublication publication;
    private final IdleStrategy idle;

    private EngineSnapshot(ExclusivePublication publication, IdleStrategy idle) {
        this.publication = publication;
        this.idle = idle;
    }

    /** Writes an engine's state. */
    static void write(MatchingEngine engine, ExclusivePublication publication, IdleStrategy idle) {
        EngineSnapshot snapshot = new EngineSnapshot(publication, idle);
        engine.forEachAccount(snapshot::writeAccount);
        engine.forEachOrder(snapshot::writeOrder);
        snapshot.writeSummary(engine.state());
    }

    private void writeAccount(String account, long lastOrderId) {
        AccountStateEncoder message = new AccountStateEncoder();
        message.wrapAndApplyHeader(buffer, 0, header)
                .lastClientOrderId(lastOrderId)
                .account(account);
        offer(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    private void writeOrder(String symbol, RestingOrder order) {
        NewOrderEncoder message = new NewOrderEncoder();
        message.wrapAndApplyHeader(buffer, 0, header)
                .sequence(order.sequence)
                .symbol(symbol)
                .clientOrderId(order.clientOrderId)
                .size(order.size)
                .side(order.side)
                .timeInForce(TimeInForce.DAY)
                .price()
                .mantissa(order.price);
        message.account(order.account);
        offer(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    private void writeSummary(State state) {
        BookSummaryEncoder message = new BookSummaryEncoder();
        message.wrapAndApplyHeader(buffer, 0, header)
                .sequence(state.orders())
                .trades(state.trades())
                .volume(state.volume())
                .bookChecksum(state.checksum());
        offer(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    private void offer(int length) {
        idle.reset();
        for (long result = publication.offer(buffer, 0, length);
                result < 0;
                result = publication.offer(buffer, 0, length)) {
            if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException("cannot write to the snapshot: " + result);
            }
            idle.idle(); // throws an exception when the service must end
        }
    }

    /** Reads an engine's state. */
    static MatchingEngine read(Image image, IdleStrategy idle) {
        Reader reader = new Reader();
        FragmentAssembler assembler =
                new FragmentAssembler(
                        (buffer, offset, length, header) -> reader.on(buffer, offset));
        idle.reset();
        while (!reader.isComplete) {
            int fragments = image.poll(assembler, FRAGMENT_LIMIT);
            // Not thrown by the handler, because the client would handle the exception.
            if (reader.failure != null) {
                throw new IllegalStateException(reader.failure);
            }
            if (fragments == 0 && (image.isClosed() || image.isEndOfStream())) {
                throw new IllegalStateException(
                        "the snapshot ends at position "
                                + image.position()
                                + " without a summary: remove the snapshot from the recording log");
            }
            idle.idle(fragments);
        }
        return reader.engine;
    }

    private static final class Reader {
        private final MatchingEngine engine = new MatchingEngine();
        private final MessageHeaderDecoder header = new MessageHeaderDecoder();
        private final AccountStateDecoder account = new AccountStateDecoder();
        private final NewOrderDecoder order = new NewOrderDecoder();
        private final BookSummaryDecoder summary = new BookSummaryDecoder();
        private boolean isComplete;
        private String failure;

        void on(DirectBuffer buffer, int offset) {
            switch (header.wrap(buffer, offset).templateId()) {
                case AccountStateDecoder.TEMPLATE_ID -> {
                    account.wrapAndApplyHeader(buffer, offset, header);
                    engine.restoreAccount(account.account(), account.lastClientOrderId());
                }
                case NewOrderDecoder.TEMPLATE_ID -> {
                    order.wrapAndApplyHeader(buffer, offset, header);
                    engine.restoreOrder(
                            order.symbol(),
                            new RestingOrder(
                                    order.sequence(),
                                    order.clientOrderId(),
                                    order.account(),
                                    order.side(),
                                    order.price().mantissa(),
                                    order.size()));
                }
                case BookSummaryDecoder.TEMPLATE_ID -> {
                    summary.wrapAndApplyHeader(buffer, offset, header);
                    engine.restoreTotals(summary.sequence(), summary.trades(), summary.volume());
                    check(engine.state().checksum(), summary.bookChecksum());
                    isComplete = true;
                }
                default ->
                        failure =
                                "a snapshot cannot contain messages of template "
                                        + header.templateId();
            }
        }

        private void check(long restored, long written) {
            if (restored != written) {
                failure =
                        String.format(
                                "the snapshot has checksum %x, but %x was expected: remove the"
                                        + " snapshot from the recording log",
                                restored, written);
            }
        }
    }
}
