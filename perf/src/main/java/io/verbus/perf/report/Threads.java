// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Work.Idle;
import io.verbus.perf.load.Work.Wire;

/**
 * Threads of the drivers, services and ends of some work on this host.
 *
 * @param all number of threads.
 * @param busy number of those that need a CPU of their own: they spin or yield, or each message
 *     passes through them. Threads that sleep are not busy.
 */
record Threads(int all, int busy) {
    /** Threads of a cluster's member besides its driver: archive, consensus module, service. */
    private static final int MEMBER = 3;

    /** Describes the threads, such as "3 threads, 2 of them busy". */
    String text() {
        if (all == 1) {
            return busy == 1 ? "1 busy thread" : "1 thread";
        }
        return all + " threads, " + busy + " of them busy";
    }

    static Threads of(Work work) {
        boolean isCluster = work.load().kind() == Load.Kind.ROUND_TRIPS && work.processes() > 2;
        boolean isArchive = work.load().kind() == Load.Kind.RECORDINGS;
        int members = isCluster ? work.processes() - 1 : 0;
        int services = isArchive ? 1 : members * MEMBER;
        int far = services > 0 || !work.server().isEmpty() ? 0 : 1;
        int ends = work.load().publishers() + far;
        int drivers = drivers(work, members);
        int carriers = work.wire() == Wire.IPC ? 0 : carriersOfDriver(work);
        int busy = busy(work.idle(), ends, ends);
        busy += busy(work.driverIdle(), services, services);
        busy += drivers * busy(work.driverIdle(), ofDriver(work), carriers);
        return new Threads(ends + services + drivers * ofDriver(work), busy);
    }

    private static int drivers(Work work, int members) {
        if (members > 0) {
            return members + 1;
        }
        return work.wire() == Wire.IPC || !work.server().isEmpty() ? 1 : 2;
    }

    private static int ofDriver(Work work) {
        return switch (work.threading()) {
            case INVOKER -> 0;
            case SHARED -> 1;
            case SHARED_NETWORK -> 2;
            case DEDICATED -> 3;
        };
    }

    /** Returns the number of a driver's threads that send or receive. */
    private static int carriersOfDriver(Work work) {
        return switch (work.threading()) {
            case INVOKER -> 0;
            case SHARED, SHARED_NETWORK -> 1;
            case DEDICATED -> 2;
        };
    }

    private static int busy(Idle idle, int threads, int carriers) {
        return switch (idle) {
            case BUSY_SPIN, NOOP, YIELD -> threads;
            case BACKOFF, AGRONA -> carriers;
            case SLEEP -> 0;
        };
    }
}
