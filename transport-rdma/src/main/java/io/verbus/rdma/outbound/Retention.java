// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * Whether the log is kept for a destination: what its transfer tells and asks of that. Where the
 * destination is the only one there is nothing to decide, because its credit alone releases the
 * log. Sender's thread.
 */
interface Retention {
    /** Of a publication with one destination. */
    Retention ONLY_ONE = new Retention() {};

    /** The stream is about to be offered anew: from where the publication is. */
    default void onOffer() {}

    /** The offer has arrived, and with it all that was posted before. */
    default void onDelivered() {}

    /** The log is kept no longer for an offer. */
    default void onOfferOver() {}

    /**
     * The destination has accepted.
     *
     * @param accepted what sends to it from now on.
     * @param hasTag whether it has a tag.
     * @param tag that it has.
     */
    default void onAccept(Transfer accepted, boolean hasTag, long tag) {}

    /**
     * The destination has accepted from a position that the log does not hold any more: its image
     * is ended there, and the log is kept for it when it is offered next.
     */
    default void onStaleAccept(Transfer accepted) {}

    /** The connection is lost: whoever sent to it is gone, but its queue pair may still read. */
    default void onDisconnect() {}

    /**
     * No work request reads the log for it any more.
     *
     * @param isOver whether nothing of it may resume.
     */
    default void onUnread(boolean isOver) {}

    /** Whether the log must not be reused behind what is needed, whatever the strategy. */
    default boolean isKept() {
        return false;
    }

    /** Whether publishers wait for it, because it was accepted far behind the others. */
    default boolean isCatchingUp() {
        return false;
    }

    /** Publishers wait for it no longer. */
    default void onCatchUpOver() {}

    /** Whether it cannot resume, because the log has gone on without it. */
    default boolean isLapsed() {
        return false;
    }

    /** Whether the conductor has removed the destination. */
    default boolean isDropped() {
        return false;
    }
}
