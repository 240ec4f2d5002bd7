// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.common.Backoff;
import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.RoundRobin;
import io.verbus.transport.StreamHops;

import java.util.concurrent.TimeUnit;

/**
 * One stream on one connection, from its offer to its end: decides which messages to send to the
 * peer, and when. Created by the conductor, then used only by the sender.
 *
 * <p>A stream that was cut off when an earlier connection was lost resumes: the peer accepts it at
 * the frontier of its image, and sending continues from there. The log holds everything from there
 * on, because the frontier is not before the position that the peer has released.
 *
 * <pre>
 *   OFFER_DUE ─Setup─▶ OFFERED ─Defer─▶ DEFERRED ─Accept─▶ ACTIVE ─final position─▶ CLOSE_DUE
 *       ▲                │ └──────────Accept───────────────▲ │                          │Close
 *       │                └─Reject─▶ REFUSED                  │                          ▼
 *       └───────────────────────────┴───ImageClosed, Again───┘     GONE ◀ImageClosed─ CLOSED
 * </pre>
 *
 * <p>After Again the peer still has an image, and the stream resumes as after a lost connection.
 */
final class Transfer extends RoundRobin.Taker {
    private static final long FIRST_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LAST_RETRY_NS = TimeUnit.SECONDS.toNanos(10);

    enum State {
        OFFER_DUE,
        OFFERED,
        DEFERRED,
        REFUSED,
        ACTIVE,
        CLOSE_DUE,
        CLOSED,
        GONE
    }

    private final OutboundStream stream;
    private final Retention retention;
    private final CreditSlots.Slot creditSlot;
    private final PeerImage image;
    private final PendingSetup offer;
    private final Replication replication;
    private final Ending ending;

    /** Sampler of the stream's hops; null if they are not sampled. */
    private final StreamHops hops;

    private final Backoff backoff = new Backoff(FIRST_RETRY_NS, LAST_RETRY_NS);

    private State state = State.OFFER_DUE;

    private boolean isEnding;
    private boolean isBroken;

    /**
     * Whether the transfer ends before the stream does, so that the destination is offered the
     * stream again.
     */
    private boolean isLeft;

    /** Whether the peer wants the stream in another log, and has not answered that offer yet. */
    private boolean isMoving;

    private boolean isRetrying;
    private boolean isCatchUpTimed;
    private long catchUpSinceNs;
    private long retryAtNs;

    /**
     * @param publication publication to send; its log is registered.
     * @param creditSlot credit slot for the peer.
     * @param placement probe that confirms writes; null if their order is trusted.
     * @param hops sampler of the stream's hops; null if they are not sampled.
     */
    Transfer(
            OutboundPublication publication,
            CreditSlots.Slot creditSlot,
            PlacementProbe placement,
            StreamHops hops) {
        this.stream = publication.stream;
        this.retention = publication.branch == null ? Retention.ONLY_ONE : publication.branch;
        this.creditSlot = creditSlot;
        this.hops = hops;
        Transfer cutOff = publication.cutOff();
        image = new PeerImage(cutOff != null, publication.isGivenUp());
        offer = new PendingSetup(publication, creditSlot);
        ending = new Ending(this, retention);
        isEnding = publication.isClosing();
        LocalKey logKey = publication.log().localKey();
        long consumed = cutOff == null ? 0 : cutOff.replication.consumed();
        replication =
                placement == null
                        ? new Replication(stream, logKey, creditSlot.buffer(), consumed, hops)
                        : new ConfirmedReplication(
                                stream, logKey, creditSlot.buffer(), consumed, hops, placement);
    }

    OutboundStream stream() {
        return stream;
    }

    CreditSlots.Slot creditSlot() {
        return creditSlot;
    }

    long registrationId() {
        return offer.registrationId();
    }

    State state() {
        return state;
    }

