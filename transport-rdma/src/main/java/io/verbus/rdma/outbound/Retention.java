// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * Decides, based on the events of a destination's transfer, whether the log is kept for the
 * destination. A publication with a single destination needs no decision, because that
 * destination's credit alone releases the log. Used by the sender's thread.
 */
interface Retention {
    /** Retention of a publication with one destination. */
    Retention ONLY_ONE = new Retention() {};

    /** Called when the receiver has closed the image, because its last subscription has closed. */
    default void onUnsubscribed() {}

    /**
     * Returns the maximum number of bytes to send in one batch. A longer frame is sent
     * nevertheless.
     */
    default int maxBatch() {
        return Integer.MAX_VALUE;
    }

    /** Called when the stream is about to be offered from the publication's current position. */
    default void onOffer() {}

    /** Called when the offer, and everything posted before it, has arrived. */
    default void onDelivered() {}

    /** Called when the log no longer needs to be kept for an offer. */
    default void onOfferOver() {}

    /**
     * Called when the destination has accepted.
     *
     * @param accepted transfer to the destination.
     * @param hasTag whether the destination has a tag.
     * @param tag tag of the destination.
     */
    default void onAccept(Transfer accepted, boolean hasTag, long tag) {}

    /**
     * Called when the destination has accepted a position that the log no longer holds. The image
     * ends there, and the log is kept for the next offer.
     */
    default void onStaleAccept(Transfer accepted) {}

    /**
     * Called when the connection is lost. The transfer has ended, but the queue pair may still read
     * the log.
     */
    default void onDisconnect() {}

    /**
     * Called when work requests have stopped reading the log for the destination.
     *
     * @param isOver whether the transfer has ended and cannot resume.
     */
    default void onUnread(boolean isOver) {}

    /**
     * Returns whether the log must be kept from the needed position onwards, regardless of the
     * strategy.
     */
    default boolean isKept() {
        return false;
    }

    /**
     * Returns whether publishers wait for the destination, because it was accepted far behind the
     * others.
     */
    default boolean isCatchingUp() {
        return false;
    }

    /** Called when publishers no longer wait for the destination. */
    default void onCatchUpOver() {}

    /** Returns whether the destination cannot resume, because the log has been reused. */
    default boolean isLapsed() {
        return false;
    }

    /** Returns whether the conductor has removed the destination. */
    default boolean isDropped() {
        return false;
    }
}
