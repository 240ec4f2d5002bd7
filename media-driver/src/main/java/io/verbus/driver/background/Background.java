// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import io.verbus.BusException;
import io.verbus.driver.status.LogFaults;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Runs slow work so that the conductor never waits for it: one thread for work on logs in slices,
 * taking turns by owner; one for indivisible calls, such as registering or unmapping memory; and
 * threads for name lookups. The conductor handles completions in a later duty cycle.
 *
 * <p>Slices that a client or peer waits for have priority.
 */
public final class Background implements AutoCloseable {
    /** Number of threads for name lookups; a name server may be silent for long. */
    private static final int LOOK_UPS = 128;

    /** Maximum number of concurrent lookups per owner. */
    private static final int LOOK_UPS_OF_ONE = 4;

    private record Added(Object owner, SlicedTask task, boolean isAwaited) {}

    private static final Added CLOSE = new Added(null, null, false);

    private final ErrorHandler errors;

    /** Tasks from the conductor to the slice thread. */
    private final LinkedBlockingQueue<Added> added = new LinkedBlockingQueue<>();

    /** Completions from the threads to the conductor. */
    private final ManyToOneConcurrentLinkedQueue<Runnable> done =
            new ManyToOneConcurrentLinkedQueue<>();

    private final Thread slices = thread(this::workOnSlices, "verbus-log-slices");
    private final FairThreads calls = new FairThreads("verbus-memory-calls", 1, 1);
    private final FairThreads lookUps = new FairThreads("verbus-names", LOOK_UPS, LOOK_UPS_OF_ONE);

    /**
     * @param errors handler for failures that no caller receives, and for errors that end the
     *     driver.
     */
    public Background(ErrorHandler errors) {
        this.errors = errors;
        slices.start();
    }

    static Thread thread(Runnable work, String name) {
        return Thread.ofPlatform().daemon().name(name).unstarted(work);
    }

    // Conductor

    /**
     * Starts a task that a client or peer waits for.
     *
     * @param owner owner in whose turn its slices run.
     */
    public void begin(Object owner, SlicedTask task) {
        added.add(new Added(owner, task, true));
    }

    /** Starts a task that no client or peer waits for. */
    public void beginLater(Object owner, SlicedTask task) {
        added.add(new Added(owner, task, false));
    }

    /**
     * Makes an indivisible call, after earlier calls of the same owner.
     *
     * @param owner owner in whose turn the call runs.
     * @param then called by the conductor with null or the call's exception.
     */
    public void call(Object owner, Runnable call, Consumer<RuntimeException> then) {
        calls.execute(owner, () -> run(call, then));
    }

    /**
     * Queries a name server, in parallel with other queries.
     *
     * @param owner owner of the query; unresponsive name servers delay only its own queries.
     */
    void lookUp(Object owner, Runnable question, Runnable then) {
        lookUps.execute(owner, () -> run(question, failure -> then.run()));
    }

    private void run(Runnable call, Consumer<RuntimeException> then) {
        RuntimeException failure = null;
        try {
            call.run();
        } catch (RuntimeException e) {
            failure = e;
        } catch (Error e) {
            failure = told(e);
        }
        RuntimeException thrown = failure;
        done.add(() -> then.accept(thrown));
    }

    /**
     * Converts an error to the exception to report. A fault in a log's memory affects only that
     * log; any other error ends the driver.
     */
    private RuntimeException told(Error error) {
        if (LogFaults.isFault(error)) {
            return new BusException(
                    "the memory of a log is gone because another process truncated its file: "
                            + "find out which client writes to the driver directory",
                    error);
        }
        errors.onError(error);
        return new IllegalStateException(error);
    }

    /**
     * Handles completions.
     *
     * @param most maximum number to handle.
     * @return the number handled.
     */
    public int tell(int most) {
        int count = 0;
        Runnable each;
        while (count < most && (each = done.poll()) != null) {
            try {
                each.run();
            } catch (RuntimeException e) {
                errors.onError(e);
            }
            count++;
        }
        return count;
    }

    // Slice thread

    private void workOnSlices() {
        FairQueue<SlicedTask> awaited = new FairQueue<>();
        FairQueue<SlicedTask> others = new FairQueue<>();
        try {
            while (take(awaited, others)) {
                FairQueue<SlicedTask> queue = awaited.isEmpty() ? others : awaited;
                SlicedTask task = queue.next();
                queue.endTurn(work(task));
            }
        } catch (InterruptedException e) {
            // Only this class can interrupt the thread, and it does not.
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            // Without this thread no logs can be created.
            errors.onError(new AssertionError("thread verbus-log-slices has ended", e));
        }
    }

    /**
     * Takes added tasks, and waits for one if there is nothing else to do. Returns false if the
     * thread must end.
     */
    private boolean take(FairQueue<SlicedTask> awaited, FairQueue<SlicedTask> others)
            throws InterruptedException {
        Added each = awaited.isEmpty() && others.isEmpty() ? added.take() : added.poll();
        while (each != null && each != CLOSE) {
            (each.isAwaited ? awaited : others).add(each.owner, each.task);
            each = added.poll();
        }
        return each != CLOSE;
    }

    private boolean work(SlicedTask task) {
        try {
            if (!task.work()) {
                return false;
            }
            done.add(() -> task.onDone(null));
        } catch (RuntimeException e) {
            done.add(() -> task.onDone(e));
        } catch (Error e) {
            RuntimeException failure = told(e);
            done.add(() -> task.onDone(failure));
        }
        return true;
    }

    /**
     * Ends the threads. The current slice and all running and waiting calls are completed, but
     * their completions are not handled. Running lookups are abandoned.
     */
    @Override
    public void close() {
        added.add(CLOSE);
        lookUps.abandon();
        boolean isInterrupted = false;
        boolean isEnded = false;
        while (!isEnded) {
            try {
                slices.join();
                calls.finish();
                isEnded = true;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
