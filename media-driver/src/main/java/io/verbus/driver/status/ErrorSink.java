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
 * Where every error of the driver goes: counter, distinct error log, configured handler. An {@link
 * Error} ends the driver. Clients and peers can cause more errors than the log has room for, with
 * other numbers and channels each time: of those that are thrown at one place a bounded number of
 * texts is told, and further ones are only counted. Where the log is full nevertheless, standard
 * error is told so once, and what does not fit is counted and handed to the handler.
 */
public final class ErrorSink implements ErrorHandler, AutoCloseable {
    /** Distinct errors that are told of one place in the code. */
    static final int MAX_OF_PLACE = 64;

    private final DistinctErrorLog log;
    private final AtomicCounter errors;
    private final ErrorHandler configured;
    private final ErrorReports reports;
    private final DriverFailure failure;
    private final AtomicBoolean isFull = new AtomicBoolean();

    /** The texts that were told of each place. */
    private final Map<Place, Set<String>> told = new ConcurrentHashMap<>();

    /** Where errors come from. */
    private record Place(Class<?> kind, StackTraceElement top) {}

    /** Set once by the thread that closes the driver, read by any. */
    private volatile boolean isClosed;

    /**
     * @param reports calls the configured handler.
     * @param failure of the driver.
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

    /** Records an error. Any thread; does not wait. */
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

    /** Whoever has an error made without a place sees itself to how many there are. */
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
                            "further errors like this one are only counted, after "
                                    + MAX_OF_PLACE
                                    + " that were told: "
                                    + text,
                            error));
        }
        return true;
    }

    /** Records a warning, which is in the error log but does not count as an error. */
    public void onWarning(Throwable warning) {
        record(warning);
    }

    private void record(Throwable error) {
        if (isClosed) {
            reports.print(error);
        } else if (!log.record(error) && isFull.compareAndSet(false, true)) {
            reports.print(
                    new IllegalStateException(
                            "the error log is full, and further distinct errors are only counted:"
                                    + " raise error-log-length; the first that found no room is",
                            error));
        }
    }

    /** From here on errors go to the standard error stream: the log's memory is gone. */
    @Override
    public void close() {
        isClosed = true;
    }
}
