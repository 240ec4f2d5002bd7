// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.samples.cluster.OrderBook.RestingOrder;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The order books of all symbols and the progress of each account: the state that the cluster
 * replicates. Single-threaded.
 *
 * <p>The orders of an account are numbered from 0, without gaps. The engine can therefore accept a
 * repeated order only once, and ignore an order that overtakes another; the account then sends that
 * order again.
 */
public final class MatchingEngine {
    /** Result for an order that the engine has accepted before. */
    public static final long REPEATED = -1;

    /** Result for an order that the engine ignores because earlier ones are missing. */
    public static final long EARLY = -2;

    private final Map<String, OrderBook> books = new TreeMap<>();
    private final Map<String, Long> lastOrderIds = new TreeMap<>();

    private long orders;
    private long trades;
    private long volume;
    private long filled;

    /** Summary of an engine's state, for comparison. */
    public record State(long orders, long trades, long volume, long checksum) {}

    /**
     * Accepts an order, unless it is repeated or early.
     *
     * @return the number of orders accepted before it, {@link #REPEATED} or {@link #EARLY}.
     */
    public long take(NewOrderDecoder order) {
        String account = order.account();
        long last = lastOrderIds.getOrDefault(account, -1L);
        long id = order.clientOrderId();
        filled = 0;
        if (id != last + 1) {
            return id <= last ? REPEATED : EARLY;
        }
        lastOrderIds.put(account, id);
        OrderBook book = book(order.symbol());
        long tradesBefore = book.trades();
        RestingOrder taken =
                new RestingOrder(
                        orders, id, account, order.side(), order.price().mantissa(), order.size());
        filled = book.match(taken, order.timeInForce());
        volume += filled;
        trades += book.trades() - tradesBefore;
        return orders++;
    }

    /** Returns the size that the last order traded immediately. */
    long filled() {
        return filled;
    }

    private OrderBook book(String symbol) {
        return books.computeIfAbsent(symbol, name -> new OrderBook());
    }

    /** Returns the current state, after visiting every resting order. */
    public State state() {
        long checksum = orders;
        checksum = mix(mix(checksum, trades), volume);
        for (Map.Entry<String, Long> account : lastOrderIds.entrySet()) {
            checksum = mix(mix(checksum, account.getKey().hashCode()), account.getValue());
        }
        long[] sum = {checksum};
        forEachOrder(
                (symbol, order) -> {
                    sum[0] = mix(mix(sum[0], symbol.hashCode()), order.sequence);
                    sum[0] = mix(mix(sum[0], order.clientOrderId), order.account.hashCode());
                    sum[0] = mix(mix(sum[0], order.side.value()), order.price);
                    sum[0] = mix(sum[0], order.size);
                });
        return new State(orders, trades, volume, sum[0]);
    }

    private static long mix(long sum, long value) {
        long mixed = (sum ^ value) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }

    void forEachAccount(BiConsumer<String, Long> consumer) {
        lastOrderIds.forEach(consumer);
    }

    void forEachOrder(BiConsumer<String, RestingOrder> consumer) {
        books.forEach((symbol, book) -> book.forEach(order -> consumer.accept(symbol, order)));
    }

    void restoreAccount(String account, long lastOrderId) {
        lastOrderIds.put(account, lastOrderId);
    }

    void restoreOrder(String symbol, RestingOrder order) {
        book(symbol).rest(order);
    }

    void restoreTotals(long takenOrders, long allTrades, long allVolume) {
        orders = takenOrders;
        trades = allTrades;
        volume = allVolume;
    }
}
