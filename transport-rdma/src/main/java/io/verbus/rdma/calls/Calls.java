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
 * Runs calls that a device or a peer can delay, so that the conductor never waits for one. Calls of
 * one {@link Lane} run in order, one at a time; calls of different lanes run in parallel. The
 * conductor receives the results later.
 */
public final class Calls {
    /** Maximum number of calls that can block before other lanes are delayed. */
    private static final int MOST_THREADS = 256;

    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final ErrorHandler errors;

    /** Writers: the threads. Reader: conductor. */
    private final ManyToOneConcurrentLinkedQueue<Runnable> done =
            new ManyToOneConcurrentLinkedQueue<>();

    // All fields below and the lanes' calls are guarded by this.

    /** Lanes whose next call waits for a thread. */
    private final ArrayDeque<Lane> ready = new ArrayDeque<>();

    /** Lanes with a waiting or running call. */
    private final Set<Lane> busy = new LinkedHashSet<>();

    private int threads;
    private int idle;
    private boolean isEnding;
    private Runnable last;

    /**
     * @param name name of each thread.
     * @param errors handler of errors that end the driver.
     */
    public Calls(String name, ErrorHandler errors) {
        this.name = name;
        this.errors = errors;
    }

    /** Creates a lane, such as for the calls of one connection. */
    public Lane lane() {
        return new Lane(this);
    }

    /**
     * Reports results of calls. Used by the conductor's thread.
     *
     * @param most maximum number of results to report.
     * @return the number of results reported.
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

    /** Returns the next lane with a call, or null if this thread should end. */
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

    /** Completes a lane's call and queues the lane again behind the others. */
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
     * Runs all calls, then a last one, and ends the threads. Calls that block longer than the
     * time-out, and those waiting for them, run later. No more results are reported.
     *
     * @param lastCall call to run after all others.
     * @param timeoutNs maximum time to wait.
     * @return the names of blocked calls; empty if all are done.
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
