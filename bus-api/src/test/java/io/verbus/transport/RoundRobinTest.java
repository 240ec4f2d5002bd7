// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class RoundRobinTest {
    private static final long IDLE_AFTER = 1000;

    private final List<Worker> order = new ArrayList<>();
    private long nowNs;
    private final RoundRobin<Worker> turns = new RoundRobin<>(IDLE_AFTER, 0);

    private static final class Worker extends RoundRobin.Taker {
        private int work;
        private boolean waiting;
        private int turns;

        @Override
        protected boolean isWaiting() {
            return waiting;
        }
    }

    private int take(Worker worker, long now) {
        order.add(worker);
        worker.turns++;
        return worker.work;
    }

    private int go() {
        order.clear();
        nowNs++;
        return turns.go(this::take, nowNs);
    }

    private List<Worker> add(int count) {
        List<Worker> added = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Worker worker = new Worker();
            added.add(worker);
            turns.add(worker);
        }
        return added;
    }

    private void letAllIdle() {
        nowNs += IDLE_AFTER;
        for (int i = 0; i <= turns.count(); i++) {
            go();
        }
    }

    @Test
    void givesEachBusyTakerTurnInEveryCycle() {
        List<Worker> all = add(100);
        all.forEach(worker -> worker.work = 1);
        nowNs += 2 * IDLE_AFTER;
        for (int i = 0; i < 10; i++) {
            assertEquals(100, go());
            assertEquals(100, order.size());
        }
        all.forEach(worker -> assertEquals(10, worker.turns));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 1000})
    void costDoesNotDependOnNumberOfIdleTakers(int count) {
        add(count);
        letAllIdle();
        for (int i = 0; i < 100; i++) {
            go();
            assertEquals(1, order.size());
        }
    }

    @Test
    void givesIdleTakersTurnsInOrder() {
        List<Worker> all = add(1000);
        letAllIdle();
        all.forEach(worker -> worker.turns = 0);
        for (int i = 0; i < 1000; i++) {
            go();
        }
        all.forEach(worker -> assertEquals(1, worker.turns));
    }

    @ParameterizedTest
    @ValueSource(
            longs = {10_000, 100_000, RoundRobin.LONGEST_WAIT_NS, 10_000_000, Long.MAX_VALUE / 2})
    void boundsWaitOfIdleTakersWhenCyclesAreFarApart(long cycleNs) {
        List<Worker> all = add(1000);
        letAllIdle();
        all.forEach(worker -> worker.turns = 0);
        long cycles = Math.ceilDiv(RoundRobin.LONGEST_WAIT_NS, cycleNs);
        for (int i = 0; i < cycles; i++) {
            nowNs += cycleNs - 1;
            go();
            assertTrue(order.size() <= 1 + 1100 / cycles, "" + order.size());
        }
        all.forEach(worker -> assertTrue(worker.turns > 0));
    }

    @Test
    void servesIdleTakerInEveryCycleOnceItHasWork() {
        List<Worker> all = add(100);
        letAllIdle();
        Worker woken = all.get(77);
        woken.work = 1;
        int cycles = 0;
        while (go() == 0) {
            cycles++;
        }
        assertTrue(cycles <= 100, cycles + " cycles");
        for (int i = 0; i < 10; i++) {
            assertEquals(1, go());
        }
        woken.work = 0;
        letAllIdle();
        assertEquals(0, go());
        assertEquals(1, order.size());
    }

    @Test
    void givesWokenTakerTurnInNextCycle() {
        List<Worker> all = add(100);
        letAllIdle();
        turns.wake(all.get(50));
        go();
        assertEquals(all.get(50), order.getFirst());
    }

    @Test
    void givesWaitingTakerTurnInEveryCycle() {
        List<Worker> all = add(100);
        all.get(3).waiting = true;
        letAllIdle();
        go();
        assertEquals(2, order.size());
        assertEquals(all.get(3), order.getFirst());
    }

    @Test
    void startsNextCycleWherePreviousCycleStopped() {
        List<Worker> all = add(5);
        all.forEach(worker -> worker.work = 1);
        go();
        Worker last = order.get(2);
        last.work = RoundRobin.STOP;
        go();
        assertEquals(last, order.getLast());
        last.work = 1;
        go();
        assertEquals(last, order.getFirst());
        assertEquals(5, order.size());
    }

    @Property(tries = 300)
    void neverStarvesAnyTaker(@ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int most) {
        Random random = new Random(seed);
        RoundRobin<Worker> some = new RoundRobin<>(5, 0);
        List<Worker> all = new ArrayList<>();
        for (long now = 1; now < 400; now++) {
            if (all.size() < most && random.nextInt(4) == 0) {
                Worker worker = new Worker();
                all.add(worker);
                some.add(worker);
            } else if (!all.isEmpty() && random.nextInt(20) == 0) {
                some.remove(all.remove(random.nextInt(all.size())));
            } else if (!all.isEmpty()) {
                Worker worker = all.get(random.nextInt(all.size()));
                worker.work = random.nextInt(3) == 0 ? random.nextInt(3) - 1 : 0;
                worker.waiting = random.nextInt(10) == 0;
                if (random.nextInt(5) == 0) {
                    some.wake(worker);
                }
            }
            some.go(this::take, now);
            assertEquals(all.size(), some.count());
        }
        for (Worker worker : all) {
            worker.turns = 0;
            worker.work = 0;
            worker.waiting = false;
        }
        for (long now = 400; now < 400 + 2 + most; now++) {
            some.go(this::take, now);
        }
        for (Worker worker : all) {
            assertTrue(worker.turns > 0, "forgotten; seed " + seed);
        }
    }
}
