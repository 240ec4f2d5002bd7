// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/**
 * Detects that the sender to a group has left this receiver behind: two terms later, no driver
 * still has the missing data. A single frame that far ahead proves nothing, because it may be
 * forged. The sender is considered that far ahead if such frames arrive for longer than any sender
 * is silent, without an acceptable frame in between. Used by the receiver's thread only.
 */
final class Distance {
    /** Several heartbeat intervals of a sender. */
    static final long PATIENCE_NS = 500_000_000;

    private static final int TERMS = 2;

    private final long far;
    private boolean isFar;
    private long firstNs;
    private long lastNs;

    /**
     * @param termLength term length in bytes.
     */
    Distance(int termLength) {
        far = (long) TERMS * termLength;
    }

    /** Records an unacceptable frame that starts {@code distance} bytes after the complete part. */
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

    /** Records an acceptable frame. */
    void onNear() {
        isFar = false;
    }

    /** Returns whether the receiver cannot catch up. */
    boolean isTooFar() {
        return isFar && lastNs - firstNs >= PATIENCE_NS;
    }
}
