// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks once per second that the driver still owns its directory. Uses its own thread, because
 * file operations may be slow and agents must not wait.
 */
public final class DirectoryWatch implements AutoCloseable {
    private static final long INTERVAL_MS = 1_000;

    private final DriverDirectory directory;
    private final Consumer<BusException> onLoss;
    private final ErrorHandler errors;
    private final CountDownLatch closed = new CountDownLatch(1);

    private DirectoryWatch(
            DriverDirectory directory, Consumer<BusException> onLoss, ErrorHandler errors) {
        this.errors = errors;
        this.directory = directory;
        this.onLoss = onLoss;
    }

    /**
     * Starts watching.
     *
     * @param directory driver's locked directory.
     * @param onLoss called at most once, on the watch's thread, with the reason why the driver must
     *     end.
     * @param errors called with an error that ends the watch, which ends the driver.
     */
    public static DirectoryWatch start(
            DriverDirectory directory, Consumer<BusException> onLoss, ErrorHandler errors) {
        DirectoryWatch watch = new DirectoryWatch(directory, onLoss, errors);
        Thread.ofPlatform().daemon().name("verbus-directory").start(watch::run);
        return watch;
    }

    private void run() {
        try {
            BusException loss = null;
            while (loss == null && !closed.await(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
                loss = directory.loss();
            }
            if (loss != null) {
                onLoss.accept(loss);
            }
        } catch (InterruptedException e) {
            // Only close() interrupts the thread.
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            errors.onError(new AssertionError("thread verbus-directory has ended", e));
        }
    }

    /** Ends the watch; a check in progress may still detect a loss. Idempotent. */
    @Override
    public void close() {
        closed.countDown();
    }
}
