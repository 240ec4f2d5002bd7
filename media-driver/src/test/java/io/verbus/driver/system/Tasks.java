// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.driver.Await;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Threads of a test: a failure of one fails the test. Used by the test's own thread. */
final class Tasks implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingQueue<Future<?>> ended = new LinkedBlockingQueue<>();
    private int running;

    /** Runs on a thread of its own. */
    <T> Future<T> run(Callable<T> task) {
        FutureTask<T> future =
                new FutureTask<>(task) {
                    @Override
                    protected void done() {
                        ended.add(this);
                    }
                };
        running++;
        threads.execute(future);
        return future;
    }

    /** Runs on a thread of its own. */
    void start(Runnable task) {
        run(Executors.callable(task));
    }

    /** Throws the failure of a task, if any. */
    void check() throws Exception {
        Future<?> future;
        while ((future = ended.poll()) != null) {
            running--;
            result(future);
        }
    }

    /** Waits for a condition; throws the failure of a task as soon as there is one. */
    void await(String what, BooleanSupplier condition) throws Exception {
        Await.until(what, () -> condition.getAsBoolean() || hasFailed());
        check();
    }

    private boolean hasFailed() {
        return ended.stream().anyMatch(each -> each.state() == Future.State.FAILED);
    }

    /** Waits for all tasks; throws the first failure. */
    void join(long seconds) throws Exception {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (running > 0) {
            Future<?> future = ended.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (future == null) {
                throw new TimeoutException("threads of the test still run after " + seconds + " s");
            }
            running--;
            result(future);
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