    /** Returns whether credit is awaited, for unsent frames or for a back-pressured publisher. */
    @Override
    protected boolean isWaiting() {
        return state == State.ACTIVE
                && (replication.isWaiting() || hops != null && hops.isWaiting());
    }

    // Requests of the conductor

    /** Requests the end of the stream. */
    void end() {
        isEnding = true;
    }

    /**
     * Drops this destination: its image ends at the sent position, and the publication continues.
     *
     * @return false if it was dropped before, or is not active.
     */
    boolean leave() {
        if (state != State.ACTIVE || isLeft) {
            return false;
        }
        isLeft = true;
        return true;
    }

    /**
     * Gives up a stream that is not accepted again in time: its publishers are no longer connected.
     */
    void giveUp() {
        if (state != State.ACTIVE) {
            image.giveUp();
            stream.onConnected(false);
        }
    }

    /**
     * Handles the loss of the connection. A stream that can resume stays connected to its
     * publishers.
     */
    void disconnect(long completed) {
        boolean hasEnd =
                state == State.GONE || state == State.CLOSED && ending.isDelivered(completed);
        boolean isOver = isBroken || isLeft || retention.isDropped() || retention.isLapsed();
        image.onLost(hasEnd, isOver);
        if (hops != null) {
            hops.reset();
        }
        retention.onDisconnect();
        if (!image.canResume()) {
            stream.onConnected(false);
        }
        state = State.GONE;
    }

    /** Returns the peer's image as it was when the connection was lost. */
    PeerImage image() {
        return image;
    }

    /** Returns whether the transfer ended before the stream did. */
    boolean isLeft() {
        return isLeft;
    }

    // The duty cycle

    /**
     * Runs one turn of the duty cycle.
     *
     * @param port port to send through.
     * @param nowNs time of the cycle.
     * @return the work count.
     */
    int work(OutboundPort port, long nowNs) {
        if (hops != null) {
            hops.onTurn(nowNs);
            hops.onAnswered(port.completed());
        }
        return switch (state) {
            case ACTIVE -> {
                if (retention.isCatchingUp()) {
                    awaitCatchUp(port, nowNs);
                }
                yield transfer(port);
            }
            case OFFER_DUE -> isEndDue() ? finishUnsent(port) : offer(port, nowNs);
            case OFFERED -> {
                if (retention.isKept()) {
                    awaitAnswer(port, nowNs);
                }
                yield isEndDue() ? close(port) : 0;
            }
            case DEFERRED -> isEndDue() ? close(port) : 0;
            case REFUSED -> isEndDue() ? finishUnsent(port) : retry(nowNs);
            case CLOSE_DUE -> close(port);
            case CLOSED -> awaitEnd(port);
            case GONE -> 0;
        };
    }

    /** Returns whether to end without first asking the peer to resume its image. */
    private boolean isEndDue() {
        boolean isAsked = image.isAwaited() && (isMoving || !retention.isDropped());
        return isEnding && !isAsked;
    }

    private int offer(OutboundPort port, long nowNs) {
        boolean hasImage = image.isThere();
        if (hasImage && retention.isLapsed()) {
            isLeft = true;
            return finishUnsent(port);
        }
        if (!hasImage) {
            retention.onOffer();
        }
        long position = stream.senderPosition();
        long released = hasImage ? replication.consumed() : position;
        replication.awaitFrom(released);
        if (!offer.send(port, position, released, hasImage, nowNs)) {
            return 0;
        }
        state = State.OFFERED;
        return 1;
    }

    private void awaitAnswer(OutboundPort port, long nowNs) {
        if (offer.hasArrived(port)) {
            onOfferArrived();
        }
        if (offer.isOverdue(port, nowNs)) {
            retention.onOfferOver();
        }
    }

    /**
     * Handles the arrival of the offer. Data that the peer has not released is still needed if the
     * stream resumes.
     */
    private void onOfferArrived() {
        if (offer.isResuming()) {
            retention.onUnread(false);
        } else {
            retention.onDelivered();
        }
    }

