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

    /** Position of the stream at the time of the offer. */
    private long position;

    /** Position up to which the peer had released the log at that time. */
    private long released;

    /** Whether the offer asks for an image that the peer accepted before. */
    private boolean isResuming;

    /** Number of completed work requests at which the offer has arrived. */
    private long arrivesAt;

    private long sentAtNs;

    /**
     * @param publication publication to offer.
     * @param creditSlot credit slot for the peer.
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

    /** Returns whether the offer asks for the peer's existing image. */
    boolean isResuming() {
        return isResuming;
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
     * @param releasedPosition position up to which the peer has released it.
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
        isResuming = hasImage;
        sentAtNs = nowNs;
        arrivesAt = port.sendSetup(offer, streamPosition, hasImage);
        return arrivesAt >= 0;
    }

    /** Returns whether the offer, and everything posted earlier, has arrived. */
    boolean hasArrived(OutboundPort port) {
        return port.completed() >= arrivesAt;
    }

    /** Returns whether the peer's time to answer has passed. */
    boolean isOverdue(OutboundPort port, long nowNs) {
        return nowNs - sentAtNs >= port.answerTimeoutNs();
    }

    /**
     * Checks an acceptance.
     *
     * @param accepted position in the acceptance.
     * @param window window in the acceptance, in bytes.
     * @param isStale whether the log no longer holds everything that the peer had not released.
     * @return description of the defect, or null if the acceptance is valid.
     */
    String defect(long accepted, int window, boolean isStale) {
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
