// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The {@link Error} that ends a driver: the first one that any of its threads throws. A thread that
 * reports an error stops working. Reporting allocates nothing, because the heap may be exhausted.
 */
public final class DriverFailure {
    private final AtomicReference<Throwable> error = new AtomicReference<>();
    private final CountDownLatch isOver = new CountDownLatch(1);

    /**
     * Name of the failed thread. Written by that thread before the latch opens; read afterwards.
     */
    private volatile String where = "a thread";

    /** Reports an error that ends the driver. Thread-safe. */
    public void fail(Throwable cause) {
        if (error.compareAndSet(null, cause)) {
            where = Thread.currentThread().getName();
            isOver.countDown();
        }
    }

    /** Returns the error that ended the driver, or null. Thread-safe. */
    public Throwable error() {
        return error.get();
    }

    /** Returns the name of the failed thread, once {@link #await} has returned the error. */
    public String where() {
        return where;
    }

    /** Ends the wait because the driver is closing. Thread-safe. */
    public void end() {
        isOver.countDown();
    }

    /** Waits until the driver fails or closes; returns the error, or null if it closes. */
    public Throwable await() throws InterruptedException {
        isOver.await();
        return error.get();
    }
}
