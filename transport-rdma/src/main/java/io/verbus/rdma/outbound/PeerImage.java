// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * A transfer's view of the peer's image: whether it exists, and whether the stream can resume in it
 * on the next connection.
 */
enum PeerImage {
    /** The peer has no image: none yet, or it was closed. */
    NONE,

    /** The peer may still have the image of a lost connection, in which the stream can resume. */
    HELD,

    /** As {@link #HELD}, but the time to resume has passed. */
    GIVEN_UP,

    /** The peer has accepted the stream on this connection. */
    OPEN,

    /** The peer wants the stream in another log, and has not answered the offer for it yet. */
    MOVING,

    /** The peer may have the image, but the stream never resumes in it. */
    ABANDONED,

    /** There is no image, but the peer must first reject another offer of the same stream. */
    MISTRUSTED;

    /**
     * Returns whether the peer has an open image, or may still have the image of a lost connection.
     */
    boolean isThere() {
        return this != NONE && this != MISTRUSTED;
    }

    /** Returns whether to ask the peer to resume the image even though the stream is ending. */
    boolean isAwaited() {
        return this == HELD || this == MOVING;
    }

    /**
     * Returns whether the stream can resume on the next connection. Meaningful after the connection
     * was lost.
     */
    boolean canResume() {
        return this == HELD || this == GIVEN_UP;
    }

    /**
     * Returns the state of the image after an answer from the peer that is impossible in the
     * current state.
     */
    PeerImage mistrusted() {
        return isThere() ? ABANDONED : MISTRUSTED;
    }

    /**
     * Returns the state of the image after the loss of the connection.
     *
     * @param hasEnd whether the peer has received the stream's end.
     * @param isOver whether the stream must not resume in any case.
     */
    PeerImage lost(boolean hasEnd, boolean isOver) {
        if (!isThere()) {
            return this;
        }
        if (hasEnd) {
            return NONE;
        }
        return isOver ? ABANDONED : this == OPEN || this == MOVING ? HELD : this;
    }
}
