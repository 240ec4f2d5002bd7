// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.DriverLostException;
import io.verbus.DriverTimeoutException;
import io.verbus.cnc.CncFile;
import io.verbus.directory.DirectoryTrust;
import io.verbus.directory.UntrustedException;

import org.agrona.ErrorHandler;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks for a live driver, which is one whose heartbeat advances. The file of a driver without a
 * heartbeat stays mapped while the directory contains that file, because the driver may only be
 * suspended. Not thread-safe.
 */
public final class DriverSearch implements AutoCloseable {
    private static final long RETRY_NS = 5_000_000;
    private static final long LOOK_NS = 1_000_000;

    /** Time within which a starting driver sets the permissions of its files. */
    private static final long DENIED_NS = 1_000_000_000;

    /** Time after which a thread that waits for a driver reports it to the application. */
    private static final long TELL_NS = 1_000_000_000;

    private final Path file;
    private final DirectoryTrust trust;
    private final long timeoutNs;

    /** Connection to the file in the directory; null if there is no driver's file. */
    private DriverConnection candidate;

    /** Monotonic time at which the candidate was found. */
    private long foundNs;

    private BusException failure;

    /**
     * @param directory directory of the driver.
     * @param trust which drivers to trust.
     * @param timeoutNs how long the heartbeat of a live driver may stall.
     */
    public DriverSearch(Path directory, DirectoryTrust trust, long timeoutNs) {
        file = directory.resolve(CncFile.NAME);
        this.trust = trust;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Looks for the driver once.
     *
     * @return the driver, which the caller must close; null if there is none yet.
     */
    public DriverConnection look() {
        try {
            if (candidate == null) {
                candidate = new DriverConnection(file, CncFile.map(file, trust), trust, timeoutNs);
                foundNs = System.nanoTime();
            }
            failure = candidate.failure();
            if (failure == null && candidate.hasBeaten()) {
                DriverConnection found = candidate;
                candidate = null;
                return found;
            }
            if (failure == null) {
                failure = new DriverLostException(candidate.silence());
            } else if (!candidate.isInDirectory()) {
                close();
            }
        } catch (BusException e) {
            failure = e;
        }
        return null;
    }

    /** Returns why the last attempt found no driver. */
    public BusException failure() {
        return failure;
    }

    /**
     * Looks for a driver until one responds or the timeout has passed. Fails immediately if
     * permissions forbid using the driver.
     *
     * @param meanwhile action to run before each attempt.
     * @param waiting consumer of a description of what is missing, called once if the search takes
     *     longer than a second, and a driver that was found meanwhile has shown no heartbeat for a
     *     second.
     * @return the driver, which the caller must close.
     * @throws DriverTimeoutException with the last failure, if no driver responds in time.
     */
    public DriverConnection await(Runnable meanwhile, ErrorHandler waiting) {
        long start = System.nanoTime();
        long permitted = start;
        boolean isTold = false;
        while (true) {
            meanwhile.run();
            DriverConnection found = look();
            if (found != null) {
                return found;
            }
            long now = System.nanoTime();
            if (!(failure instanceof UntrustedException)) {
                permitted = now;
            }
            if (now - start > timeoutNs || now - permitted > DENIED_NS) {
                throw new DriverTimeoutException(
                        "cannot connect within "
                                + Math.min(timeoutNs, now - start) / 1_000_000
                                + " ms: "
                                + failure.getMessage(),
                        failure);
            }
            boolean isStarting = candidate != null && now - foundNs <= TELL_NS;
            if (now - start > TELL_NS && !isTold && permitted == now && !isStarting) {
                isTold = true;
                waiting.onError(
                        new BusException(
                                "not connected yet; waiting for a media driver for up to "
                                        + timeoutNs / 1_000_000
                                        + " ms: "
                                        + failure.getMessage(),
                                failure));
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new BusException("interrupted while connecting to the driver of " + file);
            }
            LockSupport.parkNanos(candidate == null ? RETRY_NS : LOOK_NS);
        }
    }

    /** Unmaps the file of a driver that has not responded. The search may continue afterwards. */
    @Override
    public void close() {
        if (candidate != null) {
            candidate.close();
            candidate = null;
        }
    }
}
