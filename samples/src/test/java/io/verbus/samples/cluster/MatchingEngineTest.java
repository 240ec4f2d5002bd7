// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import static io.verbus.codecs.marketdata.Side.BUY;
import static io.verbus.codecs.marketdata.Side.SELL;
import static io.verbus.codecs.marketdata.TimeInForce.DAY;
import static io.verbus.codecs.marketdata.TimeInForce.FILL_OR_KILL;
import static io.verbus.codecs.marketdata.TimeInForce.IMMEDIATE_OR_CANCEL;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class MatchingEngineTest {
    private final MatchingEngine engine = new MatchingEngine();
    private final Orders orders = new Orders(engine);

    private List<String> resting() {
        List<String> resting = new ArrayList<>();
        engine.forEachOrder(
                (symbol, order) ->
                        resting.add(
                                order.account
                                        + " "
                                        + order.side
                                        + " "
                                        + order.size
                                        + " at "
                                        + order.price));
        return resting;
    }

    @Test
    void matchesOrdersByPriceThenTime() {
        assertEquals(0, orders.send("A", SELL, 102, 10, DAY));
        assertEquals(0, orders.send("B", SELL, 101, 10, DAY));
        assertEquals(0, orders.send("C", SELL, 101, 10, DAY));
        assertEquals(15, orders.send("D", BUY, 101, 15, DAY));
        assertEquals(List.of("C SELL 5 at 101", "A SELL 10 at 102"), resting());
        assertEquals(15, orders.send("D", BUY, 105, 20, DAY));
        assertEquals(List.of("D BUY 5 at 105"), resting());
        MatchingEngine.State state = engine.state();
        assertEquals(5, state.orders());
        assertEquals(4, state.trades());
        assertEquals(30, state.volume());
    }

    @Test
    void onlyDayOrdersRest() {
        orders.send("A", BUY, 100, 10, DAY);
        assertEquals(10, orders.send("B", SELL, 100, 15, IMMEDIATE_OR_CANCEL));
        assertEquals(List.of(), resting());
        orders.send("A", BUY, 100, 10, DAY);
        assertEquals(0, orders.send("B", SELL, 100, 11, FILL_OR_KILL));
        assertEquals(0, orders.send("B", SELL, 101, 10, FILL_OR_KILL));
        assertEquals(10, orders.send("B", SELL, 99, 10, FILL_OR_KILL));
        assertEquals(List.of(), resting());
    }

    @Test
    void ignoresRepeatedOrderAndRejectsEarlyOrder() {
        assertEquals(0, orders.take("A", 0, BUY, 100, 10, DAY));
        assertEquals(1, orders.take("B", 0, BUY, 100, 10, DAY));
        MatchingEngine.State state = engine.state();
        assertEquals(MatchingEngine.REPEATED, orders.take("A", 0, BUY, 100, 10, DAY));
        assertEquals(MatchingEngine.EARLY, orders.take("A", 2, BUY, 100, 10, DAY));
        assertEquals(state, engine.state());
        assertEquals(2, orders.take("A", 1, BUY, 100, 10, DAY));
    }

    @Test
    void checksumDependsOnEachRestingOrder() {
        orders.send("A", BUY, 100, 10, DAY);
        orders.send("B", BUY, 100, 20, DAY);
        MatchingEngine other = new MatchingEngine();
        Orders otherOrders = new Orders(other);
        otherOrders.send("A", BUY, 100, 20, DAY);
        otherOrders.send("B", BUY, 100, 10, DAY);
        assertNotEquals(engine.state().checksum(), other.state().checksum());
    }
}
