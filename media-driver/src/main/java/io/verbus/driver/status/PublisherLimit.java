// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Position up to which publishers may append, in a counter that they read. Raised by the conductor
 * after cleaning, and by the sender after credit. The higher limit must win, so both use
 * compare-and-set. The limit is lowered when the stream has no readers; each publisher that has
 * read the earlier limit may still append one message.
 */
public final class PublisherLimit {
    private final AtomicCounter counter;

    /** Whether publishing has ended. Written by the conductor; read by the sender. */
    private volatile boolean isHeld;

    public PublisherLimit(AtomicCounter counter) {
        this.counter = counter;
    }

    public int counterId() {
        return counter.id();
    }

    /**
     * Raises the limit if it is lower. Called by conductor and sender.
     *
     * @param limit new limit.
     * @return whether it was raised.
     */
    public boolean raise(long limit) {
        if (isHeld) {
            return false;
        }
        long current = counter.getAcquire();
        while (limit > current) {
            if (counter.compareAndSet(current, limit)) {
                return true;
            }
            current = counter.getAcquire();
        }
        return false;
    }

    /**
     * Lowers the limit if it is higher. Called by conductor and sender.
     *
     * @param limit new limit.
     */
    public void lower(long limit) {
        long current = counter.getAcquire();
        while (limit < current && !counter.compareAndSet(current, limit)) {
            current = counter.getAcquire();
        }
    }

    /**
     * Holds publishers back permanently: lowers the limit, and never raises it again. Must be
     * called repeatedly, because the sender may be raising the limit at the same time. Called by
     * the conductor.
     *
     * @param limit new limit.
     */
    public void hold(long limit) {
        isHeld = true;
        lower(limit);
    }

    /** Returns the current limit. */
    public long get() {
        return counter.getAcquire();
    }

    /** Frees the counter; no thread may raise the limit afterwards. Called by the conductor. */
    public void close() {
        counter.close();
    }
}
