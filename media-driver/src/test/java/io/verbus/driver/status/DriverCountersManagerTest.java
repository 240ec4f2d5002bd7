// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.share.ShareLimits;
import io.verbus.driver.share.Shares;

import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

class DriverCountersManagerTest {
    private static final int CAPACITY = 64;
    private static final long COOLING_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int TYPE = 3;

    private final UnsafeBuffer text = new UnsafeBuffer(new byte[] {'x'});
    private final LongHashSet stopped = new LongHashSet();
    private final Shares shares =
            new Shares(CounterShare.limits(new ShareLimits(75, Map.of()), CAPACITY));
    private final DriverCountersManager manager =
            new DriverCountersManager(
                    memory(CAPACITY * CountersReader.METADATA_LENGTH),
                    memory(CAPACITY * CountersReader.COUNTER_LENGTH),
                    SystemEpochClock.INSTANCE,
                    COOLING_NS,
                    shares);

    private static UnsafeBuffer memory(int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }

    private AtomicCounter allocate(CounterShare share, long owner) {
        return manager.allocate(share, owner, Shares.NOBODY, TYPE, text, 1, text);
    }

    private List<AtomicCounter> takeAll(CounterShare share, int count) {
        List<AtomicCounter> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(allocate(share, DriverCountersManager.NO_OWNER));
        }
        assertThrows(BusException.class, () -> allocate(share, DriverCountersManager.NO_OWNER));
        return all;
    }

    private static long later() {
        return System.nanoTime() + COOLING_NS;
    }

    @Test
    void reservesQuarterOfCountersForClients() {
        takeAll(CounterShare.IMAGES, CAPACITY / 4);
        takeAll(CounterShare.CONNECTIONS, CAPACITY / 2);
        assertThrows(
                BusException.class, () -> manager.require(CounterShare.IMAGES, Shares.NOBODY, 1));
        manager.require(CounterShare.CLIENTS, Shares.NOBODY, CAPACITY / 4);
        assertThrows(
                BusException.class,
                () -> manager.require(CounterShare.CLIENTS, Shares.NOBODY, CAPACITY / 4 + 1));
        takeAll(CounterShare.CLIENTS, CAPACITY / 4);
    }

    @Test
    void reusesOldestFreedCounterAfterCoolDown() {
        List<AtomicCounter> all = takeAll(CounterShare.CLIENTS, CAPACITY);
        all.get(7).close();
        all.get(3).close();
        manager.reuse(later() - COOLING_NS / 2);
        assertThrows(BusException.class, () -> allocate(CounterShare.CLIENTS, 1));
        manager.reuse(later());
        assertEquals(all.get(7).id(), allocate(CounterShare.CLIENTS, 1).id());
        assertEquals(all.get(3).id(), allocate(CounterShare.CLIENTS, 1).id());
    }

    @Test
    void countsFreedImageCounterUntilCooledDown() {
        List<AtomicCounter> all = takeAll(CounterShare.IMAGES, CAPACITY / 4);
        all.getFirst().close();
        String message =
                assertThrows(BusException.class, () -> allocate(CounterShare.IMAGES, 1))
                        .getMessage();
        assertTrue(
                message.startsWith(
                        "all 16 counters that images of remote publications may use are in use or"
                                + " cooling down (15 in use, 1 freed and not reusable for 10 s"),
                message);
        manager.reuse(later());
        allocate(CounterShare.IMAGES, 1);
    }

    @Test
    void retainsCounterWhoseOwnerCannotBeChecked() {
        LongHashSet unknown = new LongHashSet();
        unknown.add(5);
        manager.owners(
                owner -> {
                    if (unknown.contains(owner)) {
                        throw new BusException("the kernel does not tell");
                    }
                    return false;
                });
        List<AtomicCounter> all = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            all.add(allocate(CounterShare.CLIENTS, i == 9 ? 5 : 6));
        }
        all.get(9).close();
        all.get(10).close();
        assertThrows(BusException.class, () -> manager.reuse(later()));
        manager.reuse(later());
        assertEquals(10, allocate(CounterShare.CLIENTS, 7).id());
        assertThrows(BusException.class, () -> allocate(CounterShare.CLIENTS, 7));
        unknown.clear();
        manager.reuse(later() + COOLING_NS);
        assertEquals(9, allocate(CounterShare.CLIENTS, 7).id());
    }

    @Test
    void retainsCounterOfStalledClient() {
        stopped.add(5);
        manager.owners(stopped::contains);
        List<AtomicCounter> all = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            all.add(allocate(CounterShare.CLIENTS, i == 9 ? 5 : 6));
        }
        all.get(9).close();
        all.get(10).close();
        manager.reuse(later());
        manager.reuse(later() + COOLING_NS);
        AtomicCounter other = allocate(CounterShare.CLIENTS, 7);
        assertEquals(10, other.id());
        assertThrows(BusException.class, () -> allocate(CounterShare.CLIENTS, 7));

        all.get(9).set(1_000_000_000); // the client writes after it resumes
        stopped.remove(5);
        manager.reuse(later() + 2 * COOLING_NS);
        AtomicCounter handedOn = allocate(CounterShare.CLIENTS, 7);
        assertEquals(9, handedOn.id());
        assertNotEquals(1_000_000_000, handedOn.get());
    }

    @Test
    void countsFreedCountersTowardsClientUntilReusable() {
        long greedy = 5;
        List<AtomicCounter> all = new ArrayList<>();
        for (int i = 0; i < CAPACITY * 3 / 4; i++) {
            all.add(manager.allocate(CounterShare.CLIENTS, greedy, greedy, TYPE, text, 1, text));
        }
        ShareException refusal =
                assertThrows(
                        ShareException.class,
                        () ->
                                manager.allocate(
                                        CounterShare.CLIENTS, greedy, greedy, TYPE, text, 1, text));
        assertEquals(
                "client 5 has 48 counters, and 1 more would exceed the limit of 48: close"
                        + " unused objects, or raise counter-values-length; each client may use"
                        + " client-share=75 percent of the total",
                refusal.getMessage());
        manager.allocate(CounterShare.CLIENTS, 6, 6, TYPE, text, 1, text);
        all.forEach(AtomicCounter::close);
        assertEquals(48, shares.of(Share.COUNTERS, greedy));
        manager.reuse(later());
        assertEquals(0, shares.of(Share.COUNTERS, greedy));
        assertEquals(1, shares.all(Share.COUNTERS));
    }
}
