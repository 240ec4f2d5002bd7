// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.verbus.codecs.marketdata.Side;
import io.verbus.codecs.marketdata.TimeInForce;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A limit order book of one symbol. Orders match by price, then by time, at the price of the
 * resting order. The same orders in the same sequence give the same book. Single-threaded.
 */
final class OrderBook {
    private final TreeMap<Long, Deque<RestingOrder>> bids =
            new TreeMap<>(Comparator.reverseOrder());
    private final TreeMap<Long, Deque<RestingOrder>> asks = new TreeMap<>();

    private long trades;
    private long volume;

    /** An order and its remaining size. */
    static final class RestingOrder {
        final long sequence;
        final long clientOrderId;
        final String account;
        final Side side;
        final long price;
        long size;

        RestingOrder(
                long sequence,
                long clientOrderId,
                String account,
                Side side,
                long price,
                long size) {
            this.sequence = sequence;
            this.clientOrderId = clientOrderId;
            this.account = account;
            this.side = side;
            this.price = price;
            this.size = size;
        }
    }

    /**
     * Matches an order; the remainder rests if it is a day order.
     *
     * @return the traded size.
     */
    long match(RestingOrder order, TimeInForce timeInForce) {
        TreeMap<Long, Deque<RestingOrder>> others = order.side == Side.BUY ? asks : bids;
        long size = order.size;
        if (timeInForce == TimeInForce.FILL_OR_KILL && available(others, order) < size) {
            return 0;
        }
        while (order.size > 0 && !others.isEmpty() && crosses(order, others.firstKey())) {
            Deque<RestingOrder> level = others.firstEntry().getValue();
            trade(order, level.getFirst());
            if (level.getFirst().size == 0) {
                level.removeFirst();
            }
            if (level.isEmpty()) {
                others.pollFirstEntry();
            }
        }
        long traded = size - order.size;
        if (order.size > 0 && timeInForce == TimeInForce.DAY) {
            rest(order);
        }
        return traded;
    }

    /** Adds an order after those of the same price, without matching it. */
    void rest(RestingOrder order) {
        (order.side == Side.BUY ? bids : asks)
                .computeIfAbsent(order.price, price -> new ArrayDeque<>())
                .addLast(order);
    }

    private void trade(RestingOrder order, RestingOrder resting) {
        long traded = Math.min(order.size, resting.size);
        order.size -= traded;
        resting.size -= traded;
        trades++;
        volume += traded;
    }

    private static boolean crosses(RestingOrder order, long price) {
        return order.side == Side.BUY ? price <= order.price : price >= order.price;
    }

    private static long available(TreeMap<Long, Deque<RestingOrder>> others, RestingOrder order) {
        return others.headMap(order.price, true).values().stream()
                .flatMap(Collection::stream)
                .mapToLong(resting -> resting.size)
                .sum();
    }

    /**
     * Visits the resting orders: bids, then asks, each from the best price to the worst, and by
     * time within a price.
     */
    void forEach(Consumer<RestingOrder> consumer) {
        bids.values().forEach(level -> level.forEach(consumer));
        asks.values().forEach(level -> level.forEach(consumer));
    }

    /** Returns the number of trades since the book was created. */
    long trades() {
        return trades;
    }

    /** Returns the total size of these trades. */
    long volume() {
        return volume;
    }
}
