// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls the error and warning handlers one at a time on its own thread, because a handler may
 * block, for example on a full pipe, and must not stop an agent. If the queue is full, further
 * errors are only counted, and the handler receives their number as soon as it returns.
 */
public final class ErrorReports implements AutoCloseable {
    /** Maximum number of errors that wait for the handler. */
    static final int MAX_WAITING = 256;

    /** Time that handlers have to process waiting errors when the driver closes. */
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(1);

    private record Report(ErrorHandler handler, Throwable error) {}

    private static final Report END = new Report(null, null);

    private final BlockingQueue<Report> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicLong lost = new AtomicLong();
    private final DriverFailure failure;
    private final Thread thread;

    /**
     * @param failure receives a JVM error thrown in a handler, such as an exhausted heap.
     */
    public ErrorReports(DriverFailure failure) {
        this.failure = failure;
        thread = Thread.ofPlatform().daemon().name("verbus-errors").start(this::run);
    }

    /**
     * Calls a handler later. Does not block. Thread-safe.
     *
     * @param handler handler to call.
     * @param error error to pass to the handler.
     */
    public void tell(ErrorHandler handler, Throwable error) {
        if (!waiting.offer(new Report(handler, error))) {
            lost.incrementAndGet();
        }
    }

    /**
     * Writes an error with its stack trace to standard error later. Does not block. Thread-safe.
     */
    public void print(Throwable error) {
        tell(ErrorReports::printTrace, error);
    }

    private static void printTrace(Throwable error) {
        error.printStackTrace(System.err);
    }

    private void run() {
        try {
            for (Report report = waiting.take(); report != END; report = waiting.take()) {
                call(report);
                long missed = lost.getAndSet(0);
                if (missed > 0) {
                    call(new Report(report.handler, missedErrors(missed)));
                }
            }
        } catch (InterruptedException e) {
            // The driver has closed while a handler was blocked: only close() interrupts this
            // thread.
            Thread.currentThread().interrupt();
        }
    }

    private static BusException missedErrors(long count) {
        return new BusException(
                "the error handler was too slow to receive "
                        + count
                        + " errors: see the error log");
    }

    private void call(Report report) {
        try {
            report.handler.onError(report.error);
        } catch (VirtualMachineError e) {
            failure.fail(e);
        } catch (RuntimeException | Error e) {
            e.addSuppressed(report.error);
            printTrace(e);
        }
    }

    /**
     * Gives the handlers a second at most to process waiting errors, and abandons a handler that
     * blocks for longer.
     */
    @Override
    public void close() {
        if (Thread.currentThread() == thread) {
            return; // a handler may close the driver
        }
        long deadlineNs = System.nanoTime() + CLOSE_NS;
        try {
            if (waiting.offer(END, CLOSE_NS, TimeUnit.NANOSECONDS)) {
                thread.join(Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000));
            }
            thread.interrupt();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