    private void awaitCatchUp(OutboundPort port, long nowNs) {
        if (!isCatchUpTimed) {
            isCatchUpTimed = true;
            catchUpSinceNs = nowNs;
        } else if (nowNs - catchUpSinceNs >= port.answerTimeoutNs()) {
            retention.onCatchUpOver();
        }
    }

    private int retry(long nowNs) {
        if (!isRetrying) {
            isRetrying = true;
            retryAtNs = nowNs + backoff.next();
        } else if (nowNs - retryAtNs >= 0) {
            isRetrying = false;
            state = State.OFFER_DUE;
        }
        return 0;
    }

    private int transfer(OutboundPort port) {
        if (isLeft) {
            return close(port);
        }
        if (!replication.takeCredit(port)) {
            return 0;
        }
        if (isEnding && (stream.isRevoked() || stream.senderPosition() >= stream.finalPosition())) {
            return close(port);
        }
        try {
            return replication.send(port);
        } catch (InvalidFrameException e) {
            onBroken(port, e);
            return 1;
        }
    }

    private void onBroken(OutboundPort port, InvalidFrameException defect) {
        isBroken = true;
        state = State.CLOSE_DUE;
        stream.onConnected(false);
        port.tell(
                new SenderEvent.Broken(
                        port.link(),
                        this,
                        "the publication log "
                                + stream.log().file()
                                + " is damaged: "
                                + defect.getMessage()
                                + "; close the publication and add it again"));
    }

    /** Sends the end of the stream to the peer. */
    private int close(OutboundPort port) {
        boolean complete = state == State.ACTIVE;
        if (!replication.settle(port)) {
            return 0;
        }
        if (!ending.tellPeer(port, closePosition(), complete ? streamEnd() : StreamEnd.UNWRITTEN)) {
            return 0;
        }
        state = State.CLOSED;
        if (complete) {
            stream.onConnected(false);
        }
        return 1;
    }

    private StreamEnd streamEnd() {
        if (stream.isRevoked()) {
            return StreamEnd.REVOKED;
        }
        return isLeft || isBroken || offer.tellsEnd() ? StreamEnd.PLACED : StreamEnd.UNTOLD;
    }

    private long closePosition() {
        return isBroken
                        || isLeft
                        || stream.isRevoked()
                        || stream.finalPosition() == LogLayout.NOT_ENDED
                ? stream.senderPosition()
                : stream.finalPosition();
    }

    /** Ends a stream that the peer does not know: only earlier work requests must complete. */
    private int finishUnsent(OutboundPort port) {
        if (!ending.passOver(port)) {
            return 0;
        }
        image.onGone();
        state = State.CLOSED;
        return 1;
    }

    private int awaitEnd(OutboundPort port) {
        int work = ending.work(port);
        if (ending.isOver()) {
            state = State.GONE;
        }
        return work;
    }

    // Messages of the peer

    void onAccept(
            OutboundPort port,
            long logAddress,
            int logKey,
            long position,
            int window,
            boolean isTagged,
            long groupTag) {
        if (!isDue(port, "Accept", isOffered())) {
            return;
        }
        boolean isStale = offer.released() < stream.releasedPosition();
        String defect = offer.defect(position, window, isStale);
        if (defect != null) {
            image.mistrust();
            port.violated(defect);
            return;
        }
        boolean isResumed = image.isThere();
        boolean isOnlyMoved = isMoving;
        isMoving = false;
        replication.begin(port, logAddress, new RemoteKey(logKey), window, retention.maxBatch());
        backoff.reset();
        state = State.ACTIVE;
        image.onAccepted();
        if (isResumed || isStale) {
            stream.senderPosition(position);
        }
        if (isStale) {
            isLeft = true;
            retention.onStaleAccept(this);
            return;
        }
        isCatchUpTimed = false;
        retention.onAccept(this, isTagged, groupTag);
        stream.onReleased(replication.consumed(), window);
        stream.onConnected(true);
        port.tell(new SenderEvent.Accepted(port.link(), this, isResumed && !isOnlyMoved));
    }

