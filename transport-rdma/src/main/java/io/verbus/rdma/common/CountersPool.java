// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionKey;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Counters of what comes and goes at the will of others. The driver does not use a freed counter
 * again for seconds, so that a storm of connections would use up all there are: those of what has
 * ended are taken first, and are freed at a slow pace. Until then what they counted can be seen.
 * Conductor's thread.
 *
 * @param <C> counters of one connection, or of one image.
 */
public final class CountersPool<C extends PooledCounters> implements AutoCloseable {
    private static final long PACE_NS = TimeUnit.SECONDS.toNanos(1);

    /** So many of those that ended last are not taken: what they counted is to be seen. */
    private static final int KEPT = 8;

    private final BiFunction<String, ConnectionKey, C> maker;
    private final ArrayDeque<C> ended = new ArrayDeque<>();
    private long nextNs;

    /**
     * @param maker of counters with a name and a key.
     * @param nowNs monotonic time.
     */
    public CountersPool(BiFunction<String, ConnectionKey, C> maker, long nowNs) {
        this.maker = maker;
        this.nextNs = nowNs;
    }

    /**
     * Takes counters for what has come.
     *
     * @throws io.verbus.BusException if all of the driver's are in use.
     */
    public C take(String name, ConnectionKey key) {
        if (ended.size() <= KEPT) {
            return maker.apply(name, key);
        }
        C counters = ended.poll();
        counters.reuse(name, key);
        return counters;
    }

    /** What they counted for has ended, and its agent has let go. */
    public void giveBack(C counters) {
        counters.end();
        ended.add(counters);
    }

    /** Frees those of one after each interval. */
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
