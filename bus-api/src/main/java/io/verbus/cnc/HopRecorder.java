// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Records the durations of one hop of one stream, one sample at a time. A polling thread sees an
 * event some time after it has happened: it happened between the last poll that did not see it and
 * the first that did. Start and end of a hop are therefore intervals, and each sample adds two
 * durations: the shortest and the longest that the hop can have taken.
 *
 * <pre>
 *      start                    end
 *   [notBefore, notAfter]   [notBefore, notAfter]
 *             |◀── least ────▶|               |
 *    |◀──────────────── most ────────────────▶|
 * </pre>
 *
 * <p>Times are in nanoseconds by the clock of the thread. Used by one thread, which writes the
 * record; tools of other processes read it. Allocates nothing.
 */
public final class HopRecorder {
    private final UnsafeBuffer record;
    private final NanoClock clock;
    private long notBeforeNs;
    private long notAfterNs;
    private boolean isOpen;

    HopRecorder(UnsafeBuffer record, NanoClock clock) {
        this.record = record;
        this.clock = clock;
    }

    /** Reads the clock, in nanoseconds. */
    public long nowNs() {
        return clock.nanoTime();
    }

    /** Returns whether a sample has begun and not ended. */
    public boolean isOpen() {
        return isOpen;
    }

    /**
     * Begins a sample.
     *
     * @param notBefore time before which the hop did not start.
     * @param notAfter time after which the hop did not start; {@link Long#MAX_VALUE} if unknown.
     */
    public void begin(long notBefore, long notAfter) {
        isOpen = true;
        notBeforeNs = notBefore;
        notAfterNs = notAfter;
        record.putLongRelease(LatencyFile.OPEN_SINCE, notBefore);
    }

    /** Narrows the start of the open sample. */
    public void startedBy(long notAfter) {
        notAfterNs = notAfter;
    }

    /**
     * Ends the open sample.
     *
     * @param notBefore time before which the hop did not end.
     * @param notAfter time after which the hop did not end.
     * @param by id of the last receiver or subscriber to end the hop, or 0.
     */
    public void end(long notBefore, long notAfter, long by) {
        long least = notAfterNs < notBefore ? notBefore - notAfterNs : 0;
        add(LatencyFile.LEAST, LatencyFile.LEAST_BUCKETS, least);
        add(LatencyFile.MOST, LatencyFile.MOST_BUCKETS, Math.max(notAfter - notBeforeNs, least));
        record.putLongRelease(LatencyFile.LAST, by);
        cancel();
    }

    /** Discards the open sample, if there is one. */
    public void cancel() {
        if (isOpen) {
            isOpen = false;
            record.putLongRelease(LatencyFile.OPEN_SINCE, LatencyFile.NOT_OPEN);
        }
    }

    private void add(int sums, int buckets, long duration) {
        record.putLongRelease(sums, record.getLong(sums) + duration);
        int max = sums + Long.BYTES;
        if (duration > record.getLong(max)) {
            record.putLongRelease(max, duration);
        }
        int bucket = buckets + LatencyBuckets.index(duration) * Long.BYTES;
        record.putLongRelease(bucket, record.getLong(bucket) + 1);
    }

    /** Returns the record's memory, to free it. */
    UnsafeBuffer record() {
        return record;
    }
}
