// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The {@link Error} that ends a driver: the first one that a thread of the driver met. A thread
 * that reports one works no more, and allocates nothing to say so, as the heap may be exhausted.
 */
public final class DriverFailure {
    private final AtomicReference<Throwable> error = new AtomicReference<>();
    private final CountDownLatch isOver = new CountDownLatch(1);

    /** Written by the thread that failed, before the latch; read behind it. */
    private volatile String where = "a thread";

    /** Reports an error that ends the driver. Any thread. */
    public void fail(Throwable cause) {
        if (error.compareAndSet(null, cause)) {
            where = Thread.currentThread().getName();
            isOver.countDown();
        }
    }

    /** The error that ended the driver, or null. Any thread. */
    public Throwable error() {
        return error.get();
    }

    /** Name of the thread that met the error, once {@link #await} has returned it. */
    public String where() {
        return where;
    }

    /** The driver closes in good order: nothing is awaited any more. Any thread. */
    public void end() {
        isOver.countDown();
    }

    /** Waits until the driver fails or closes; returns the error, null if it closes. */
    public Throwable await() throws InterruptedException {
        isOver.await();
        return error.get();
    }
}
