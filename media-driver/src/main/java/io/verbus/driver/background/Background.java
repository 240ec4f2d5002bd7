// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import io.verbus.BusException;
import io.verbus.driver.status.LogFaults;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * What takes long, so that the conductor never waits for it: a thread for work on logs that is done
 * in slices, in turn by owner; a thread for calls that cannot be divided, such as to register or
 * unmap memory; and threads that ask name servers. What is done is told in a later turn of the
 * conductor.
 *
 * <p>Slices for which a client or peer waits go before all others.
 */
public final class Background implements AutoCloseable {
    /** Threads that ask name servers, which may be silent for long. */
    private static final int LOOK_UPS = 128;

    /** Of those, how many one owner may have at a time. */
    private static final int LOOK_UPS_OF_ONE = 4;

    private record Added(Object owner, SlicedTask task, boolean isAwaited) {}

    private static final Added CLOSE = new Added(null, null, false);

    private final ErrorHandler errors;

    /** From the conductor to the thread that does the slices. */
    private final LinkedBlockingQueue<Added> added = new LinkedBlockingQueue<>();

    /** From the threads to the conductor. */
    private final ManyToOneConcurrentLinkedQueue<Runnable> done =
            new ManyToOneConcurrentLinkedQueue<>();

    private final Thread slices = thread(this::workOnSlices, "verbus-log-slices");
    private final FairThreads calls = new FairThreads("verbus-memory-calls", 1, 1);
    private final FairThreads lookUps = new FairThreads("verbus-names", LOOK_UPS, LOOK_UPS_OF_ONE);

    /**
     * @param errors where failures go that no caller is told, and errors that end the driver.
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
     * Begins a task for which a client or peer waits.
     *
     * @param owner whose turn it is when its slices are done.
     */
    public void begin(Object owner, SlicedTask task) {
        added.add(new Added(owner, task, true));
    }

    /** Begins a task for which neither client nor peer waits. */
    public void beginLater(Object owner, SlicedTask task) {
        added.add(new Added(owner, task, false));
    }

    /**
     * Makes a call that cannot be divided, after those of the same owner before it.
     *
     * @param owner whose turn it is when a call has been made.
     * @param then told, by the conductor, null or what the call threw.
     */
    public void call(Object owner, Runnable call, Consumer<RuntimeException> then) {
        calls.execute(owner, () -> run(call, then));
    }

    /**
     * Asks a name server, besides others.
     *
     * @param owner whose silent name servers hold up none of another's questions.
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
     * What is told of an error. A fault in a log's memory concerns that log, and no other; any
     * other error ends the driver.
     */
    private RuntimeException told(Error error) {
        if (LogFaults.isFault(error)) {
            return new BusException(
                    "the memory of a log is gone, as another process has truncated its file: see"
                            + " which client writes to the driver directory",
                    error);
        }
        errors.onError(error);
        return new IllegalStateException(error);
    }

    /**
     * Tells what is done.
     *
     * @param most how much of it.
     * @return how much.
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

    // Thread of the slices

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
            // Only this class knows the thread.
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            // Without this thread no log is made any more.
            errors.onError(new AssertionError("thread verbus-log-slices has ended", e));
        }
    }

    /** Takes what was added, and waits for it where there is nothing else to do; false: close. */
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
     * Ends the threads: the slice and the calls that are under way, and calls that wait, are done;
     * nothing is told. Look-ups are left to themselves.
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
