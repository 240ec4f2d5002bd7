// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.ErrorHandler;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Mapped memory that nothing starts to use any more, but that a call on another thread may still be
 * using: it is unmapped when the linger interval has passed. One thread.
 */
final class LingeringMemory {
    private record Entry(long since, AutoCloseable memory) {}

    private final long lingerNs;
    private final ErrorHandler errorHandler;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    /**
     * @param lingerNs the linger interval.
     * @param errorHandler of memory that cannot be unmapped.
     */
    LingeringMemory(long lingerNs, ErrorHandler errorHandler) {
        this.lingerNs = lingerNs;
        this.errorHandler = errorHandler;
    }

    /** Takes memory over, after the flag was set that keeps new calls out of it. */
    void add(AutoCloseable memory, long nowNs) {
        entries.addLast(new Entry(nowNs, memory));
    }

    /**
     * Unmaps what has lingered long enough.
     *
     * @return how many were unmapped.
     */
    int unmap(long nowNs) {
        int count = 0;
        Entry first;
        while ((first = entries.peekFirst()) != null && nowNs - first.since >= lingerNs) {
            entries.removeFirst();
            unmap(first.memory);
            count++;
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

    /** Leaves the rest to a thread that ends when all is unmapped. */
    void unmapInBackground() {
        Thread thread = new Thread(this::unmapAll, "verbus-unmap");
        thread.setDaemon(true);
        thread.start();
    }

    private void unmapAll() {
        try {
            for (Entry entry : entries) {
                TimeUnit.NANOSECONDS.sleep(lingerNs - (System.nanoTime() - entry.since));
                unmap(entry.memory);
            }
        } catch (InterruptedException e) {
            // Nobody knows this thread, so nobody interrupts it; what is left goes with the JVM.
            Thread.currentThread().interrupt();
        }
    }
}
