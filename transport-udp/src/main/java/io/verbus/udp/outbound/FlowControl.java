// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/** Tracks the receivers of a stream, and how far they allow it to send. */
interface FlowControl {
    /**
     * Returns whether feedback from a receiver counts.
     *
     * @param isTagged whether the receiver has a group tag.
     * @param groupTag group tag of the receiver.
     */
    default boolean heeds(boolean isTagged, long groupTag) {
        return true;
    }

    /** Records that a receiver has consumed up to a position and accepts a window beyond it. */
    void onStatus(long position, int window, long receiverId, long nowNs);

    /** Removes a receiver. */
    void onLeave(long receiverId);

    /**
     * Drops receivers that have been silent for too long.
     *
     * @return whether there are enough receivers to be connected.
     */
    boolean hasReceivers(long nowNs);

    /** Returns the position that counts as consumed; never decreases. */
    long consumed();

    /** Returns the position up to which to send. */
    long limit();

    /** Frees the counters. Called by the conductor, after the sender has removed the stream. */
    default void close() {}
}
