// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.DemoException;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * Injects the faults of a run one after the other. Used by one thread.
 *
 * <pre>
 *   enough orders are acknowledged        →  before every tenth fault, all take a snapshot
 *   some more are acknowledged            →  the fault
 *   its duration is over                  →  what failed restarts, or resumes
 *   all members hold all orders that
 *   were acknowledged then, and more
 *   are acknowledged                      →  the next fault
 * </pre>
 */
final class Faults {
    /** Age up to which Aeron Archive assumes that a mark file belongs to a live process. */
    private static final long MARK_FILE_NS = TimeUnit.SECONDS.toNanos(10);

    /** Longer than the leader's driver waits for a silent follower before it drops it. */
    private static final long STOP_NS = TimeUnit.SECONDS.toNanos(15);

    /** Time after which to request the snapshot again, because the leader may have changed. */
    private static final long SNAPSHOT_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int FAULTS_OF_SNAPSHOT = 10;

    private enum Step {
        READY,
        SNAPSHOT,
        ARMED,
        ENDING,
        FAILED,
        RECOVERING,
        DONE
    }

    private final ClusterFault fault;
    private final int count;
    private final long pause;
    private final Members members;
    private final PrintStream progress;
    private Step step;
    private long nextAt;
    private int done;
    private int wantedSnapshots;
    private int failed;
    private long sinceNs;
    private long recoveredAt;

    /**
     * @param fault kind of fault.
     * @param count number of faults.
     * @param pause number of acknowledged orders before the first snapshot, and then before the
     *     first fault.
     * @param members members of the cluster.
     * @param progress stream for progress messages.
     */
    Faults(ClusterFault fault, int count, long pause, Members members, PrintStream progress) {
        this.fault = fault;
        this.count = count;
        this.pause = pause;
        this.members = members;
        this.progress = progress;
        nextAt = pause;
        step = count == 0 ? Step.DONE : Step.READY;
    }

    /** Returns the number of completed faults. */
    int done() {
        return done;
    }

    /** Returns whether all faults are completed. */
    boolean areDone() {
        return step == Step.DONE;
    }

    /**
     * Advances to the next step, if it is time.
     *
     * @param acknowledged number of orders acknowledged so far.
     * @param nowNs monotonic time in nanoseconds.
     */
    void goOn(long acknowledged, long nowNs) throws DemoException, InterruptedException {
        switch (step) {
            case READY -> prepare(acknowledged);
            case SNAPSHOT -> awaitSnapshot(acknowledged, nowNs);
            case ARMED -> fail(acknowledged, nowNs);
            case ENDING -> awaitEnd(nowNs);
            case FAILED -> repair(acknowledged, nowNs);
            case RECOVERING -> awaitRecovery(acknowledged);
            case DONE -> {}
        }
    }

    private void prepare(long acknowledged) {
        if (acknowledged < nextAt) {
            return;
        }
        if (done % FAULTS_OF_SNAPSHOT == 0) {
            wantedSnapshots = members.snapshots() + 1;
            sinceNs = System.nanoTime() - SNAPSHOT_NS;
            step = Step.SNAPSHOT;
        } else {
            step = Step.ARMED;
        }
    }

    private void awaitSnapshot(long acknowledged, long nowNs) {
        if (members.snapshots() >= wantedSnapshots) {
            nextAt = done == 0 ? Math.max(2 * pause, acknowledged) : acknowledged;
            step = Step.ARMED;
        } else if (nowNs - sinceNs >= SNAPSHOT_NS) {
            sinceNs = nowNs;
            members.takeSnapshot();
        }
    }

    private void fail(long acknowledged, long nowNs) throws DemoException, InterruptedException {
        if (acknowledged < nextAt || members.leader() < 0) {
            return;
        }
        boolean isFollower = fault == ClusterFault.FOLLOWER;
        failed = (members.leader() + (isFollower ? 1 : 0)) % ClusterPlan.MEMBERS;
        progress.println("demo: fault " + (done + 1) + " of " + count + ": " + fault.words(failed));
        if (fault.isOfAll()) {
            for (int id = 0; id < ClusterPlan.MEMBERS; id++) {
                members.fail(id, fault);
            }
        } else {
            members.fail(failed, fault);
        }
        sinceNs = nowNs;
        step = isFollower ? Step.FAILED : Step.ENDING;
    }

    private void awaitEnd(long nowNs) {
        int first = fault.isOfAll() ? 0 : failed;
        int last = fault.isOfAll() ? ClusterPlan.MEMBERS - 1 : failed;
        for (int id = first; id <= last; id++) {
            if (!members.hasEnded(id)) {
                return;
            }
        }
        sinceNs = nowNs;
        step = Step.FAILED;
    }

    private void repair(long acknowledged, long nowNs) throws DemoException, InterruptedException {
        if (nowNs - sinceNs < (fault == ClusterFault.FOLLOWER ? STOP_NS : MARK_FILE_NS)) {
            return;
        }
        if (fault == ClusterFault.FOLLOWER) {
            progress.println("demo: member " + failed + " resumes");
            members.resume(failed);
        } else if (fault.isOfAll()) {
            progress.println("demo: all members restart");
            members.start();
        } else {
            progress.println("demo: member " + failed + " restarts");
            members.start(failed);
        }
        recoveredAt = acknowledged;
        step = Step.RECOVERING;
    }

    private void awaitRecovery(long acknowledged) {
        if (members.leader() < 0 || acknowledged <= recoveredAt || !members.hold(recoveredAt)) {
            return;
        }
        done++;
        nextAt = acknowledged + 1;
        step = done == count ? Step.DONE : Step.READY;
    }
}
