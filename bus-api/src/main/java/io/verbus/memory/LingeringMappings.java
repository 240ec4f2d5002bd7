// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import org.agrona.ErrorHandler;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Mapped memory that no new call accesses, but that a call on another thread may still be
 * accessing. It is unmapped once the linger interval has passed and it is not known to be in use.
 * Not thread-safe.
 */
public final class LingeringMappings {
    private record Entry(long since, AutoCloseable memory, BooleanSupplier isInUse) {}

    private final long lingerNs;
    private final ErrorHandler errorHandler;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    /**
     * @param lingerNs linger interval in nanoseconds.
     * @param errorHandler handler for failures to unmap.
     */
    public LingeringMappings(long lingerNs, ErrorHandler errorHandler) {
        this.lingerNs = lingerNs;
        this.errorHandler = errorHandler;
    }

    /** Takes over memory that new calls no longer access, because a flag is set. */
    public void add(AutoCloseable memory, long nowNs) {
        add(memory, () -> false, nowNs);
    }

    /**
     * Takes over memory that new calls no longer access, because a flag is set.
     *
     * @param isInUse checked once the linger interval has passed; if true, the memory lingers for
     *     another interval.
     */
    public void add(AutoCloseable memory, BooleanSupplier isInUse, long nowNs) {
        entries.addLast(new Entry(nowNs, memory, isInUse));
    }

    /**
     * Unmaps memory whose linger interval has passed.
     *
     * @return number of mappings unmapped.
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
     * Leaves the remaining memory to the JVM's timer threads. No other method may be called from
     * now on.
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
