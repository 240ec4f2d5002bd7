// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where every error of the driver goes: counter, distinct error log, configured handler. Clients
 * and peers can cause more errors than the log has room for: standard error is told so once, and
 * what does not fit is counted and handed to the handler.
 */
public final class ErrorSink implements ErrorHandler, AutoCloseable {
    private final DistinctErrorLog log;
    private final AtomicCounter errors;
    private final ErrorHandler configured;
    private final AtomicBoolean isFull = new AtomicBoolean();

    /** Set once by the thread that closes the driver, read by any. */
    private volatile boolean isClosed;

    public ErrorSink(DistinctErrorLog log, AtomicCounter errors, ErrorHandler configured) {
        this.log = log;
        this.errors = errors;
        this.configured = configured;
    }

    /** Records an error. Any thread. */
    @Override
    public void onError(Throwable error) {
        if (!isClosed) {
            errors.increment();
        }
        record(error);
        configured.onError(error);
    }

    /** Records a warning, which is in the error log but does not count as an error. */
    public void onWarning(Throwable warning) {
        record(warning);
    }

    private void record(Throwable error) {
        if (isClosed) {
            error.printStackTrace(System.err);
        } else if (!log.record(error) && isFull.compareAndSet(false, true)) {
            System.err.println(
                    "the error log is full, and further distinct errors are only counted: raise"
                            + " error-log-length; the first that found no room is");
            error.printStackTrace(System.err);
        }
    }

    /** From here on errors go to the standard error stream: the log's memory is gone. */
    @Override
    public void close() {
        isClosed = true;
    }
}
