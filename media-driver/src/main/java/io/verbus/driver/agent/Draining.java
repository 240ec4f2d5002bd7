// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import java.util.concurrent.TimeUnit;

/**
 * Drains the driver before an orderly close: holds publishers back, ends their streams once all
 * offered messages are in the logs, and stops peers; then waits until all is sent and read. Used by
 * the conductor's thread, except {@link #begin} and the queries.
 */
public final class Draining {
    /** Time after which a publisher that has just read the limit has completed its message. */
    private static final long HOLD_NS = TimeUnit.MILLISECONDS.toNanos(30);

    private final Streams streams;

    /** The streams of a driver. Used by the conductor's thread. */
    public interface Streams {
        /** Stops peers; called repeatedly. */
        void stopImages();

        /** Holds publishers back; called repeatedly. */
        void holdPublications();

        /** Ends the streams of publications; called repeatedly. */
        void endPublications(long nowNs);

        /** Returns the number of unfinished streams. */
        int unfinished();
    }

    /** Written by the thread that closes the driver; read by the conductor. */
    private volatile boolean isAsked;

    /** Number of unfinished streams. Written by the conductor; read by the closing thread. */
    private volatile int unfinished = Integer.MAX_VALUE;

    private boolean isHolding;
    private long heldSinceNs;

    /**
     * @param streams streams of the driver.
     */
    public Draining(Streams streams) {
        this.streams = streams;
    }

    /** Begins draining. Thread-safe. */
    public void begin() {
        isAsked = true;
    }

    /** Returns whether all is sent and read. Thread-safe. */
    public boolean isDone() {
        return unfinished == 0;
    }

    /**
     * Returns the number of unfinished streams; {@link Integer#MAX_VALUE} before it is known.
     * Thread-safe.
     */
    public int unfinished() {
        return unfinished;
    }

    /** Continues draining. Called at the timer interval. */
    public void work(long nowNs) {
        if (!isAsked) {
            return;
        }
        if (!isHolding) {
            isHolding = true;
            heldSinceNs = nowNs;
        }
        // Repeated each time, because a stream may have been in preparation.
        streams.stopImages();
        streams.holdPublications();
        if (nowNs - heldSinceNs >= HOLD_NS) {
            streams.endPublications(nowNs);
            unfinished = streams.unfinished();
        }
    }
}
