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
 * Passes application threads' requests to the client's duty cycle, and waits for the answers.
 * Thread-safe, except for the methods marked as being for the duty cycle.
 */
final class ClientRequests {
    private static final long INVOKER_IDLE_NS = 10_000;

    private final BusContext context;
    private final ReentrantLock duty;
    private final IntSupplier dutyCycle;
    private final long timeoutNs;
    private final ManyToOneConcurrentLinkedQueue<Runnable> queue =
            new ManyToOneConcurrentLinkedQueue<>();

    // Written once, with the lock held; read by any thread. Once this is set, no duty cycle
    // services the queue.
    private volatile boolean isTerminated;

    /**
     * @param context settings of the bus.
     * @param duty lock that is held during the duty cycle and while handlers run.
     * @param dutyCycle function that runs a duty cycle if the application runs the conductor
     *     itself, and returns the work done.
     */
    ClientRequests(BusContext context, ReentrantLock duty, IntSupplier dutyCycle) {
        this.context = context;
        this.duty = duty;
        this.dutyCycle = dutyCycle;
        timeoutNs = context.driverTimeout.toNanos();
    }

    /** Queues a request for the duty cycle, without waiting for it. */
    void add(Runnable request) {
        queue.add(request);
        // Either this thread sees the flag and services the queue, or terminate sees this request.
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
     * Waits for the answer to a queued request.
     *
     * @param answer answer that the duty cycle completes.
     * @param what the request, in words that follow "to" in error messages.
     * @return the answer.
     * @throws BusException if the request fails or is not answered within the driver timeout.
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
                            "the media driver has not answered the request to "
                                    + what
                                    + " within "
                                    + timeoutNs / 1_000_000
                                    + " ms: check that the driver is running and not overloaded, or"
                                    + " raise the driver timeout"));
        } catch (ExecutionException e) {
            throw thrownHere(e.getCause());
        }
    }

    /**
     * Rejects a call that is made within the duty cycle and would wait for the duty cycle.
     *
     * @param what the call, in words that follow "cannot" in error messages.
     * @throws BusException if this thread is in a handler of the bus.
     */
    void checkNotInHandler(String what) {
        if (duty.isHeldByCurrentThread()) {
            throw new BusException(
                    "cannot " + what + " from a handler of the same bus: use another thread");
        }
    }

    /**
     * Runs a duty cycle if the application runs the conductor itself and this thread is not in a
     * handler.
     */
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
        return answer.join(); // the answer arrived in the meantime
    }

    /**
     * Wraps a failure in order to add this thread's stack trace, because several threads may
     * receive the same failure.
     */
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

    // Methods for the duty cycle

    /**
     * Runs queued requests.
     *
     * @return number of requests run.
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

    /** Runs queued requests for the last time; later requests run on the calling thread. */
    void terminate() {
        isTerminated = true;
        serve();
    }

    boolean isTerminated() {
        return isTerminated;
    }
}
