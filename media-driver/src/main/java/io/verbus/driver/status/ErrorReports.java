// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs the handlers of errors and warnings, one call at a time, on a thread of its own: a handler
 * may block, such as by writing to a pipe that is not read, and must not stop an agent. Errors that
 * find the queue full are counted, and the handler is told how many as soon as it returns.
 */
public final class ErrorReports implements AutoCloseable {
    /** Errors that wait for the handler, at most. */
    static final int MAX_WAITING = 256;

    /** Time for the handlers to see what waits when the driver closes. */
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(1);

    private record Report(ErrorHandler handler, Throwable error) {}

    private static final Report END = new Report(null, null);

    private final BlockingQueue<Report> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicLong lost = new AtomicLong();
    private final DriverFailure failure;
    private final Thread thread;

    /**
     * @param failure ended by a handler that meets an error of the JVM, such as an exhausted heap.
     */
    public ErrorReports(DriverFailure failure) {
        this.failure = failure;
        thread = Thread.ofPlatform().daemon().name("verbus-errors").start(this::run);
    }

    /**
     * Has a handler called, later. Any thread; does not wait.
     *
     * @param handler to call.
     * @param error for the handler.
     */
    public void tell(ErrorHandler handler, Throwable error) {
        if (!waiting.offer(new Report(handler, error))) {
            lost.incrementAndGet();
        }
    }

    /** Writes an error to standard error, later, with its trace. Any thread; does not wait. */
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
            // Closed while a handler blocks: only close() knows this thread.
            Thread.currentThread().interrupt();
        }
    }

    private static BusException missedErrors(long count) {
        return new BusException(
                "the handler of errors was too slow for "
                        + count
                        + " errors, which were not passed on: see the error log for them");
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
     * Lets the handlers see what waits, for a second at most: a handler that blocks for longer is
     * left to itself.
     */
    @Override
    public void close() {
        if (Thread.currentThread() == thread) {
            return; // a handler closes the driver
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
