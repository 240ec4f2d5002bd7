// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

/**
 * Counts the errors in a stream of sequence numbers 0, 1, … count-1: those that never arrive,
 * arrive after a later one, arrive twice, or are out of range. Used by one thread; allocates
 * nothing after construction.
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
     * @param count number of messages in the stream.
     */
    SequenceVerifier(int count) {
        this.count = count;
        seen = new long[(count + Long.SIZE - 1) / Long.SIZE];
    }

    /** Records the sequence number of an intact message. */
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

    /** Records a damaged message, whose sequence number cannot be trusted. */
    void onCorrupt() {
        corrupt++;
    }

    /** Returns the number of messages that arrived intact, each counted once. */
    long verified() {
        return distinct;
    }

    /** Returns the number of messages that did not arrive intact. */
    long lost() {
        return count - distinct;
    }

    /** Returns the number of messages that arrived after one with a higher number. */
    long reordered() {
        return reordered;
    }

    /** Returns the number of repeated arrivals. */
    long duplicated() {
        return duplicated;
    }

    /** Returns the number of arrivals that are not a message of the stream. */
    long corrupt() {
        return corrupt;
    }
}
