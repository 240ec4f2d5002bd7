// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.concurrent.TimeUnit;

/**
 * Accesses to memory that is not there any more, because a client has truncated the file of a log.
 * The JVM tells of one by an {@link InternalError}, which may come late, in whatever the thread
 * does by then. So the error says nothing about the log: the conductor looks which logs are
 * truncated, and ends their streams. Faults that go on although no log is truncated are of other
 * memory, and end the driver.
 */
public final class LogFaults {
    /** What an {@link InternalError} of such an access says. */
    private static final String FAULT = "unsafe memory access";

    /** Time for the conductor to find the log, and for late errors of what it has ended. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(2);

    private final ErrorHandler errors;

    /** Written by the thread that met it; taken by the conductor. */
    private volatile Throwable fault;

    // Guarded by this object: a series of faults, none of which the conductor has explained.
    private boolean isSeries;
    private long firstNs;
    private long lastNs;

    /** The streams of a driver. */
    @FunctionalInterface
    public interface Streams {
        /**
         * Ends streams whose logs are truncated, and puts memory in the place of what is missing.
         * Conductor.
         *
         * @return how many logs were truncated.
         */
        int endTruncated();
    }

    /**
     * @param errors told of faults in no log.
     */
    public LogFaults(ErrorHandler errors) {
        this.errors = errors;
    }

    /** Whether an error tells of memory that is not there any more. */
    public static boolean isFault(Throwable error) {
        return error instanceof InternalError
                && error.getMessage() != null
                && error.getMessage().contains(FAULT);
    }

    /**
     * Has the conductor look for the log. Any agent.
     *
     * @return false if the error is another, or the conductor cannot find the log.
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

    /** Every cycle. Returns the amount of work done. Conductor. */
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
                            "memory that clients share was gone, but no log is truncated: its"
                                    + " stream has ended meanwhile, or the driver ends soon",
                            met));
        }
        return 1;
    }
}
