// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.udp.socket.NetworkChanges;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks sockets after addresses or routes of this host have changed: a socket may be bound to an
 * address that no longer exists, or use a stale route. Used by the conductor's thread.
 */
public final class NetworkWatch implements AutoCloseable {
    private static final long INTERVAL_NS = 1_000_000_000;

    /**
     * Maximum number of sockets checked per cycle, so that other work of the conductor is not
     * delayed.
     */
    private static final int CHECKS_PER_CYCLE = 4;

    /** Check of a socket. */
    public interface Check {
        /**
         * @param changedNs time of the last change, at least a second ago.
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
     * @param assumedNs interval at which to assume a change if the system does not report changes.
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
     * @param owner key with which to {@link #forget} the socket.
     * @param check check to run after each change.
     */
    public void watch(Object owner, Check check) {
        all.add(new Watched(owner, check));
    }

    /** Stops watching the sockets of an owner. */
    public void forget(Object owner) {
        all.removeIf(each -> each.owner == owner);
        due = (int) all.stream().filter(each -> each.isDue).count();
    }

    /** Schedules a check of an owner's socket in a second. */
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

    /** Runs the duty cycle; returns the work count. */
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
