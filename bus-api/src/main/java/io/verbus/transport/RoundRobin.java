// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.util.Arrays;

/**
 * Decides which gets a turn in a duty cycle: each that was busy lately, and the next idle one. So a
 * cycle costs the same whether one stream is idle or a thousand are, and an idle one waits for at
 * most as many cycles as there are idle ones. Where cycles are far between, as those of a thread
 * that parks, more of them get a turn in each, so that none waits for longer than {@link
 * #LONGEST_WAIT_NS}, or one cycle.
 *
 * <p>Nothing tells that an idle stream has work: its publisher or subscriber writes memory, as
 * ever, and pays nothing for it.
 *
 * <pre>
 *   all   | busy: a turn in every cycle | idle: one of them in a cycle |
 *         0         ^first             busy      ^next                count
 * </pre>
 *
 * Used by one agent. Allocates only when one is added.
 *
 * @param <T> what takes turns.
 */
public final class RoundRobin<T extends RoundRobin.Taker> {
    private static final int WAIT_SHIFT = 20;

    /** Nanoseconds within which each idle one gets a turn, if a cycle does not take longer. */
    public static final int LONGEST_WAIT_NS = 1 << WAIT_SHIFT;

    /** Result of a turn: no room for more in this cycle; the next cycle begins with this one. */
    public static final int STOP = -1;

    private final long idleAfterNs;
    private Taker[] all = new Taker[4];
    private int count;
    private int busy;
    private int first;
    private int next;
    private long nowNs;

    /** One that takes turns, in one {@link RoundRobin} at a time. */
    public abstract static class Taker {
        private int index = -1;
        private long busyNs;

        /**
         * Whether it waits for something that must be seen at once, though it has no work now.
         * Asked before it is taken for idle, and each time it has its turn as an idle one.
         */
        protected abstract boolean isWaiting();
    }

    /**
     * What is done with a turn.
     *
     * @param <T> whose turn it is.
     */
    public interface Turn<T> {
        /**
         * Takes the turn.
         *
         * @return the amount of work done, or {@link #STOP}.
         */
        int take(T taker, long nowNs);
    }

    /**
     * @param idleAfterNs nanoseconds without work after which one is idle.
     * @param nowNs monotonic time.
     */
    public RoundRobin(long idleAfterNs, long nowNs) {
        this.idleAfterNs = idleAfterNs;
        this.nowNs = nowNs;
    }

    /** Takes one in, as busy. */
    public void add(T taker) {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        put(taker, count++);
        wake(taker);
    }

    /** Lets one go. */
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

    /** How many there are. */
    public int count() {
        return count;
    }

    /** One of them; the order changes with every cycle, with what is added and with removals. */
    @SuppressWarnings("unchecked") // only add() puts any in
    public T get(int index) {
        return (T) all[index];
    }

    /** One that was idle is busy again, as far as the others can tell. */
    public void wake(Taker taker) {
        taker.busyNs = nowNs;
        if (taker.index >= busy) {
            swap(taker.index, busy++);
        }
    }

    /**
     * One cycle.
     *
     * @param turn is given to each whose turn it is; must neither add nor remove, but may wake.
     * @param now of the cycle.
     * @return the amount of work done.
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

    @SuppressWarnings("unchecked") // only add() puts any in
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
