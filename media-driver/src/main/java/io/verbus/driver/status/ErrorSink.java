// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.LoggingErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/** Where every error of the driver goes: counter, distinct error log, configured handler. */
public final class ErrorSink implements ErrorHandler, AutoCloseable {
    private final LoggingErrorHandler log;
    private final AtomicCounter errors;
    private final ErrorHandler configured;

    public ErrorSink(DistinctErrorLog log, AtomicCounter errors, ErrorHandler configured) {
        this.log = new LoggingErrorHandler(log);
        this.errors = errors;
        this.configured = configured;
    }

    /** Records an error. Any thread. */
    @Override
    public void onError(Throwable error) {
        if (!log.isClosed()) {
            errors.increment();
        }
        log.onError(error);
        configured.onError(error);
    }

    /** Records a warning, which is in the error log but does not count as an error. */
    public void onWarning(Throwable warning) {
        log.onError(warning);
    }

    /** From here on errors go to the standard error stream: the log's memory is gone. */
    @Override
    public void close() {
        log.close();
    }
}
