// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.ImageCounters;
import io.verbus.rdma.common.LogRegistration;
import io.verbus.rdma.common.Setup;
import io.verbus.transport.InboundImage;

/**
 * An image and the connection that writes it. Used by the conductor's thread.
 *
 * <pre>
 *   REGISTERING ──in place──▶ OPEN ──driver closes──▶ CLOSING ──answered, link lost──▶ released
 *    ▲   │                     │
 *    │   ├─────────────────────┼──peer's Close──▶ UNWRITABLE ──driver closes──▶ released
 *    │   └─────────────────────┴──link lost──▶ HELD ──driver closes──▶ released
 *    └──peer's Setup────────────────────────────┘ └──time-out──▶ UNWRITABLE
 * </pre>
 *
 * <p>An image that cannot be registered becomes UNWRITABLE, or HELD if it was held before. An image
 * that the driver closes while it is being registered is released.
 *
 * <p>Its log is registered and deregistered in the background: the driver is notified that an image
 * is released when its log has no registrations left.
 */
final class IncomingImage {
    enum State {
        /**
         * The image's log is being registered: the peer cannot write the image, and waits for the
         * answer.
         */
        REGISTERING,

        /** The peer writes the image. */
        OPEN,

        /** The peer was asked to offer the stream again, and has not done so yet. */
        MOVING,

        /** The peer has offered the stream again, and waits for the image in which to continue. */
        MOVED,

        /** The peer was asked to stop, and has not confirmed it yet. */
        CLOSING,

        /**
         * The link was lost: nothing can write the image, but it resumes when the same peer
         * reconnects.
         */
        HELD,

        /** The peer no longer writes or resumes the image; its subscribers may still read. */
        UNWRITABLE
    }

    /** Image that the peer writes; a different one after a move. */
    final InboundImage image;

    /** Id of the peer's driver; 0 if no peer ever writes the image. */
    final long driverId;

    /** The peer's offer on its last connection. */
    final Setup offer;

    /** Share of the memory for images, passed on when the image resumes. */
    final ImageMemory.Share share;

    private State state;

    /** Counters of the image, passed on when it resumes; null if it was never written. */
    final ImageCounters counters;

    /**
     * Deadline of the peer's answer while the image is moving or closing; end of the hold time
     * while it is held.
     */
    private long deadlineNs;

    /** Reason of the link's loss, while it is held. */
    private String lossReason;

    /**
     * Whether the driver was notified that nothing writes the image, and must name the image in
     * which the stream continues.
     */
    private boolean isBeingMoved;

    /** Whether the driver closed the image during a move, so that the peer was not notified. */
    private boolean isCloseUntold;

    private final CreditGrant grant;

    /** Session of the responses to report to the peer, or null. */
    private Integer responseSession;

    /**
     * Registration of the log in the domain of the peer's connection; null if the peer cannot write
     * it.
     */
    private LogRegistration registration;

    private IncomingImage(
            InboundImage image,
            long driverId,
            Setup offer,
            CreditGrant grant,
            ImageMemory.Share share,
            LogRegistration registration,
            ImageCounters counters,
            State state) {
        this.image = image;
        this.driverId = driverId;
        this.offer = offer;
        this.grant = grant;
        this.share = share;
        this.registration = registration;
        this.counters = counters;
        this.state = state;
        show();
    }

    long deadlineNs() {
        return deadlineNs;
    }

    /** Sets the deadline for the peer's answer. */
    void awaitUntil(long newDeadlineNs) {
        deadlineNs = newDeadlineNs;
    }

    String lossReason() {
        return lossReason;
    }

    /** Holds the image until the deadline for its driver to reconnect. */
    void holdUntil(long newDeadlineNs, String reason) {
        deadlineNs = newDeadlineNs;
        lossReason = reason;
    }

    boolean isBeingMoved() {
        return isBeingMoved;
    }

    /** Marks that the driver was asked in which image the stream continues. */
    void beginMove() {
        isBeingMoved = true;
    }

    boolean isCloseUntold() {
        return isCloseUntold;
    }

    /** Marks that the driver closed the image while the peer was asked for another offer. */
    void closeDuringMove() {
        state(State.CLOSING);
        isCloseUntold = true;
    }

    Integer responseSession() {
        return responseSession;
    }

    /** Sets the session of the responses to report to the peer; null to stop. */
    void awaitResponses(Integer sessionId) {
        responseSession = sessionId;
    }

    /** Creates an image that a peer will write. */
    static IncomingImage registering(
            InboundImage image,
            long driverId,
            Setup offer,
            CreditGrant grant,
            ImageMemory.Share share,
            LogRegistration registration,
            ImageCounters counters) {
        return new IncomingImage(
                image, driverId, offer, grant, share, registration, counters, State.REGISTERING);
    }

    /** Creates a held image that replaces another held image, in which the peer does not resume. */
    static IncomingImage held(InboundImage image, IncomingImage before) {
        IncomingImage held =
                new IncomingImage(
                        image,
                        before.driverId,
                        before.offer,
                        before.grant,
                        before.share,
                        null,
                        before.counters,
                        State.HELD);
        held.holdUntil(before.deadlineNs, before.lossReason);
        held.awaitResponses(before.responseSession);
        return held;
    }

    /** Creates an image that no peer writes; without a share if another image has taken it. */
    static IncomingImage unwritten(InboundImage image, Setup offer, ImageMemory.Share share) {
        return new IncomingImage(image, 0, offer, null, share, null, null, State.UNWRITABLE);
    }

    /** Returns whether the peer has the image, in which case messages about it can be sent. */
    boolean isWritten() {
        return state == State.OPEN || state == State.MOVING || state == State.MOVED;
    }

    /** Returns whether the peer must answer before the deadline. */
    boolean isAnswerAwaited() {
        return state == State.MOVING || state == State.CLOSING;
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
        show();
    }

    private void show() {
        if (counters != null) {
            counters.state.setRelease(
                    switch (state) {
                        case REGISTERING -> ImageCounters.REGISTERING;
                        case OPEN, MOVING, MOVED -> ImageCounters.WRITTEN;
                        case CLOSING -> ImageCounters.CLOSING;
                        case HELD -> ImageCounters.HELD;
                        case UNWRITABLE -> ImageCounters.ENDED;
                    });
        }
    }

    /** Returns the credit granted to the peer; null if the peer was never accepted. */
    CreditGrant grant() {
        return grant;
    }

    /** Deregisters the log from the peer: a write that arrives later fails its connection. */
    void closeLog() {
        if (registration != null) {
            registration.end();
            registration = null;
        }
    }
}
