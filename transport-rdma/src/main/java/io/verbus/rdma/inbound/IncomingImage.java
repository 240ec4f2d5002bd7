// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.ImageCounters;
import io.verbus.rdma.common.LogRegistration;
import io.verbus.rdma.common.Setup;
import io.verbus.transport.InboundImage;

/**
 * An image and the connection that writes it. Conductor's thread.
 *
 * <pre>
 *   REGISTERING ──in place──▶ OPEN ──driver closes──▶ CLOSING ──answered, link lost──▶ released
 *    ▲   │                     │
 *    │   ├─────────────────────┼──peer's Close──▶ UNWRITABLE ──driver closes──▶ released
 *    │   └─────────────────────┴──link lost──▶ HELD ──driver closes──▶ released
 *    └──peer's Setup────────────────────────────┘ └──time-out──▶ UNWRITABLE
 * </pre>
 *
 * <p>One that cannot be registered is UNWRITABLE, or HELD as before; one that the driver closes
 * while it is being registered is released.
 *
 * <p>Its log is registered and deregistered in the background: the driver is told that an image is
 * released when none of its log's registrations is left.
 */
final class IncomingImage {
    enum State {
        /** Its log is being registered: the peer cannot write it, and waits for the answer. */
        REGISTERING,

        /** The peer writes it. */
        OPEN,

        /** The peer was asked to offer the stream anew, and has not done so yet. */
        MOVING,

        /** The peer has offered the stream anew, and waits for the image in which it goes on. */
        MOVED,

        /** The peer was told to stop, and has not said yet that it did. */
        CLOSING,

        /** The link was lost: nothing can write it, but it goes on when the same peer is back. */
        HELD,

        /** The peer writes it no more, nor goes on with it; its subscribers may still read. */
        UNWRITABLE
    }

    /** In which the peer writes; another when the stream was moved. */
    final InboundImage image;

    /** Driver of the peer; 0 if it never was to write. */
    final long driverId;

    /** With which the peer offered the stream, on the last of its connections. */
    final Setup offer;

    /** Of the memory for images: handed on when the image goes on. */
    final ImageMemory.Share share;

    private State state;

    /** Those of the image, handed on when it goes on; null if it never was written. */
    final ImageCounters counters;

    /** When the peer must have answered, while closing; until when it is held. */
    private long deadlineNs;

    /** Why the link was lost, while it is held. */
    private String lossReason;

    /** The driver was told that nothing writes it, and is to say in which image it goes on. */
    private boolean isBeingMoved;

    private final CreditGrant grant;

    /** In which the responses to its messages come, while the peer is to be told; or null. */
    private Integer responseSession;

    /** Of the log, in the domain of the peer's connection; null if the peer cannot write it. */
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

    /** The peer must answer by then. */
    void awaitUntil(long newDeadlineNs) {
        deadlineNs = newDeadlineNs;
    }

    String lossReason() {
        return lossReason;
    }

    /** It is held for its driver to come back. */
    void holdUntil(long newDeadlineNs, String reason) {
        deadlineNs = newDeadlineNs;
        lossReason = reason;
    }

    boolean isBeingMoved() {
        return isBeingMoved;
    }

    /** The driver is told that nothing writes it, and asked in which image it goes on. */
    void beginMove() {
        isBeingMoved = true;
    }

    Integer responseSession() {
        return responseSession;
    }

    /** The peer is to be told in which session the responses come; null: no more. */
    void awaitResponses(Integer sessionId) {
        responseSession = sessionId;
    }

    /** One that a peer will write. */
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

    /** One that is held in the place of another, in which its peer does not go on. */
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

    /** One that no peer writes, or none any more; without a share if another has taken that. */
    static IncomingImage unwritten(InboundImage image, Setup offer, ImageMemory.Share share) {
        return new IncomingImage(image, 0, offer, null, share, null, null, State.UNWRITABLE);
    }

    /** Whether the peer has it, and can be told of it. */
    boolean isWritten() {
        return state == State.OPEN || state == State.MOVING || state == State.MOVED;
    }

    /** Whether the peer must answer within a time. */
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

    /** What the peer was told to be consumed; null if it was never accepted. */
    CreditGrant grant() {
        return grant;
    }

    /** Has the log taken from the peer: a write that arrives after that fails its connection. */
    void closeLog() {
        if (registration != null) {
            registration.end();
            registration = null;
        }
    }
}
