// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread that repeats a task until it is closed or the task fails. */
final class Repeating implements AutoCloseable {
    private static final Duration END = Duration.ofSeconds(20);

    private final Thread thread;
    private volatile boolean isClosed;

    Repeating(String name, Runnable task, Consumer<Throwable> onFailure) {
        thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("verbus-test-" + name)
                        .start(
                                () -> {
                                    try {
                                        while (!isClosed) {
                                            task.run();
                                        }
                                    } catch (RuntimeException e) {
                                        onFailure.accept(e);
                                    }
                                });
    }

    static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        try {
            if (!thread.join(END)) {
                throw new IllegalStateException(thread.getName() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
