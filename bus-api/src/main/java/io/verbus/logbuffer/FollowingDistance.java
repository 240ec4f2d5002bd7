// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Keeps a subscriber that follows a fast stream in the publication's own log away from the tail.
 * One thread, the subscriber's.
 *
 * <p>Close behind a publisher both are slow. The subscriber's processor sees lines asked for in
 * their order and fetches the next ones by itself, up to a page of them, and takes from the
 * publisher's processor what that one is about to write. The faster one catches up with the other,
 * and stays there. So a subscriber that receives much in little time stays away from the tail by
 * more than that, and waits within a poll until there is enough; a moment only, and only while the
 * publisher goes on at that speed. Slower streams, and single messages, never wait.
 *
 * <p>The tail is a hint, no more than that: frames are checked as ever, and what a damaged log says
 * can end the waiting, but not prolong it beyond its limit.
 *
 * <p>No method allocates.
 */
final class FollowingDistance {
    /** Bytes in front of the tail that are left to the publisher. */
    static final int KEPT = 16 * 1024;

    /** Bytes in front of the tail that are waited for. */
    static final int ENOUGH = 32 * 1024;

    /** Bytes after which the speed of the stream is measured again. */
    static final int WINDOW = 64 * 1024;

    /** The same, after it has turned out many times in a row that there was nothing to wait for. */
    private static final int MAX_WINDOW = 4 * 1024 * 1024;

    /** Nanoseconds for {@link #WINDOW} bytes, below which a stream is fast. */
    static final long FAST_WINDOW_NS = 200_000;

    /** Slower than any fast stream, and short enough that no product overflows. */
    private static final long SLOW_NS = 1_000_000_000;

    /** Pauses between two looks at the tail, of 15 to 45 ns each. */
    private static final int PAUSES = 32;

    /** Looks after which a wait is over: some tens of microseconds, and hardly ever needed. */
    private static final int MAX_LOOKS = 32;

    /** Bytes that the tail must have moved from one look to the next, or the wait is over. */
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
     * @param log that is read.
     * @param position from which on.
     * @param nowNs of {@link System#nanoTime()}.
     */
    FollowingDistance(LogBuffers log, long position, long nowNs) {
        metadata = log.metadata();
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        measureFrom(position, nowNs);
    }

    /** Whether the stream is fast, so that {@link #awaitEnd} says how far to read. */
    boolean isKept() {
        return isKept;
    }

    /** Whether it is time to call {@link #measure}. */
    boolean isDue(long position) {
        return position >= nextPosition;
    }

    /**
     * Decides whether the stream is fast.
     *
     * @param position that the subscriber has reached.
     * @param nowNs of {@link System#nanoTime()}.
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
     * How far the term may be read now; waits for the publisher to get away, if it is near and
     * fast.
     *
     * @param termPosition of the term that is read.
     * @param offset in it that the subscriber has reached.
     * @return offset in the term from which on no frame is to be read.
     */
    int awaitEnd(long termPosition, int offset) {
        if (termPosition + offset >= endPosition) {
            endPosition = termPosition + awaitDistance(termPosition, offset);
        }
        return isKept ? (int) (endPosition - termPosition) : termLength;
    }

    /** Returns the offset up to which to read, or the one given, where it has given up. */
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
            window = WINDOW; // it was worth while
        }
        return tail < termLength ? tail - KEPT : termLength;
    }

    private static void pause() {
        for (int i = 0; i < PAUSES; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * The publisher has nothing more, does not hurry, or offers on the subscriber's own thread: the
     * stream is as good as slow.
     */
    private void giveUp(long position) {
        isKept = false;
        window = Math.min(2 * window, MAX_WINDOW);
        measureFrom(position, System.nanoTime());
    }

    /** How far a term is claimed: to its end, if the log's tail is in another. */
    private int tail(int termCount) {
        long rawTail = metadata.getLongAcquire(LogTail.offset(termCount));
        return LogLayout.termId(rawTail) == initialTermId + termCount
                ? (int) Math.min(LogLayout.tailOffset(rawTail), termLength)
                : termLength;
    }
}
