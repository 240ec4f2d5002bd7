// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/** Keeps which receivers a stream has, and how far they let it go. */
interface FlowControl {
    /**
     * Whether what a receiver says is of interest.
     *
     * @param isTagged whether it has a group tag.
     * @param groupTag that it has.
     */
    default boolean heeds(boolean isTagged, long groupTag) {
        return true;
    }

    /** A receiver has consumed up to a position, and takes frames a window past that. */
    void onStatus(long position, int window, long receiverId, long nowNs);

    /** A receiver leaves. */
    void onLeave(long receiverId);

    /**
     * Forgets receivers that have been silent for too long.
     *
     * @return whether there are receivers, as many as there have to be.
     */
    boolean hasReceivers(long nowNs);

    /** Position that counts as consumed; never goes back. */
    long consumed();

    /** Position up to which may be sent. */
    long limit();

    /** Conductor, when the sender has let go of the stream. */
    default void close() {}
}
