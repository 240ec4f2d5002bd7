// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The {@link Error} that ends a driver: the first that one of its threads met. A thread that
 * reports an error stops working, and allocates nothing to report it, because the heap may be
 * exhausted.
 */
public final class DriverFailure {
    private final AtomicReference<Throwable> error = new AtomicReference<>();
    private final CountDownLatch isOver = new CountDownLatch(1);

    /**
     * Name of the failed thread. Written by that thread before the latch opens; read after that.
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

    /** Returns the name of the thread that met the error, once {@link #await} has returned it. */
    public String where() {
        return where;
    }

    /** Ends the wait because the driver closes. Thread-safe. */
    public void end() {
        isOver.countDown();
    }

    /** Waits until the driver fails or closes; returns the error, or null if it closes. */
    public Throwable await() throws InterruptedException {
        isOver.await();
        return error.get();
    }
}
