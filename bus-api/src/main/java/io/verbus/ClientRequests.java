// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Hands what application threads ask for over to the client's duty cycle, and has them wait for the
 * answers. Any thread, but for what is said to be the duty cycle's.
 */
final class ClientRequests {
    private static final long INVOKER_IDLE_NS = 10_000;

    private final Bus.Context context;
    private final ReentrantLock duty;
    private final IntSupplier dutyCycle;
    private final long timeoutNs;
    private final ManyToOneConcurrentLinkedQueue<Runnable> queue =
            new ManyToOneConcurrentLinkedQueue<>();

    // Written once, with the lock held, read by any thread: no duty cycle will serve the queue.
    private volatile boolean isTerminated;

    /**
     * @param context of the bus.
     * @param duty held in the duty cycle and in handlers.
     * @param dutyCycle runs one, where the application is the invoker; returns the work done.
     */
    ClientRequests(Bus.Context context, ReentrantLock duty, IntSupplier dutyCycle) {
        this.context = context;
        this.duty = duty;
        this.dutyCycle = dutyCycle;
        timeoutNs = context.driverTimeout.toNanos();
    }

    /** Has the duty cycle run a request, without waiting for it. */
    void add(Runnable request) {
        queue.add(request);
        // A thread that sees the flag set serves the queue; terminate sees one that does not.
        if (isTerminated && !duty.isHeldByCurrentThread()) {
            duty.lock();
            try {
                serve();
            } finally {
                duty.unlock();
            }
        }
    }

    /**
     * Waits for the answer to a request that was added.
     *
     * @param answer that the duty cycle completes.
     * @param what was asked for, in words that follow "to".
     * @return the answer.
     * @throws BusException if the answer is a failure or does not come within the driver timeout.
     */
    <T> T await(CompletableFuture<T> answer, String what) {
        if (context.useConductorAgentInvoker) {
            invokeUntil(answer);
        }
        try {
            return answer.get(
                    context.useConductorAgentInvoker ? 0 : timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return giveUp(answer, new BusException("interrupted while waiting to " + what));
        } catch (TimeoutException e) {
            return giveUp(
                    answer,
                    new DriverTimeoutException(
                            "the media driver has not answered within "
                                    + timeoutNs / 1_000_000
                                    + " ms to "
                                    + what
                                    + ": see that it runs and is not overloaded, or raise the"
                                    + " driver timeout"));
        } catch (ExecutionException e) {
            throw thrownHere(e.getCause());
        }
    }

    /**
     * Refuses a call that waits for the duty cycle from within it.
     *
     * @param what the call does.
     * @throws BusException if this thread is in a handler of the bus.
     */
    void checkNotInHandler(String what) {
        if (duty.isHeldByCurrentThread()) {
            throw new BusException(
                    "cannot " + what + " in a handler of the same bus: do it on another thread");
        }
    }

    /** Runs a duty cycle, where the application is the invoker and not in a handler. */
    void serveIfInvoked() {
        if (context.useConductorAgentInvoker && !duty.isHeldByCurrentThread()) {
            context.invokeDriver();
            dutyCycle.getAsInt();
        }
    }

    private void invokeUntil(CompletableFuture<?> answer) {
        long start = System.nanoTime();
        while (!answer.isDone()
                && System.nanoTime() - start < timeoutNs
                && !Thread.currentThread().isInterrupted()) {
            if (context.invokeDriver() + dutyCycle.getAsInt() == 0) {
                LockSupport.parkNanos(INVOKER_IDLE_NS);
            }
        }
    }

    private static <T> T giveUp(CompletableFuture<T> answer, BusException failure) {
        if (answer.completeExceptionally(failure)) {
            throw failure;
        }
        return answer.join(); // answered at the last moment
    }

    /** The failure with this thread's stack, as several threads may be told of the same one. */
    static BusException thrownHere(Throwable failure) {
        BusException here =
                switch (failure) {
                    case RegistrationException e ->
                            new RegistrationException(e.code(), e.getMessage());
                    case DriverLostException e -> new DriverLostException(e.getMessage());
                    default -> new BusException(failure.getMessage());
                };
        here.initCause(failure);
        return here;
    }

    // For the duty cycle

    /**
     * Runs what was asked for.
     *
     * @return how many requests were run.
     */
    int serve() {
        int count = 0;
        Runnable request;
        while ((request = queue.poll()) != null) {
            try {
                request.run();
            } catch (RuntimeException e) {
                context.errorHandler.onError(e);
            }
            count++;
        }
        return count;
    }

    /** Runs what was asked for, for the last time: later requests run on the asking thread. */
    void terminate() {
        isTerminated = true;
        serve();
    }

    boolean isTerminated() {
        return isTerminated;
    }
}
