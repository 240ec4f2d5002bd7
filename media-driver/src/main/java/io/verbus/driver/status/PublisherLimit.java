// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Position up to which a publication may be appended to, in a counter that publishers read. Raised
 * by the conductor, after cleaning, and by the sender, after credit: whichever comes last with the
 * higher one must win, hence the compare-and-set. Pulled back where nobody reads the stream any
 * more; each publisher that has read the limit before may still append one message.
 */
public final class PublisherLimit {
    private final AtomicCounter counter;

    /** Nobody may publish any more. Written by the conductor; read by the sender. */
    private volatile boolean isHeld;

    public PublisherLimit(AtomicCounter counter) {
        this.counter = counter;
    }

    public int counterId() {
        return counter.id();
    }

    /**
     * Raises the limit, unless it is there already. Conductor and sender.
     *
     * @param limit position.
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
     * Pulls the limit back, unless it is there already. Conductor and sender.
     *
     * @param limit position.
     */
    public void lower(long limit) {
        long current = counter.getAcquire();
        while (limit < current && !counter.compareAndSet(current, limit)) {
            current = counter.getAcquire();
        }
    }

    /**
     * Holds publishers back for good: pulls the limit back, and raises it no more. To be repeated,
     * as the sender may just be raising it. Conductor.
     *
     * @param limit position.
     */
    public void hold(long limit) {
        isHeld = true;
        lower(limit);
    }

    /** The limit now. */
    public long get() {
        return counter.getAcquire();
    }

    /** Frees the counter. Conductor; no thread raises the limit any more. */
    public void close() {
        counter.close();
    }
}
