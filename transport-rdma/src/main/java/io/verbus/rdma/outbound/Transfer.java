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

import java.util.concurrent.TimeUnit;

/**
 * One stream on one connection, from its offer to its end: what is said to the peer, and when. Made
 * by the conductor, then the sender's alone.
 *
 * <p>A stream that was cut off when an earlier connection was lost resumes: the peer accepts it at
 * the frontier of its image, and it goes on from there. The log holds everything from there on,
 * because the frontier is not less than what the peer has released.
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
    private final Backoff backoff = new Backoff(FIRST_RETRY_NS, LAST_RETRY_NS);

    private State state = State.OFFER_DUE;

    private boolean isEnding;
    private boolean isBroken;

    /** It ends here, before the stream does: the destination is offered the stream anew. */
    private boolean isLeft;

    /** The peer wants the stream in another log, and has not answered the offer for that. */
    private boolean isMoving;

    private boolean isRetrying;
    private boolean isCatchUpTimed;
    private long catchUpSinceNs;
    private long retryAtNs;

    /**
     * @param publication to send, its log registered.
     * @param creditSlot for the peer.
     * @param placement of what is written through the connection; null where its order is trusted.
     */
    Transfer(
            OutboundPublication publication,
            CreditSlots.Slot creditSlot,
            PlacementProbe placement) {
        this.stream = publication.stream;
        this.retention = publication.branch == null ? Retention.ONLY_ONE : publication.branch;
        this.creditSlot = creditSlot;
        Transfer cutOff = publication.cutOff();
        image = new PeerImage(cutOff != null, publication.isGivenUp());
        offer = new PendingSetup(publication, creditSlot);
        ending = new Ending(this, retention);
        isEnding = publication.isClosing();
        LocalKey logKey = publication.log().localKey();
        long consumed = cutOff == null ? 0 : cutOff.replication.consumed();
        replication =
                placement == null
                        ? new Replication(stream, logKey, creditSlot.buffer(), consumed)
                        : new ConfirmedReplication(
                                stream, logKey, creditSlot.buffer(), consumed, placement);
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

    /**
     * Whether credit is awaited: for frames that are there, or for a publisher that is held back.
     */
    @Override
    protected boolean isWaiting() {
        return state == State.ACTIVE && replication.isWaiting();
    }

    // What the conductor asks

    /** The conductor has asked for the end of the stream. */
    void end() {
        isEnding = true;
    }

    /**
     * The publication goes on without this destination, whose image ends behind what was sent.
     *
     * @return whether that is news.
     */
    boolean leave() {
        if (state != State.ACTIVE || isLeft) {
            return false;
        }
        isLeft = true;
        return true;
    }

    /**
     * The stream is not accepted again in time: its publishers are told that no subscriber
     * receives.
     */
    void giveUp() {
        if (state != State.ACTIVE) {
            image.giveUp();
            stream.onConnected(false);
        }
    }

    /** The connection is lost. A stream that can resume stays connected to its publishers. */
    void disconnect(long completed) {
        boolean hasEnd =
                state == State.GONE || state == State.CLOSED && ending.isDelivered(completed);
        boolean isOver = isBroken || isLeft || retention.isDropped() || retention.isLapsed();
        image.onLost(hasEnd, isOver);
        retention.onDisconnect();
        if (!image.canResume()) {
            stream.onConnected(false);
        }
        state = State.GONE;
    }

    /** The peer's image, as it was when the connection was lost. */
    PeerImage image() {
        return image;
    }

    /** Whether it ended before the stream did. */
    boolean isLeft() {
        return isLeft;
    }

    // The duty cycle

    /**
     * One turn of the duty cycle.
     *
     * @param port to send through.
     * @param nowNs of the cycle.
     * @return the amount of work done.
     */
    int work(OutboundPort port, long nowNs) {
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

    /** Whether it ends, and the peer needs not be asked before for the image that it had. */
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

    /** What the peer has not released is still needed where it goes on. */
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

    /** Tells the peer that the stream ends. */
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

    /** The peer knows nothing of the stream: only what was posted before has to complete. */
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

    // What the peer says

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
        replication.begin(port, logAddress, new RemoteKey(logKey), window);
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

    void onDefer(OutboundPort port) {
        if (isDue(port, "Defer", state == State.OFFERED)) {
            state = State.DEFERRED;
            onAnswer();
        }
    }

    /** The stream was put off and has a subscription now. */
    void onWanted(OutboundPort port) {
        if (isDue(port, "Wanted", state == State.DEFERRED)) {
            state = State.OFFER_DUE;
        }
    }

    /** The peer wants the stream in another log. */
    void onAgain(OutboundPort port) {
        if (isDue(port, "Again", state == State.ACTIVE)) {
            isMoving = true;
            state = State.OFFER_DUE;
        }
    }

    void onReject(OutboundPort port, RejectCode code, String text) {
        if (code == RejectCode.IMAGE_REJECTED) {
            if (isDue(port, "Reject of its image", state == State.ACTIVE || isMoving)) {
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
        // Whatever else the peer says, it may have the image yet: the stream is to go on there.
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
                    // Either answer tells the peer that nothing writes its log any more.
                    ending.onForgotten();
                }
                state = isOver ? State.CLOSE_DUE : State.OFFER_DUE;
                stream.onConnected(false);
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

    /** Whether a message is to be heeded; one that crossed our Close is not, nor is it wrong. */
    private boolean isDue(OutboundPort port, String message, boolean isExpected) {
        boolean isOver = state == State.CLOSE_DUE || state == State.CLOSED || state == State.GONE;
        if (!isExpected && !isOver) {
            violated(port, message);
        }
        return isExpected;
    }

    private void violated(OutboundPort port, String message) {
        port.violated(
                message + " for stream " + offer.streamId() + ", which is " + state + " here");
    }
}
