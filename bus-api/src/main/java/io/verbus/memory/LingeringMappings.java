// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import org.agrona.ErrorHandler;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Mapped memory that nothing starts to use any more, but that a call on another thread may still be
 * using: it is unmapped when the linger interval has passed, and nothing is known to use it. One
 * thread.
 */
public final class LingeringMappings {
    private record Entry(long since, AutoCloseable memory, BooleanSupplier isInUse) {}

    private final long lingerNs;
    private final ErrorHandler errorHandler;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    /**
     * @param lingerNs the linger interval.
     * @param errorHandler of memory that cannot be unmapped.
     */
    public LingeringMappings(long lingerNs, ErrorHandler errorHandler) {
        this.lingerNs = lingerNs;
        this.errorHandler = errorHandler;
    }

    /** Takes memory over, after the flag was set that keeps new calls out of it. */
    public void add(AutoCloseable memory, long nowNs) {
        add(memory, () -> false, nowNs);
    }

    /**
     * Takes memory over, after the flag was set that keeps new calls out of it.
     *
     * @param isInUse asked when the linger interval has passed: then it lasts another one.
     */
    public void add(AutoCloseable memory, BooleanSupplier isInUse, long nowNs) {
        entries.addLast(new Entry(nowNs, memory, isInUse));
    }

    /**
     * Unmaps what has lingered long enough.
     *
     * @return how many were unmapped.
     */
    public int unmap(long nowNs) {
        int count = 0;
        Entry first;
        while ((first = entries.peekFirst()) != null && nowNs - first.since >= lingerNs) {
            entries.removeFirst();
            if (first.isInUse.getAsBoolean()) {
                entries.addLast(new Entry(nowNs, first.memory, first.isInUse));
            } else {
                unmap(first.memory);
                count++;
            }
        }
        return count;
    }

    private void unmap(AutoCloseable memory) {
        try {
            memory.close();
        } catch (Exception e) {
            errorHandler.onError(e);
        }
    }

    /**
     * Leaves the rest to threads that the JVM has for all that wait for a time to pass. Nothing
     * else may be called from now on.
     */
    public void unmapInBackground() {
        if (!entries.isEmpty()) {
            CompletableFuture.delayedExecutor(lingerNs, TimeUnit.NANOSECONDS)
                    .execute(this::unmapLater);
        }
    }

    private void unmapLater() {
        unmap(System.nanoTime());
        unmapInBackground();
    }
}
