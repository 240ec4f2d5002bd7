// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Schedules NAKs for the gaps of an image, or skips the gaps: first after a delay for reordering,
 * then repeatedly. All due gaps are requested together, so that none waits for another. Used by the
 * receiver's thread only.
 *
 * <p>A table holds the ranges in which gaps were found. Ranges are not updated when frames arrive;
 * instead, a due range is searched for the gaps left in it.
 */
final class GapRecovery {
    /**
     * Maximum number of pending ranges and of NAKs at a time: as many as an Aeron sender handles.
     */
    static final int CAPACITY = 16;

    /** Action for a due gap. */
    interface Remedy {
        /**
         * @param begin position of the gap.
         * @param length length of the gap, which is within one term.
         * @param isNew whether the gap is due for the first time.
         */
        void onGap(long begin, int length, boolean isNew, long nowNs);
    }

    private final RebuiltLog log;
    private final long delayNs;
    private final long retryNs;
    private final long backoffNs;
    private final Remedy remedy;

    // Disjoint ranges ordered by position.
    private final long[] begins = new long[CAPACITY];
    private final long[] ends = new long[CAPACITY];
    private final long[] dues = new long[CAPACITY];

    private final boolean[] wereAsked = new boolean[CAPACITY];

    private int count;

    /** Position up to which the log was searched for gaps. */
    private long searched;

    /**
     * @param log log with the gaps.
     * @param delayNs time for which a gap may be due to reordering.
     * @param retryNs time after which to request a gap again.
     * @param backoffNs maximum of an additional random delay, in case other receivers request the
     *     same frames; 0 for none.
     */
    GapRecovery(RebuiltLog log, long delayNs, long retryNs, long backoffNs, Remedy remedy) {
        this.log = log;
        this.delayNs = delayNs;
        this.retryNs = retryNs;
        this.backoffNs = backoffNs;
        this.remedy = remedy;
        searched = log.rebuilt();
    }

    /**
     * Runs the duty cycle; called if the log has a gap.
     *
     * @return number of gaps handled.
     */
    int work(long nowNs) {
        search(nowNs);
        int done = 0;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            boolean isOpen = ends[i] > log.rebuilt();
            if (isOpen && done < CAPACITY && nowNs - dues[i] >= 0) {
                int gaps = act(i, CAPACITY - done, nowNs);
                done += gaps;
                isOpen = gaps > 0;
            }
            if (isOpen) {
                keep(i, kept++);
            }
        }
        count = kept;
        return done;
    }

    private void search(long nowNs) {
        searched = Math.max(searched, log.rebuilt());
        while (count < CAPACITY && searched < log.highest()) {
            long begin = log.gapBegin(searched, log.highest());
            if (begin == log.highest()) {
                searched = begin;
                return;
            }
            searched = log.gapEnd(begin, log.highest());
            begins[count] = begin;
            ends[count] = searched;
            dues[count] = nowNs + delayNs + backoffNs();
            wereAsked[count] = false;
            count++;
        }
    }

    /** Handles the remaining gaps of a range; returns their number. */
    private int act(int index, int most, long nowNs) {
        int gaps = 0;
        long end = ends[index];
        long begin = log.gapBegin(begins[index], end);
        while (begin < end && gaps < most) {
            long gapEnd = log.gapEnd(begin, end);
            remedy.onGap(begin, (int) (gapEnd - begin), !wereAsked[index], nowNs);
            gaps++;
            begin = log.gapBegin(gapEnd, end);
        }
        wereAsked[index] = true;
        dues[index] = nowNs + retryNs + backoffNs();
        return gaps;
    }

    private void keep(int from, int to) {
        begins[to] = begins[from];
        ends[to] = ends[from];
        dues[to] = dues[from];
        wereAsked[to] = wereAsked[from];
    }

    /**
     * Returns a random delay, so that the first NAK in a group serves all receivers that miss the
     * same frames.
     */
    private long backoffNs() {
        return backoffNs == 0 ? 0 : ThreadLocalRandom.current().nextLong(backoffNs);
    }
}
