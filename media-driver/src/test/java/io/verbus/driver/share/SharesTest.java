// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

class SharesTest {
    private static final long TOTAL = 100;
    private static final int PERCENT = 75;

    private record Taken(Share share, long client, long amount) {}

    private final Map<Share, Long> totals = new HashMap<>();

    private Shares shares() {
        for (Share share : Share.values()) {
            totals.put(share, TOTAL);
        }
        return new Shares(new ShareLimits(PERCENT, totals));
    }

    /** For any order of takes and returns, the counts match those of a model. */
    @Property(tries = 200)
    void countsTakenAndReturnedAmounts(@ForAll @LongRange long seed) {
        Random random = new Random(seed);
        Shares shares = shares();
        Map<Share, Map<Long, Long>> model = new HashMap<>();
        ArrayDeque<Taken> all = new ArrayDeque<>();
        for (int i = 0; i < 1000; i++) {
            Share share = Share.values()[random.nextInt(Share.values().length)];
            long client = random.nextInt(4);
            Map<Long, Long> held = model.computeIfAbsent(share, none -> new HashMap<>());
            if (random.nextInt(3) > 0) {
                long amount = 1 + random.nextInt(20);
                long own = held.getOrDefault(client, 0L);
                long sum = held.values().stream().mapToLong(Long::longValue).sum();
                if (own + amount > TOTAL * PERCENT / 100 || sum + amount > TOTAL) {
                    assertThrows(ShareException.class, () -> shares.take(share, client, amount));
                } else {
                    shares.take(share, client, amount);
                    held.merge(client, amount, Long::sum);
                    all.addLast(new Taken(share, client, amount));
                }
            } else if (!all.isEmpty()) {
                Taken taken = random.nextBoolean() ? all.removeFirst() : all.removeLast();
                shares.giveBack(taken.share, taken.client, taken.amount);
                model.get(taken.share).merge(taken.client, -taken.amount, Long::sum);
            }
            assertEquals(held.getOrDefault(client, 0L), shares.of(share, client));
        }
        all.forEach(taken -> shares.giveBack(taken.share, taken.client, taken.amount));
        for (Share share : Share.values()) {
            assertEquals(0, shares.all(share));
        }
    }

    @Example
    void limitsClientToItsShareAndLeavesRestToOthers() {
        Shares shares = shares();
        shares.take(Share.SUBSCRIPTIONS, 1, 75);
        ShareException refusal =
                assertThrows(ShareException.class, () -> shares.take(Share.SUBSCRIPTIONS, 1, 1));
        assertEquals(
                "client 1 has 75 subscriptions, and 1 more would exceed the limit of 75:"
                        + " close unused objects, or raise max-subscriptions; each client may use"
                        + " client-share=75 percent of the total",
                refusal.getMessage());
        shares.take(Share.SUBSCRIPTIONS, 2, 25);
        refusal = assertThrows(ShareException.class, () -> shares.take(Share.SUBSCRIPTIONS, 2, 1));
        assertTrue(
                refusal.getMessage().startsWith("all clients together have 100 subscriptions"),
                refusal.getMessage());
    }

    @Example
    void countsLongChannelOncePerKibibyte() {
        assertEquals(1, Shares.weight(""));
        assertEquals(1, Shares.weight("x".repeat(1024)));
        assertEquals(2, Shares.weight("x".repeat(1025)));
        assertEquals(4, Shares.weight("x".repeat(4095)));
    }
}
