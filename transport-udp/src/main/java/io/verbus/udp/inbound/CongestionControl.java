// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/**
 * Decides how far a sender may be ahead of the subscribers. The receiver's side decides, since it
 * is the one that sees what is lost. Receiver's thread.
 */
interface CongestionControl {
    /** Bytes that a sender may be ahead now: never more than the static window. */
    int window();

    /** A gap was found to be a loss. */
    void onLoss(long nowNs);

    /**
     * The image has become complete up to a further position.
     *
     * @param bytes by which.
     * @param nowNs monotonic time.
     */
    void onProgress(long bytes, long nowNs);

    /** Whether the round trip time is to be measured. */
    boolean needsRoundTrip();

    /** A round trip was measured. */
    void onRoundTrip(long rttNs);
}
