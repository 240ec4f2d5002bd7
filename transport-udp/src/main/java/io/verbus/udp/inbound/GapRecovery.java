// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import java.util.concurrent.ThreadLocalRandom;

/**
 * When the gaps of an image are asked for, or skipped: not before they can have been reordering,
 * then again and again. All that are due are asked for together, so that one is not waited for
 * before the next. Receiver's thread.
 *
 * <p>A table holds the ranges in which gaps were found. What fills a gap is not looked for: when
 * its time has come, what is left of its range is.
 */
final class GapRecovery {
    /**
     * Ranges that wait, and NAKs that go out at once: an Aeron sender answers so many at a time.
     */
    static final int CAPACITY = 16;

    /** What is done about a gap that is due. */
    interface Remedy {
        /**
         * @param begin position of the gap.
         * @param length of the gap, which lies in one term.
         * @param isNew whether it is due for the first time.
         */
        void onGap(long begin, int length, boolean isNew, long nowNs);
    }

    private final RebuiltLog log;
    private final long delayNs;
    private final long retryNs;
    private final long backoffNs;
    private final Remedy remedy;

    // Ordered by position, apart from each other.
    private final long[] begins = new long[CAPACITY];
    private final long[] ends = new long[CAPACITY];
    private final long[] dues = new long[CAPACITY];

    private final boolean[] wereAsked = new boolean[CAPACITY];

    private int count;

    /** Position up to which gaps have been looked for. */
    private long searched;

    /**
     * @param log that has the gaps.
     * @param delayNs time for which a gap may be reordering only.
     * @param retryNs time until it is asked for once more.
     * @param backoffNs longest random time by which that is put off, as others may ask for the
     *     same; 0 if none may.
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
     * One turn, if the log has a gap.
     *
     * @return the number of gaps that something was done about.
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

    /** Goes through what is left of a range; the number of gaps in it. */
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

    /** Receivers of a group that miss the same wait apart: the first to ask serves all. */
    private long backoffNs() {
        return backoffNs == 0 ? 0 : ThreadLocalRandom.current().nextLong(backoffNs);
    }
}
