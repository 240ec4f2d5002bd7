// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.udp.socket.NetworkChanges;

import java.util.ArrayList;
import java.util.List;

/**
 * Has sockets checked after addresses or routes of this host have changed: a socket may be bound to
 * an address that is gone, or send by a route that leads nowhere. Conductor's thread.
 */
public final class NetworkWatch implements AutoCloseable {
    private static final long INTERVAL_NS = 1_000_000_000;

    /** Sockets that a cycle checks at most: what else the conductor has to do is not held up. */
    private static final int CHECKS_PER_CYCLE = 4;

    /** Checks a socket. */
    public interface Check {
        /**
         * @param changedNs when the last change was seen, a second ago or longer.
         * @return false to be called again in a second.
         */
        boolean isDone(long changedNs);
    }

    private static final class Watched {
        final Object owner;
        final Check check;
        boolean isDue;
        long dueNs;

        Watched(Object owner, Check check) {
            this.owner = owner;
            this.check = check;
        }
    }

    private final NetworkChanges changes = new NetworkChanges();
    private final long assumedNs;
    private final List<Watched> all = new ArrayList<>();
    private int next;
    private int due;
    private long nowNs;
    private long polledNs;
    private long changedNs;

    /**
     * @param assumedNs interval after which a change is assumed where the system tells of none.
     * @param nowNs monotonic time.
     */
    public NetworkWatch(long assumedNs, long nowNs) {
        this.assumedNs = assumedNs;
        this.nowNs = nowNs;
        polledNs = nowNs;
        changedNs = nowNs;
    }

    /**
     * Watches a socket.
     *
     * @param owner by which it is forgotten.
     * @param check called after each change.
     */
    public void watch(Object owner, Check check) {
        all.add(new Watched(owner, check));
    }

    /** Watches an owner's socket no more. */
    public void forget(Object owner) {
        all.removeIf(each -> each.owner == owner);
        due = (int) all.stream().filter(each -> each.isDue).count();
    }

    /** Has an owner's socket checked in a second. */
    public void checkAgain(Object owner) {
        for (Watched each : all) {
            if (each.owner == owner) {
                mark(each);
            }
        }
    }

    private void mark(Watched each) {
        due += each.isDue ? 0 : 1;
        each.isDue = true;
        each.dueNs = nowNs + INTERVAL_NS;
    }

    /** Every cycle. Returns the amount of work done. */
    public int work(long now) {
        nowNs = now;
        if (now - polledNs >= INTERVAL_NS) {
            polledNs = now;
            if (changes.isTold() ? changes.poll() : now - changedNs >= assumedNs) {
                changedNs = now;
                all.forEach(this::mark);
            }
        }
        int work = 0;
        for (int i = all.size(); due > 0 && i > 0 && work < CHECKS_PER_CYCLE; i--) {
            next = next + 1 < all.size() ? next + 1 : 0;
            work += check(all.get(next));
        }
        return work;
    }

    private int check(Watched each) {
        if (!each.isDue || nowNs - each.dueNs < 0) {
            return 0;
        }
        due--;
        each.isDue = false;
        if (!each.check.isDone(changedNs)) {
            mark(each);
        }
        return 1;
    }

    @Override
    public void close() {
        changes.close();
    }
}
