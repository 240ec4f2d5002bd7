// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads of a test: the failure of one is the test's. */
final class Tasks implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> futures = new ArrayList<>();

    /** Runs on a thread of its own. */
    <T> Future<T> run(Callable<T> task) {
        Future<T> future = threads.submit(task);
        futures.add(future);
        return future;
    }

    /** Runs on a thread of its own. */
    void start(Runnable task) {
        run(Executors.callable(task));
    }

    /** Throws what a task has thrown that ended so. */
    void check() throws Exception {
        for (int i = 0; i < futures.size(); i++) {
            if (futures.get(i).isDone()) {
                result(futures.remove(i));
            }
        }
    }

    /** Waits for all; throws what the first failed one threw. */
    void join(long seconds) throws Exception {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!futures.isEmpty()) {
            // The one that failed may not be the one that ends first.
            check();
            if (System.nanoTime() - deadlineNs > 0) {
                throw new TimeoutException("threads of the test still run after " + seconds + " s");
            }
            Thread.sleep(5);
        }
    }

    private static void result(Future<?> future) throws Exception {
        try {
            future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) e.getCause();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                throw new AssertionError("a thread of the test does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
