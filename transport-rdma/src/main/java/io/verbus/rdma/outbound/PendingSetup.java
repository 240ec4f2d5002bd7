// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.rdma.common.Setup;

/**
 * How a stream is offered to its peer, and whether the peer's acceptance fits that. Made by the
 * conductor, then the sender's alone.
 */
final class PendingSetup {
    private final LogBuffers log;
    private final Setup offer;
    private final boolean tellsEnd;

    /** Position of the stream when it was offered. */
    private long position;

    /** Position up to which the peer had released the log then. */
    private long released;

    /** The peer has an image that it accepted before. */
    private boolean isResuming;

    /** Work requests after which it has arrived. */
    private long arrivesAt;

    private long sentAtNs;

    /**
     * @param publication to offer.
     * @param creditSlot for the peer.
     */
    PendingSetup(OutboundPublication publication, CreditSlots.Slot creditSlot) {
        log = publication.stream.log();
        tellsEnd = publication.publication().channel().tellsEnd();
        LogSpec spec = log.spec();
        offer =
                new Setup(
                        publication.stream.registrationId(),
                        spec.sessionId(),
                        spec.streamId(),
                        spec.initialTermId(),
                        spec.termLength(),
                        spec.mtu(),
                        0,
                        creditSlot.address(),
                        creditSlot.key().value(),
                        publication.resumeToken(),
                        false,
                        publication.publication().channel().response().isRequest(),
                        publication.branch == null ? 0 : publication.branch.controlId());
    }

    long registrationId() {
        return offer.registrationId();
    }

    /** Whether subscribers are to be told when the publication ends. */
    boolean tellsEnd() {
        return tellsEnd;
    }

    boolean wantsResponses() {
        return offer.wantsResponses();
    }

    int streamId() {
        return offer.streamId();
    }

    /** Whether the peer was asked for the image that it has. */
    boolean isResuming() {
        return isResuming;
    }

    /** Position of the stream when it was offered. */
    long position() {
        return position;
    }

    /** Position up to which the peer had released the log when it was offered. */
    long released() {
        return released;
    }

    /**
     * Offers the stream.
     *
     * @param port to offer it through.
     * @param streamPosition up to which it was sent.
     * @param releasedPosition up to which the peer has released it.
     * @param hasImage whether the peer is asked for the image that it has.
     * @param nowNs of the cycle.
     * @return whether there was room for it.
     */
    boolean send(
            OutboundPort port,
            long streamPosition,
            long releasedPosition,
            boolean hasImage,
            long nowNs) {
        position = streamPosition;
        released = releasedPosition;
        isResuming = hasImage;
        sentAtNs = nowNs;
        arrivesAt = port.sendSetup(offer, streamPosition, hasImage);
        return arrivesAt >= 0;
    }

    /** Whether it has arrived, and with it all that was posted before. */
    boolean hasArrived(OutboundPort port) {
        return port.completed() >= arrivesAt;
    }

    /** Whether the peer has had time enough to answer. */
    boolean isOverdue(OutboundPort port, long nowNs) {
        return nowNs - sentAtNs >= port.answerTimeoutNs();
    }

    /**
     * What is wrong with an acceptance.
     *
     * @param accepted position that the peer says.
     * @param window that the peer says, in bytes.
     * @param isStale whether the log does not hold any more what the peer had not released.
     * @return null, or what cannot be, in words.
     */
    String defect(long accepted, int window, boolean isStale) {
        boolean isAcceptable =
                isStale
                        ? released <= accepted && accepted <= position
                        : ResumePoint.isAcceptable(log, released, position, accepted);
        if (isAcceptable && window <= 2L * offer.termLength()) {
            return null;
        }
        return "stream "
                + offer.streamId()
                + " was offered from position "
                + position
                + (isResuming ? ", released up to " + released + "," : "")
                + " with terms of "
                + offer.termLength()
                + " and accepted from "
                + accepted
                + " with a window of "
                + window;
    }
}
