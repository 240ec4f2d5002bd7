// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * State of a stream on one connection, with every transition between the states. The table in
 * {@code docs/protocol/states.md} and the model {@code outbound-stream.pml} have the same rows; a
 * test compares them.
 */
enum StreamState {
    /** The stream is to be offered. */
    OFFER_DUE,

    /** {@code Setup} was sent. */
    OFFERED,

    /** The peer has no subscription for the stream yet. */
    DEFERRED,

    /** The peer has refused the stream, which is offered again later. */
    REFUSED,

    /** The peer has an image, to which this side writes. */
    ACTIVE,

    /**
     * The peer has closed the image and waits for {@code Setup}, or for {@code Close} if the stream
     * ends.
     */
    ANSWER_DUE,

    /** The destination was dropped: its image ends at the sent position. */
    LEAVING,

    /** The publication's log is corrupt, so the image ends unfinished. */
    BROKEN,

    /** The peer has closed an image that was about to end, and waits for {@code Close}. */
    CLOSE_DUE,

    /**
     * {@code Close} was sent. The message is not known to have arrived, and the peer has not
     * answered.
     */
    CLOSED,

    /**
     * The peer no longer writes to the credit slot; what was sent last is not known to have
     * arrived.
     */
    ANSWERED,

    /** {@code Close} has arrived, so nothing reads the log; the peer has not answered. */
    DELIVERED,

    /** The stream or the connection has ended. */
    GONE;

    /** Event of a stream on one connection: a message from the peer, or a step of this side. */
    enum Event {
        SETUP,
        SKIP,
        ACCEPT,
        STALE_ACCEPT,
        DEFER,
        WANTED,
        REJECT,
        NO_IMAGE,
        RETRY,
        AGAIN,
        DROP,
        CORRUPT,
        CLOSE,
        IMAGE_CLOSED,
        ARRIVED,
        DISCONNECT
    }

    static {
        on(Event.SETUP, OFFERED, OFFER_DUE, ANSWER_DUE);
        on(Event.SKIP, ANSWERED, OFFER_DUE, REFUSED);
        on(Event.ACCEPT, ACTIVE, OFFERED, DEFERRED);
        on(Event.STALE_ACCEPT, LEAVING, OFFERED, DEFERRED);
        on(Event.DEFER, DEFERRED, OFFERED);
        on(Event.WANTED, OFFER_DUE, DEFERRED);
        on(Event.REJECT, REFUSED, OFFERED, DEFERRED);
        on(Event.NO_IMAGE, OFFER_DUE, OFFERED, DEFERRED);
        on(Event.RETRY, OFFER_DUE, REFUSED);
        on(Event.AGAIN, OFFER_DUE, ACTIVE);
        on(Event.AGAIN, LEAVING, LEAVING);
        on(Event.DROP, LEAVING, ACTIVE);
        on(Event.CORRUPT, BROKEN, ACTIVE);
        on(Event.CLOSE, CLOSED, OFFERED, DEFERRED, ACTIVE, LEAVING, BROKEN);
        on(Event.CLOSE, ANSWERED, ANSWER_DUE, CLOSE_DUE);
        on(Event.IMAGE_CLOSED, ANSWER_DUE, ACTIVE);
        on(Event.IMAGE_CLOSED, CLOSE_DUE, LEAVING, BROKEN);
        on(Event.IMAGE_CLOSED, ANSWERED, CLOSED);
        on(Event.IMAGE_CLOSED, GONE, DELIVERED);
        on(Event.ARRIVED, DELIVERED, CLOSED);
        on(Event.ARRIVED, GONE, ANSWERED);
        on(Event.DISCONNECT, GONE, values());
    }

    private final StreamState[] next = new StreamState[Event.values().length];

    private static void on(Event event, StreamState to, StreamState... from) {
        for (StreamState state : from) {
            state.next[event.ordinal()] = to;
        }
    }

    /** Returns whether the table has a row for an event in this state. */
    boolean allows(Event event) {
        return next[event.ordinal()] != null;
    }

    /**
     * Returns the state after an event.
     *
     * @throws IllegalStateException if the table has no row for the event.
     */
    StreamState after(Event event) {
        StreamState to = next[event.ordinal()];
        if (to == null) {
            throw new IllegalStateException(
                    "a stream that is "
                            + this
                            + " has no transition on "
                            + event
                            + ": report this bug of the driver");
        }
        return to;
    }

    /** Returns whether the peer has an image that this side has not ended. */
    boolean isActive() {
        return this == ACTIVE || this == LEAVING;
    }

    /**
     * Returns whether this side has ended the stream. A message without a transition then must have
     * crossed the end of the stream.
     */
    boolean isOver() {
        return compareTo(BROKEN) >= 0;
    }

    /** Returns whether nothing reads the log, and the conductor may release the stream. */
    boolean isFinished() {
        return compareTo(DELIVERED) >= 0;
    }

    /**
     * Returns whether the peer has received the end of the stream.
     *
     * @param isArrived whether everything that was posted up to the end has completed.
     */
    boolean hasEnd(boolean isArrived) {
        return isFinished() || isArrived && (this == CLOSED || this == ANSWERED);
    }
}
