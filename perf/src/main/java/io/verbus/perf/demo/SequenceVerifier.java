// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

/**
 * Counts what is wrong with a stream of sequence numbers 0, 1, … count-1: those that never arrive,
 * arrive after a later one, arrive twice, or are none of them. One thread; allocates nothing after
 * construction.
 */
final class SequenceVerifier {
    private final long count;
    private final long[] seen;

    private long next;
    private long distinct;
    private long reordered;
    private long duplicated;
    private long corrupt;

    /**
     * @param count of the messages in the stream.
     */
    SequenceVerifier(int count) {
        this.count = count;
        seen = new long[(count + Long.SIZE - 1) / Long.SIZE];
    }

    /** A message arrived whole. */
    void onSequence(long sequence) {
        if (sequence < 0 || sequence >= count) {
            corrupt++;
            return;
        }
        int word = (int) (sequence >>> 6);
        long bit = 1L << sequence;
        if ((seen[word] & bit) != 0) {
            duplicated++;
            return;
        }
        seen[word] |= bit;
        distinct++;
        if (sequence < next) {
            reordered++;
        } else {
            next = sequence + 1;
        }
    }

    /** A message arrived damaged: its sequence number cannot be trusted. */
    void onCorrupt() {
        corrupt++;
    }

    /** Messages that arrived whole, each counted once. */
    long verified() {
        return distinct;
    }

    /** Messages that have not arrived whole. */
    long lost() {
        return count - distinct;
    }

    /** Messages that arrived after one with a greater number. */
    long reordered() {
        return reordered;
    }

    /** Arrivals of messages that had arrived before. */
    long duplicated() {
        return duplicated;
    }

    /** Arrivals that are no message of the stream. */
    long corrupt() {
        return corrupt;
    }
}
