// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import java.util.concurrent.TimeUnit;

/**
 * What a driver does before it closes in good order: holds its publishers back, ends their streams
 * when what was offered is in the logs, and has its peers stop; then waits until all is sent and
 * read. Conductor's thread, but for {@link #begin} and what it tells.
 */
public final class Draining {
    /** A publisher that has just read the limit is done with its message then. */
    private static final long HOLD_NS = TimeUnit.MILLISECONDS.toNanos(30);

    private final Streams streams;

    /** The streams of a driver. Conductor's thread. */
    public interface Streams {
        /** Has peers stop; repeated. */
        void stopImages();

        /** Holds publishers back; repeated. */
        void holdPublications();

        /** Ends the streams of publications; repeated. */
        void endPublications(long nowNs);

        /** Streams that are not over. */
        int unfinished();
    }

    /** Written by the thread that closes the driver; read by the conductor. */
    private volatile boolean isAsked;

    /** Streams that are not over. Written by the conductor; read by the thread that closes. */
    private volatile int unfinished = Integer.MAX_VALUE;

    private boolean isHolding;
    private long heldSinceNs;

    /**
     * @param streams of the driver.
     */
    public Draining(Streams streams) {
        this.streams = streams;
    }

    /** Has it begin. Any thread. */
    public void begin() {
        isAsked = true;
    }

    /** Whether all is sent and read. Any thread. */
    public boolean isDone() {
        return unfinished == 0;
    }

    /** Streams that are not over; {@link Integer#MAX_VALUE} before that is known. Any thread. */
    public int unfinished() {
        return unfinished;
    }

    /** Timers. */
    public void work(long nowNs) {
        if (!isAsked) {
            return;
        }
        if (!isHolding) {
            isHolding = true;
            heldSinceNs = nowNs;
        }
        // Again each time: a stream may just have been in the making.
        streams.stopImages();
        streams.holdPublications();
        if (nowNs - heldSinceNs >= HOLD_NS) {
            streams.endPublications(nowNs);
            unfinished = streams.unfinished();
        }
    }
}
