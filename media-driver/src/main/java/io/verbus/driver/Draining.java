// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import java.util.concurrent.TimeUnit;

/**
 * What a driver does before it closes in good order: holds its publishers back, ends their streams
 * when what was offered is in the logs, and has its peers stop; then waits until all is sent and
 * read. Conductor's thread, but for {@link #begin} and what it tells.
 */
final class Draining {
    /** A publisher that has just read the limit is done with its message then. */
    private static final long HOLD_NS = TimeUnit.MILLISECONDS.toNanos(30);

    private final Publications publications;
    private final Images images;

    /** Written by the thread that closes the driver; read by the conductor. */
    private volatile boolean isAsked;

    /** Streams that are not over. Written by the conductor; read by the thread that closes. */
    private volatile int unfinished = Integer.MAX_VALUE;

    private boolean isHolding;
    private boolean isEnding;
    private long heldSinceNs;

    Draining(Publications publications, Images images) {
        this.publications = publications;
        this.images = images;
    }

    /** Has it begin. Any thread. */
    void begin() {
        isAsked = true;
    }

    /** Whether all is sent and read. Any thread. */
    boolean isDone() {
        return unfinished == 0;
    }

    /** Streams that are not over; {@link Integer#MAX_VALUE} before that is known. Any thread. */
    int unfinished() {
        return unfinished;
    }

    /** Timers. */
    void work(long nowNs) {
        if (!isAsked) {
            return;
        }
        if (!isHolding) {
            isHolding = true;
            heldSinceNs = nowNs;
            images.stopAll();
        }
        if (!isEnding) {
            publications.hold();
            if (nowNs - heldSinceNs < HOLD_NS) {
                return;
            }
            isEnding = true;
            publications.endAll(nowNs);
        }
        unfinished = publications.unfinished() + images.unfinished();
    }
}
