// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.concurrent.TimeUnit;

/**
 * Handles accesses to memory that is missing because a client has truncated a log file. The JVM
 * throws an {@link InternalError}, possibly late, in unrelated code on the same thread. The error
 * does not identify the log, so the conductor searches for truncated logs and ends their streams.
 * If faults continue although no log is truncated, other memory is affected, and the driver ends.
 */
public final class LogFaults {
    /** Text in the {@link InternalError}'s message. */
    private static final String FAULT = "unsafe memory access";

    /**
     * Time that the conductor has to find the log, and for which errors may still arrive after it
     * has ended the stream.
     */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(2);

    private final ErrorHandler errors;

    /** Written by the thread on which the fault occurred; cleared by the conductor. */
    private volatile Throwable fault;

    // A series of faults that the conductor has not explained. Guarded by this object.
    private boolean isSeries;
    private long firstNs;
    private long lastNs;

    /** The streams of a driver. */
    @FunctionalInterface
    public interface Streams {
        /**
         * Ends streams whose logs are truncated, and replaces the missing memory. Called by the
         * conductor.
         *
         * @return the number of truncated logs.
         */
        int endTruncated();
    }

    /**
     * @param errors handler for faults that concern no log.
     */
    public LogFaults(ErrorHandler errors) {
        this.errors = errors;
    }

    /** Returns whether an error reports missing memory. */
    public static boolean isFault(Throwable error) {
        return error instanceof InternalError
                && error.getMessage() != null
                && error.getMessage().contains(FAULT);
    }

    /**
     * Makes the conductor search for the log. Called by any agent.
     *
     * @return false if the error is not a fault in memory, or the conductor cannot find the log.
     */
    public boolean take(Throwable error) {
        return isFault(error) && take(error, System.nanoTime());
    }

    synchronized boolean take(Throwable error, long nowNs) {
        if (!isSeries || nowNs - lastNs > LIMIT_NS) {
            isSeries = true;
            firstNs = nowNs;
        }
        lastNs = nowNs;
        fault = error;
        return nowNs - firstNs <= LIMIT_NS;
    }

    private synchronized void explain() {
        isSeries = false;
    }

    /** Runs the duty cycle; returns the work count. Called by the conductor. */
    public int mend(Streams streams) {
        Throwable met = fault;
        if (met == null) {
            return 0;
        }
        fault = null;
        if (streams.endTruncated() > 0) {
            explain();
        } else {
            errors.onError(
                    new BusException(
                            "shared memory was truncated, but no truncated log was found: either"
                                    + " the log's stream has ended, or the driver will fail soon",
                            met));
        }
        return 1;
    }
}
