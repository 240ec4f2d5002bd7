// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Keeps a subscriber that reads a publication's own log at a distance from the tail while the
 * stream is fast. Used by the subscriber's thread only.
 *
 * <p>A subscriber close behind a publisher slows both down: the hardware prefetcher of the
 * subscriber's processor fetches up to a page of lines ahead, and takes lines from the publisher's
 * processor just before that processor writes them. A subscriber that is faster than the publisher
 * catches up with it and stays close. Therefore a subscriber of a fast stream stays further behind
 * the tail than the prefetcher reaches, and waits within a poll until enough is available, but only
 * briefly, and only while the publisher maintains its speed. Slower streams and single messages
 * never wait.
 *
 * <p>The tail is only a hint: frames are still checked, and a corrupt tail can end the wait but not
 * extend it past its limit.
 *
 * <p>No method allocates.
 */
final class FollowingDistance {
    /** Distance in bytes that the subscriber keeps from the tail. */
    static final int KEPT = 16 * 1024;

    /** Distance from the tail in bytes at which a wait ends. */
    static final int ENOUGH = 32 * 1024;

    /** Number of bytes after which the speed of the stream is measured again. */
    static final int WINDOW = 64 * 1024;

    /**
     * Maximum number of bytes between two measurements. The number doubles after each wait that
     * gained nothing.
     */
    private static final int MAX_WINDOW = 4 * 1024 * 1024;

    /** A stream is fast if {@link #WINDOW} bytes take less than this number of nanoseconds. */
    static final long FAST_WINDOW_NS = 200_000;

    /**
     * Time in nanoseconds after which a stream counts as slow; short enough that {@link #measure}
     * cannot overflow.
     */
    private static final long SLOW_NS = 1_000_000_000;

    /** Number of spin hints, of 15 to 45 ns each, between two reads of the tail. */
    private static final int PAUSES = 32;

    /**
     * Number of reads of the tail after which a wait ends: tens of microseconds, rarely reached.
     */
    private static final int MAX_LOOKS = 32;

    /**
     * Number of bytes by which the tail must advance between two reads for the wait to continue.
     */
    private static final int LEAST_PROGRESS = 256;

    private final UnsafeBuffer metadata;
    private final int initialTermId;
    private final int termLength;
    private final int bitsToShift;

    private boolean isKept;
    private int window = WINDOW;
    private long endPosition;
    private long measuredPosition;
    private long measuredNs;
    private long nextPosition;

    /**
     * @param log log that is read.
     * @param position position at which reading starts.
     * @param nowNs current {@link System#nanoTime()}.
     */
    FollowingDistance(LogBuffers log, long position, long nowNs) {
        metadata = log.metadata();
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        measureFrom(position, nowNs);
    }

    /**
     * Returns whether the stream is fast, in which case {@link #awaitEnd} limits how far to read.
     */
    boolean isKept() {
        return isKept;
    }

    /** Returns whether to call {@link #measure}. */
    boolean isDue(long position) {
        return position >= nextPosition;
    }

    /**
     * Decides whether the stream is fast.
     *
     * @param position position of the subscriber.
     * @param nowNs current {@link System#nanoTime()}.
     */
    void measure(long position, long nowNs) {
        long elapsedNs = nowNs - measuredNs;
        long bytes = position - measuredPosition;
        isKept = elapsedNs < SLOW_NS && elapsedNs * WINDOW < FAST_WINDOW_NS * bytes;
        measureFrom(position, nowNs);
    }

    private void measureFrom(long position, long nowNs) {
        measuredPosition = position;
        measuredNs = nowNs;
        nextPosition = position + window;
    }

    /**
     * Returns how far the term may be read now. If a fast publisher is near, waits for it to get
     * further ahead.
     *
     * @param termPosition position of the term that is read.
     * @param offset offset of the subscriber in the term.
     * @return offset in the term at which to stop reading.
     */
    int awaitEnd(long termPosition, int offset) {
        if (termPosition + offset >= endPosition) {
            endPosition = termPosition + awaitDistance(termPosition, offset);
        }
        return isKept ? (int) (endPosition - termPosition) : termLength;
    }

    /**
     * Waits for the publisher to get further ahead. Returns the offset at which to stop reading, or
     * the given offset if the wait was in vain.
     */
    private int awaitDistance(long termPosition, int offset) {
        int termCount = (int) (termPosition >>> bitsToShift);
        int tail = tail(termCount);
        int looks = 0;
        while (tail < termLength && tail - offset < ENOUGH) {
            pause();
            int now = tail(termCount);
            if (now - tail < LEAST_PROGRESS || looks == MAX_LOOKS) {
                giveUp(termPosition + offset);
                return offset;
            }
            tail = now;
            looks++;
        }
        if (looks > 0) {
            window = WINDOW; // the wait was worthwhile
        }
        return tail < termLength ? tail - KEPT : termLength;
    }

    private static void pause() {
        for (int i = 0; i < PAUSES; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Treats the stream as slow, because the publisher has paused or slowed down, or offers on the
     * subscriber's own thread.
     */
    private void giveUp(long position) {
        isKept = false;
        window = Math.min(2 * window, MAX_WINDOW);
        measureFrom(position, System.nanoTime());
    }

    /** Returns the tail's offset in a term, or the term length if the tail is in another term. */
    private int tail(int termCount) {
        long rawTail = metadata.getLongAcquire(LogTail.offset(termCount));
        return LogLayout.termId(rawTail) == initialTermId + termCount
                ? (int) Math.min(LogLayout.tailOffset(rawTail), termLength)
                : termLength;
    }
}
