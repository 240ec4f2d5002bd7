// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Receives every driver error: counts it, records it in the distinct error log, and passes it to
 * the configured handler. An {@link Error} ends the driver. By varying numbers and channels,
 * clients and peers can cause more distinct errors than the log can hold. Therefore only a limited
 * number of texts is recorded for each place in the code, and further errors are only counted. If
 * the log is full nevertheless, a message on standard error reports this once, and further errors
 * are counted and passed to the handler.
 */
public final class ErrorSink implements ErrorHandler, AutoCloseable {
    /** Maximum number of distinct errors to record per place in the code. */
    static final int MAX_OF_PLACE = 64;

    private final DistinctErrorLog log;
    private final AtomicCounter errors;
    private final ErrorHandler configured;
    private final ErrorReports reports;
    private final DriverFailure failure;
    private final AtomicBoolean isFull = new AtomicBoolean();

    /** Recorded texts of each place. */
    private final Map<Place, Set<String>> told = new ConcurrentHashMap<>();

    /** Place in the code at which errors originate. */
    private record Place(Class<?> kind, StackTraceElement top) {}

    /** Written once by the thread that closes the driver; read by any thread. */
    private volatile boolean isClosed;

    /**
     * @param reports calls the configured handler.
     * @param failure failure of the driver.
     */
    public ErrorSink(
            DistinctErrorLog log,
            AtomicCounter errors,
            ErrorHandler configured,
            ErrorReports reports,
            DriverFailure failure) {
        this.log = log;
        this.errors = errors;
        this.configured = configured;
        this.reports = reports;
        this.failure = failure;
    }

    /** Records an error. Does not block. Thread-safe. */
    @Override
    public void onError(Throwable error) {
        if (error instanceof Error) {
            failure.fail(error);
        }
        if (!isClosed) {
            errors.increment();
        }
        if (isTold(error)) {
            record(error);
            reports.tell(configured, error);
        }
    }

    /**
     * Returns whether to record an error. Code that creates errors without stack traces must limit
     * their number itself.
     */
    private boolean isTold(Throwable error) {
        StackTraceElement[] trace = error.getStackTrace();
        if (trace.length == 0) {
            return true;
        }
        Place place = new Place(error.getClass(), trace[0]);
        Set<String> texts = told.computeIfAbsent(place, none -> ConcurrentHashMap.newKeySet());
        String text = String.valueOf(error.getMessage());
        if (texts.contains(text)) {
            return true;
        }
        if (texts.size() >= MAX_OF_PLACE) {
            return false;
        }
        if (texts.add(text) && texts.size() == MAX_OF_PLACE) {
            record(
                    new BusException(
                            "further errors from the same place in the code are only counted,"
                                    + " because "
                                    + MAX_OF_PLACE
                                    + " errors are already logged: "
                                    + text,
                            error));
        }
        return true;
    }

    /** Records a warning in the error log without counting it as an error. */
    public void onWarning(Throwable warning) {
        record(warning);
    }

    private void record(Throwable error) {
        if (isClosed) {
            reports.print(error);
        } else if (!log.record(error) && isFull.compareAndSet(false, true)) {
            reports.print(
                    new IllegalStateException(
                            "the error log is full, so further distinct errors are only counted:"
                                    + " raise error-log-length; the first error that did not fit"
                                    + " follows",
                            error));
        }
    }

    /** Closes the sink. Later errors go to standard error, because the log's memory is unmapped. */
    @Override
    public void close() {
        isClosed = true;
    }
}
