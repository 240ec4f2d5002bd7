// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.calls;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes calls that a device or a peer can hold, so that the conductor never waits for one. The
 * calls of one {@link Lane} are made in their order, one at a time; those of different lanes beside
 * each other. What became of a call is told in a later turn of the conductor.
 */
public final class Calls {
    /** So many calls can be held before one holds up those of other lanes. */
    private static final int MOST_THREADS = 256;

    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final ErrorHandler errors;

    /** Writers: the threads. Reader: conductor. */
    private final ManyToOneConcurrentLinkedQueue<Runnable> done =
            new ManyToOneConcurrentLinkedQueue<>();

    // All guarded by this, and so are the calls of the lanes.

    /** Lanes whose next call waits for a thread. */
    private final ArrayDeque<Lane> ready = new ArrayDeque<>();

    /** Lanes with a call that waits or is being made. */
    private final Set<Lane> busy = new LinkedHashSet<>();

    private int threads;
    private int idle;
    private boolean isEnding;
    private Runnable last;

    /**
     * @param name of each thread.
     * @param errors told of errors that end the driver.
     */
    public Calls(String name, ErrorHandler errors) {
        this.name = name;
        this.errors = errors;
    }

    /** A new lane, such as for the calls of one connection. */
    public Lane lane() {
        return new Lane(this);
    }

    /**
     * Tells what became of calls. Conductor's thread.
     *
     * @param most results to tell.
     * @return how many were told.
     */
    public int tell(int most) {
        int count = 0;
        Runnable each;
        while (count < most && (each = done.poll()) != null) {
            count++;
            each.run();
        }
        return count;
    }

    synchronized void add(Lane lane, Lane.Call call) {
        lane.calls.add(call);
        if (busy.add(lane)) {
            begin(lane);
        }
    }

    private void begin(Lane lane) {
        ready.add(lane);
        if (ready.size() <= idle) {
            notifyAll();
        } else if (threads < MOST_THREADS) {
            threads++;
            Thread.ofPlatform().daemon().name(name).start(this::work);
        }
    }

    private void work() {
        Lane lane;
        while ((lane = next()) != null) {
            make(lane.first());
            end(lane);
        }
    }

    /** The next lane with a call; null if this thread is to end. */
    private synchronized Lane next() {
        long deadlineNs = System.nanoTime() + IDLE_NS;
        long leftNs = IDLE_NS;
        idle++;
        while (ready.isEmpty() && !isEnding && leftNs > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            } catch (InterruptedException e) {
                break; // only this class knows the thread
            }
            leftNs = deadlineNs - System.nanoTime();
        }
        idle--;
        Lane lane = ready.poll();
        if (lane == null) {
            threads--;
            notifyAll();
        }
        return lane;
    }

    private void make(Lane.Call call) {
        RuntimeException failure = null;
        try {
            call.work().run();
        } catch (RuntimeException e) {
            failure = e;
        } catch (Error e) {
            errors.onError(e);
            failure = new IllegalStateException(e);
        }
        RuntimeException thrown = failure;
        Consumer<RuntimeException> then = call.then();
        done.add(() -> then.accept(thrown));
    }

    /** A call of a lane is made: after each one the other lanes have their turn. */
    private void end(Lane lane) {
        Runnable lastCall = null;
        synchronized (this) {
            lane.calls.remove();
            if (!lane.calls.isEmpty()) {
                begin(lane);
            } else {
                busy.remove(lane);
                if (busy.isEmpty() && isEnding) {
                    lastCall = last;
                    last = null;
                }
            }
        }
        if (lastCall != null) {
            lastCall.run();
        }
    }

    /**
     * Makes all calls, and one more after them, and ends the threads. Calls that are held for
     * longer go on afterwards, with all that wait for them. Nothing is told any more.
     *
     * @param lastCall made after all others.
     * @param timeoutNs for which this waits.
     * @return the calls that are held; empty if all are made.
     */
    public List<String> finish(Runnable lastCall, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        synchronized (this) {
            last = lastCall;
            isEnding = true;
            notifyAll();
        }
        lane().call("the end", () -> {}, failure -> {});
        boolean isInterrupted = false;
        List<String> held;
        synchronized (this) {
            long leftNs = timeoutNs;
            while (threads > 0 && leftNs > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, leftNs);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
                leftNs = deadlineNs - System.nanoTime();
            }
            held = busy.stream().map(lane -> lane.calls.element().name()).toList();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return held;
    }
}