    /**
     * Called when the stream has no subscription yet; the peer may name the streams that have one.
     */
    void onDefer(OutboundPort port, String streams) {
        if (isDue(port, "Defer", state == State.OFFERED)) {
            state = State.DEFERRED;
            onAnswer();
            if (streams != null) {
                port.tell(new SenderEvent.Deferred(port.link(), this, streams));
            }
        }
    }

    /** Called when a deferred stream now has a subscription. */
    void onWanted(OutboundPort port) {
        if (isDue(port, "Wanted", state == State.DEFERRED)) {
            state = State.OFFER_DUE;
        }
    }

    /** Called when the peer wants the stream in another log. */
    void onAgain(OutboundPort port) {
        if (isDue(port, "Again", state == State.ACTIVE)) {
            isMoving = true;
            state = State.OFFER_DUE;
        }
    }

    void onReject(OutboundPort port, RejectCode code, String text) {
        if (code == RejectCode.IMAGE_REJECTED) {
            if (isDue(port, "Reject of an image", state == State.ACTIVE || isMoving)) {
                port.tell(new SenderEvent.ImageRejected(port.link(), this, text));
            }
            return;
        }
        if (!isDue(port, "Reject", isOffered())) {
            return;
        }
        onAnswer();
        boolean isOnlyMoved = isMoving && code == RejectCode.NO_IMAGE;
        isMoving = false;
        // After any other answer the peer may still have the image, so the stream must resume
        // there.
        if (image.isThere() && code == RejectCode.NO_IMAGE) {
            image.onGone();
            stream.onConnected(false);
            if (!isOnlyMoved) {
                port.tell(new SenderEvent.NotResumed(port.link(), this, offer.position()));
            }
            state = State.OFFER_DUE;
        } else {
            state = State.REFUSED;
            port.tell(new SenderEvent.Refused(port.link(), this, code, text));
        }
    }

    private void onAnswer() {
        onOfferArrived();
        retention.onOfferOver();
    }

    void onImageClosed(OutboundPort port) {
        image.onGone();
        replication.forgetLog();
        switch (state) {
            case ACTIVE -> {
                boolean isOver = isEnding || isLeft;
                if (isOver) {
                    // Both answers tell the peer that nothing writes to its log.
                    ending.onForgotten();
                }
                state = isOver ? State.CLOSE_DUE : State.OFFER_DUE;
                stream.onConnected(false);
                if (!isOver) {
                    retention.onUnsubscribed();
                }
            }
            case CLOSE_DUE, CLOSED -> ending.onForgotten();
            case OFFER_DUE, OFFERED, DEFERRED, REFUSED, GONE -> violated(port, "ImageClosed");
        }
    }

    void onResponseSession(OutboundPort port, int sessionId) {
        if (!offer.wantsResponses()) {
            violated(port, "ResponseSession");
        } else if (isDue(port, "ResponseSession", state == State.ACTIVE)) {
            port.tell(new SenderEvent.ResponseSession(port.link(), this, sessionId));
        }
    }

    private boolean isOffered() {
        return state == State.OFFERED || state == State.DEFERRED;
    }

    /** Returns whether to handle a message. Messages that crossed this side's Close are ignored. */
    private boolean isDue(OutboundPort port, String message, boolean isExpected) {
        boolean isOver = state == State.CLOSE_DUE || state == State.CLOSED || state == State.GONE;
        if (!isExpected && !isOver) {
            violated(port, message);
        }
        return isExpected;
    }

    private void violated(OutboundPort port, String message) {
        port.violated(
                "unexpected "
                        + message
                        + " for stream "
                        + offer.streamId()
                        + ", which is "
                        + state);
    }
}
