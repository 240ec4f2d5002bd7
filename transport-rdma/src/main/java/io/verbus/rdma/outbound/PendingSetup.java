// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.rdma.common.Setup;

/**
 * Offers a stream to its peer, and checks the peer's acceptance. Created by the conductor, then
 * used only by the sender.
 */
final class PendingSetup {
    private final LogBuffers log;
    private final Setup offer;
    private final boolean tellsEnd;
    private final Retention retention;

    /** Position of the stream at the time of the offer. */
    private long position;

    /** Position up to which the peer had released the log at the time of the offer. */
    private long released;

    /** Number of completed work requests at which the offer has arrived. */
    private long arrivesAt;

    private long sentAtNs;

    /**
     * @param publication publication to offer.
     * @param creditSlot credit slot for the peer.
     * @param retention retention of the log.
     */
    PendingSetup(
            OutboundPublication publication, CreditSlots.Slot creditSlot, Retention retention) {
        this.retention = retention;
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

    /** Returns whether subscribers are notified when the publication ends. */
    boolean tellsEnd() {
        return tellsEnd;
    }

    boolean wantsResponses() {
        return offer.wantsResponses();
    }

    int streamId() {
        return offer.streamId();
    }

    /** Returns the position of the stream at the time of the offer. */
    long position() {
        return position;
    }

    /** Returns the position up to which the peer had released the log at the time of the offer. */
    long released() {
        return released;
    }

    /**
     * Offers the stream.
     *
     * @param port port to send through.
     * @param streamPosition position up to which the stream was sent.
     * @param releasedPosition position up to which the peer has released the stream.
     * @param hasImage whether to ask for the peer's existing image.
     * @param nowNs time of the cycle.
     * @return false if there was no room.
     */
    boolean send(
            OutboundPort port,
            long streamPosition,
            long releasedPosition,
            boolean hasImage,
            long nowNs) {
        position = streamPosition;
        released = releasedPosition;
        sentAtNs = nowNs;
        arrivesAt = port.sendSetup(offer, streamPosition, hasImage);
        return arrivesAt >= 0;
    }

    /**
     * Awaits the answer. The log is kept until the answer arrives, but no longer than the peer may
     * take to answer.
     *
     * @param port port that sent the offer.
     * @param isResuming whether the offer asks for the peer's existing image.
     * @param nowNs time of the cycle.
     */
    void await(OutboundPort port, boolean isResuming, long nowNs) {
        if (port.completed() >= arrivesAt) {
            onArrived(isResuming);
        }
        if (nowNs - sentAtNs >= port.answerTimeoutNs()) {
            retention.onOfferOver();
        }
    }

    /** Handles an answer other than an acceptance. */
    void onAnswer(boolean isResuming) {
        onArrived(isResuming);
        retention.onOfferOver();
    }

    /**
     * Called once the offer has arrived. A stream that resumes still needs the data that the peer
     * has not released.
     */
    private void onArrived(boolean isResuming) {
        if (isResuming) {
            retention.onUnread(false);
        } else {
            retention.onDelivered();
        }
    }

    /**
     * Checks an acceptance.
     *
     * @param accepted position that the peer has accepted.
     * @param window window that the peer has granted, in bytes.
     * @param isResuming whether the offer asked for the peer's existing image.
     * @param isStale whether the log no longer holds everything that the peer had not released.
     * @return a description of the defect, or null if the acceptance is valid.
     */
    String defect(long accepted, int window, boolean isResuming, boolean isStale) {
        boolean isAcceptable =
                isStale
                        ? released <= accepted && accepted <= position
                        : ResumePoint.isAcceptable(log, released, position, accepted);
        if (isAcceptable && window <= 2L * offer.termLength()) {
            return null;
        }
        return "the peer accepted stream "
                + offer.streamId()
                + " from position "
                + accepted
                + " with a window of "
                + window
                + " bytes, but the stream was offered from position "
                + position
                + (isResuming ? ", released up to " + released + "," : "")
                + " with terms of "
                + offer.termLength()
                + " bytes";
    }
}
