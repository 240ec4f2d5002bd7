// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * The peer's image of a stream, as one transfer knows it: whether there is one, and whether the
 * stream can go on in it on the next connection. The sender's until it tells that it has let go of
 * the connection; then the conductor reads it.
 */
final class PeerImage {
    private boolean isThere;
    private boolean isGivenUp;
    private boolean isMistrusted;
    private boolean isCutOff;
    private boolean canResume;

    /**
     * @param isThere whether the peer may still have that of a lost connection.
     * @param isGivenUp whether the time to resume has passed.
     */
    PeerImage(boolean isThere, boolean isGivenUp) {
        this.isThere = isThere;
        this.isGivenUp = isGivenUp;
        isCutOff = isThere;
        canResume = isThere;
    }

    /** Whether the peer has one that it has not closed, or may have that of a lost connection. */
    boolean isThere() {
        return isThere;
    }

    /** Whether the peer has to be asked for it even if the stream ends: it goes on in it. */
    boolean isAwaited() {
        return isThere && !isGivenUp;
    }

    /** The peer has accepted the stream. */
    void onAccepted() {
        isThere = true;
        isGivenUp = false;
    }

    /** The peer has closed it, or has none. */
    void onGone() {
        isThere = false;
    }

    /** The time to resume has passed. */
    void giveUp() {
        isGivenUp = true;
    }

    /** The peer says what cannot be of one that it had accepted. */
    void mistrust() {
        isMistrusted = true;
    }

    /**
     * The connection is lost.
     *
     * @param hasEnd whether the peer has the stream's end.
     * @param isOver whether the stream does not go on in it, whatever the peer does.
     */
    void onLost(boolean hasEnd, boolean isOver) {
        isCutOff = isThere && !hasEnd;
        canResume = isCutOff && !isMistrusted && !isOver;
    }

    /** Whether the peer had one when the link was lost, whose end it was not told. */
    boolean isCutOff() {
        return isCutOff;
    }

    /** Whether the peer must not take what comes next for the same stream. */
    boolean isMistrusted() {
        return isMistrusted;
    }

    /** Whether the stream can go on where it was cut off. */
    boolean canResume() {
        return canResume;
    }
}
