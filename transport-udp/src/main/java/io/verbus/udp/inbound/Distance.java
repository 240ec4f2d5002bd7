// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/**
 * Whether the sender to a group has left this receiver behind: two terms later no host has what it
 * misses. A frame that is so far ahead proves nothing, for strangers can send one. Where the sender
 * is that far, frames of its are for longer than it is ever silent, and none that can be taken
 * between them. Receiver's thread.
 */
final class Distance {
    /** Several heartbeats of a sender. */
    static final long PATIENCE_NS = 500_000_000;

    private static final int TERMS = 2;

    private final long far;
    private boolean isFar;
    private long firstNs;
    private long lastNs;

    /**
     * @param termLength bytes of a term.
     */
    Distance(int termLength) {
        far = (long) TERMS * termLength;
    }

    /** A frame has come that cannot be taken, so many bytes past what is complete. */
    void onBeyond(long distance, long nowNs) {
        if (distance <= far) {
            return;
        }
        if (!isFar) {
            isFar = true;
            firstNs = nowNs;
        }
        lastNs = nowNs;
    }

    /** A frame has come that can be taken. */
    void onNear() {
        isFar = false;
    }

    /** Whether there is nothing to be hoped for. */
    boolean isTooFar() {
        return isFar && lastNs - firstNs >= PATIENCE_NS;
    }
}
