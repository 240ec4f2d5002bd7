// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/**
 * Decides how far a sender may be ahead of the subscribers. The receiver decides this, because it
 * detects losses. Used by the receiver's thread only.
 */
interface CongestionControl {
    /**
     * Returns the number of bytes by which the sender may be ahead now, at most the static window.
     */
    int window();

    /** Records a loss. */
    void onLoss(long nowNs);

    /**
     * Records progress of the position up to which the image is complete.
     *
     * @param bytes number of bytes.
     * @param nowNs monotonic time.
     */
    void onProgress(long bytes, long nowNs);

    /** Returns whether to measure the round-trip time. */
    boolean needsRoundTrip();

    /** Records a round-trip time. */
    void onRoundTrip(long rttNs);
}
