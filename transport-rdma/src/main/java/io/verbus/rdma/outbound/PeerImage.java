// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * A transfer's view of the peer's image: whether it exists, and whether the stream can resume in it
 * on the next connection. Used by the sender until it has released the connection, then read by the
 * conductor.
 */
final class PeerImage {
    private boolean isThere;
    private boolean isGivenUp;
    private boolean isMistrusted;
    private boolean isCutOff;
    private boolean canResume;

    /**
     * @param isThere whether the peer may still have the image of a lost connection.
     * @param isGivenUp whether the time to resume has passed.
     */
    PeerImage(boolean isThere, boolean isGivenUp) {
        this.isThere = isThere;
        this.isGivenUp = isGivenUp;
        isCutOff = isThere;
        canResume = isThere;
    }

    /**
     * Returns whether the peer has an open image, or may still have the image of a lost connection.
     */
    boolean isThere() {
        return isThere;
    }

    /** Returns whether to ask the peer to resume the image even if the stream ends. */
    boolean isAwaited() {
        return isThere && !isGivenUp;
    }

    /** Called when the peer has accepted the stream. */
    void onAccepted() {
        isThere = true;
        isGivenUp = false;
    }

    /** Called when the peer has closed the image, or reports that it has none. */
    void onGone() {
        isThere = false;
    }

    /** Gives up the image, because the time to resume has passed. */
    void giveUp() {
        isGivenUp = true;
    }

    /**
     * Stops trusting the peer's image, because the peer's answer is impossible for an image that it
     * had accepted.
     */
    void mistrust() {
        isMistrusted = true;
    }

    /**
     * Handles the loss of the connection.
     *
     * @param hasEnd whether the peer has received the stream's end.
     * @param isOver whether the stream must not resume in any case.
     */
    void onLost(boolean hasEnd, boolean isOver) {
        isCutOff = isThere && !hasEnd;
        canResume = isCutOff && !isMistrusted && !isOver;
    }

    /**
     * Returns whether the peer had an image when the link was lost, and did not receive its end.
     */
    boolean isCutOff() {
        return isCutOff;
    }

    /** Returns whether the peer must reject the next offer of the same stream. */
    boolean isMistrusted() {
        return isMistrusted;
    }

    /** Returns whether the stream can resume where it was cut off. */
    boolean canResume() {
        return canResume;
    }
}
