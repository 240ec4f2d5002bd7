// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.util.Arrays;

/**
 * Schedules turns in a duty cycle: every taker that was busy lately gets a turn, plus the next idle
 * one. So a cycle costs the same whether one stream is idle or a thousand, and an idle taker waits
 * for at most as many cycles as there are idle takers. If cycles are far apart, as with a thread
 * that parks, several idle takers get a turn in each, so that none waits longer than {@link
 * #LONGEST_WAIT_NS} or one cycle.
 *
 * <p>Nothing signals that an idle stream has work: its publisher or subscriber just writes memory
 * as usual, without extra cost.
 *
 * <pre>
 *   all   | busy: a turn in every cycle | idle: one of them in a cycle |
 *         0         ^first             busy      ^next                count
 * </pre>
 *
 * Used by one agent only. Only adding a taker allocates.
 *
 * @param <T> type of the takers.
 */
public final class RoundRobin<T extends RoundRobin.Taker> {
    private static final int WAIT_SHIFT = 20;

    /**
     * Time in nanoseconds within which each idle taker gets a turn, unless a cycle takes longer.
     */
    public static final int LONGEST_WAIT_NS = 1 << WAIT_SHIFT;

    /**
     * Result of a turn that ends the cycle for lack of room; the next cycle starts with this taker.
     */
    public static final int STOP = -1;

    private final long idleAfterNs;
    private Taker[] all = new Taker[4];
    private int count;
    private int busy;
    private int first;
    private int next;
    private long nowNs;

    /** An object that takes turns, in one {@link RoundRobin} at a time. */
    public abstract static class Taker {
        private int index = -1;
        private long busyNs;

        /**
         * Returns whether the taker, although it has no work now, waits for something that it must
         * see immediately. Called before it becomes idle, and at each turn as an idle taker.
         */
        protected abstract boolean isWaiting();
    }

    /**
     * The action of a turn.
     *
     * @param <T> type of the taker.
     */
    public interface Turn<T> {
        /**
         * Takes the turn.
         *
         * @return work done, or {@link #STOP}.
         */
        int take(T taker, long nowNs);
    }

    /**
     * @param idleAfterNs time in nanoseconds without work after which a taker becomes idle.
     * @param nowNs monotonic time.
     */
    public RoundRobin(long idleAfterNs, long nowNs) {
        this.idleAfterNs = idleAfterNs;
        this.nowNs = nowNs;
    }

    /** Adds a taker, which starts out busy. */
    public void add(T taker) {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        put(taker, count++);
        wake(taker);
    }

    /** Removes a taker. */
    public void remove(Taker taker) {
        if (taker.index < busy) {
            rest(taker);
        }
        Taker last = all[--count];
        put(last, taker.index);
        all[count] = null;
        taker.index = -1;
        first = 0;
        next = 0;
    }

    /** Returns the number of takers. */
    public int count() {
        return count;
    }

    /** Returns a taker by its index; cycles, additions and removals change the order. */
    @SuppressWarnings("unchecked") // only add() stores elements
    public T get(int index) {
        return (T) all[index];
    }

    /** Makes an idle taker busy. */
    public void wake(Taker taker) {
        taker.busyNs = nowNs;
        if (taker.index >= busy) {
            swap(taker.index, busy++);
        }
    }

    /**
     * Runs one cycle.
     *
     * @param turn action of a turn; must neither add nor remove takers, but may wake them.
     * @param now monotonic time of the cycle.
     * @return work done.
     */
    public int go(Turn<? super T> turn, long now) {
        long elapsedNs = Math.min(now - nowNs, LONGEST_WAIT_NS);
        nowNs = now;
        int work = 0;
        Taker idle = null;
        int most = busy;
        for (int i = 0, index = first < most ? first : 0; i < most; i++) {
            Taker taker = all[index];
            int done = take(turn, index);
            if (done == STOP) {
                first = index;
                return work;
            }
            work += done;
            if (done > 0) {
                taker.busyNs = now;
            } else if (now - taker.busyNs >= idleAfterNs) {
                if (taker.isWaiting()) {
                    taker.busyNs = now;
                } else {
                    idle = taker;
                }
            }
            index = index + 1 == most ? 0 : index + 1;
        }
        first = first + 1 < most ? first + 1 : 0;
        work += sweep(turn, elapsedNs);
        if (idle != null && idle.index < busy && now - idle.busyNs >= idleAfterNs) {
            rest(idle);
        }
        return work;
    }

    private int sweep(Turn<? super T> turn, long elapsedNs) {
        int work = 0;
        int resting = count - busy;
        int due = (int) (resting * elapsedNs >> WAIT_SHIFT);
        int most = Math.min(resting, due + 1);
        for (int i = 0; i < most; i++) {
            next = next < busy || next >= count ? busy : next;
            Taker taker = all[next];
            int done = take(turn, next);
            if (done == STOP) {
                return work;
            }
            work += done;
            if (done > 0 || taker.isWaiting()) {
                wake(taker);
            }
            next++;
        }
        return work;
    }

    @SuppressWarnings("unchecked") // only add() stores elements
    private int take(Turn<? super T> turn, int index) {
        return turn.take((T) all[index], nowNs);
    }

    private void rest(Taker taker) {
        swap(taker.index, --busy);
    }

    private void swap(int one, int other) {
        Taker taker = all[one];
        put(all[other], one);
        put(taker, other);
    }

    private void put(Taker taker, int index) {
        all[index] = taker;
        taker.index = index;
    }
}
