// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionKey;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Pools counters of connections and images, which peers create and end. The driver does not reuse a
 * freed counter for seconds, so a burst of connections could exhaust its counters. The pool
 * therefore reuses the counters of ended connections first, and frees them slowly. Until then their
 * values remain visible. Used by the conductor's thread.
 *
 * @param <C> counters of one connection or image.
 */
public final class CountersPool<C extends PooledCounters> implements AutoCloseable {
    private static final long PACE_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Number of recently ended counters that are not reused, so that their values remain visible.
     */
    private static final int KEPT = 8;

    private final BiFunction<String, ConnectionKey, C> maker;
    private final ArrayDeque<C> ended = new ArrayDeque<>();
    private long nextNs;

    /**
     * @param maker factory of counters with a name and a key.
     * @param nowNs monotonic time.
     */
    public CountersPool(BiFunction<String, ConnectionKey, C> maker, long nowNs) {
        this.maker = maker;
        this.nextNs = nowNs;
    }

    /**
     * Takes counters for a new connection or image.
     *
     * @throws io.verbus.BusException if all of the driver's counters are in use.
     */
    public C take(String name, ConnectionKey key) {
        if (ended.size() <= KEPT) {
            return maker.apply(name, key);
        }
        C counters = ended.poll();
        counters.reuse(name, key);
        return counters;
    }

    /** Gives back counters whose connection or image has ended and that no agent uses. */
    public void giveBack(C counters) {
        counters.end();
        ended.add(counters);
    }

    /** Frees one set of counters per interval. */
    public void work(long nowNs) {
        if (ended.isEmpty()) {
            nextNs = nowNs + PACE_NS;
        } else if (nowNs - nextNs >= 0) {
            nextNs = nowNs + PACE_NS;
            ended.poll().close();
        }
    }

    @Override
    public void close() {
        ended.forEach(PooledCounters::close);
        ended.clear();
    }
}
