// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.util.ArrayDeque;

/**
 * Mapped memory that nothing starts to use any more, but that a call on another thread may still be
 * using: it is unmapped when the linger interval has passed. One thread.
 */
final class LingeringMemory {
    private record Entry(long since, AutoCloseable memory) {}

    private final long lingerNs;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    LingeringMemory(long lingerNs) {
        this.lingerNs = lingerNs;
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
    int unmap(long nowNs) throws Exception {
        int count = 0;
        Entry first;
        while ((first = entries.peekFirst()) != null && nowNs - first.since >= lingerNs) {
            entries.removeFirst();
            first.memory.close();
            count++;
        }
        return count;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Leaves the rest to a thread that ends when all is unmapped. */
    void unmapInBackground() {
        Thread thread = new Thread(this::unmapAll, "verbus-unmap");
        thread.setDaemon(true);
        thread.start();
    }

    private void unmapAll() {
        try {
            while (!isEmpty()) {
                unmap(System.nanoTime());
                Thread.sleep(Math.max(1, Math.min(100, lingerNs / 1_000_000)));
            }
        } catch (InterruptedException e) {
            // Nobody knows this thread, so nobody interrupts it; what is left goes with the JVM.
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("cannot unmap", e);
        }
    }
}
