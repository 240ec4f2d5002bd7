// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.common.Backoff;
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
 *       └───────────────────────────┴──────ImageClosed───────┘     GONE ◀ImageClosed─ CLOSED
 * </pre>
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

    private boolean isRetrying;
    private boolean isCatchUpTimed;
    private long catchUpSinceNs;
    private long retryAtNs;

    /**
     * @param publication to send, its log registered.
     * @param creditSlot for the peer.
     */
    Transfer(OutboundPublication publication, CreditSlots.Slot creditSlot) {
        this.stream = publication.stream;
        this.retention = publication.branch == null ? Retention.ONLY_ONE : publication.branch;
        this.creditSlot = creditSlot;
        Transfer cutOff = publication.cutOff;
        image = new PeerImage(cutOff != null, publication.isGivenUp());
        offer = new PendingSetup(publication, creditSlot);
        ending = new Ending(this, retention);
        isEnding = publication.closing;
        replication =
                new Replication(
                        stream,
                        publication.log().localKey(),
                        creditSlot.buffer(),
                        cutOff == null ? 0 : cutOff.replication.consumed());
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

    /** The stream is not accepted again in time: its publishers are told that nobody receives. */
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
     * @param link to send through.
     * @param nowNs of the cycle.
     * @return the amount of work done.
     */
    int work(OutboundLink link, long nowNs) {
        return switch (state) {
            case ACTIVE -> {
                if (retention.isCatchingUp()) {
                    awaitCatchUp(link, nowNs);
                }
                yield transfer(link);
            }
            case OFFER_DUE -> isEndDue() ? finishUnsent(link) : offer(link, nowNs);
            case OFFERED -> {
                if (retention.isKept()) {
                    awaitAnswer(link, nowNs);
                }
                yield isEndDue() ? close(link) : 0;
            }
            case DEFERRED -> isEndDue() ? close(link) : 0;
            case REFUSED -> isEndDue() ? finishUnsent(link) : retry(nowNs);
            case CLOSE_DUE -> close(link);
            case CLOSED -> awaitEnd(link);
            case GONE -> 0;
        };
    }

    /** Whether it ends, and the peer needs not be asked before for the image that it had. */
    private boolean isEndDue() {
        return isEnding && (!image.isAwaited() || retention.isDropped());
    }

    private int offer(OutboundLink link, long nowNs) {
        boolean hasImage = image.isThere();
        if (hasImage && retention.isLapsed()) {
            isLeft = true;
            return finishUnsent(link);
        }
        if (!hasImage) {
            retention.onOffer();
        }
        long position = stream.senderPosition();
        long released = hasImage ? replication.consumed() : position;
        replication.awaitFrom(released);
        if (!offer.send(link, position, released, hasImage, nowNs)) {
            return 0;
        }
        state = State.OFFERED;
        return 1;
    }

    private void awaitAnswer(OutboundLink link, long nowNs) {
        if (offer.hasArrived(link)) {
            retention.onDelivered();
        }
        if (offer.isOverdue(link, nowNs)) {
            retention.onOfferOver();
        }
    }

    private void awaitCatchUp(OutboundLink link, long nowNs) {
        if (!isCatchUpTimed) {
            isCatchUpTimed = true;
            catchUpSinceNs = nowNs;
        } else if (nowNs - catchUpSinceNs >= link.answerTimeoutNs()) {
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

    private int transfer(OutboundLink link) {
        if (isLeft) {
            return close(link);
        }
        if (!replication.takeCredit(link)) {
            return 0;
        }
        if (isEnding && stream.senderPosition() >= stream.finalPosition()) {
            return close(link);
        }
        try {
            return replication.send(link);
        } catch (InvalidFrameException e) {
            onBroken(link, e);
            return 1;
        }
    }

    private void onBroken(OutboundLink link, InvalidFrameException defect) {
        isBroken = true;
        state = State.CLOSE_DUE;
        stream.onConnected(false);
        link.tell(
                new SenderEvent.Broken(
                        link,
                        this,
                        "the publication log "
                                + stream.log().file()
                                + " is damaged: "
                                + defect.getMessage()
                                + "; close the publication and add it again"));
    }

    /**
     * Tells the peer that the stream ends: with its final position in the image, if there is one.
     */
    private int close(OutboundLink link) {
        boolean complete = state == State.ACTIVE;
        if (!ending.tellPeer(link, complete ? replication.path() : null, closePosition())) {
            return 0;
        }
        state = State.CLOSED;
        if (complete) {
            stream.onConnected(false);
        }
        return 1;
    }

    private long closePosition() {
        return isBroken || isLeft || stream.finalPosition() == LogLayout.NOT_ENDED
                ? stream.senderPosition()
                : stream.finalPosition();
    }

    /** The peer knows nothing of the stream: only what was posted before has to complete. */
    private int finishUnsent(OutboundLink link) {
        if (!ending.passOver(link)) {
            return 0;
        }
        image.onGone();
        state = State.CLOSED;
        return 1;
    }

    private int awaitEnd(OutboundLink link) {
        int work = ending.work(link);
        if (ending.isOver()) {
            state = State.GONE;
        }
        return work;
    }

    // What the peer says

    void onAccept(
            OutboundLink link,
            long logAddress,
            int logKey,
            long position,
            int window,
            boolean isTagged,
            long groupTag) {
        if (!isDue(link, "Accept", isOffered())) {
            return;
        }
        boolean isStale = offer.released() < stream.releasedPosition();
        String defect = offer.defect(position, window, isStale);
        if (defect != null) {
            image.mistrust();
            link.violated(defect);
            return;
        }
        boolean isResumed = image.isThere();
        replication.begin(link, logAddress, new RemoteKey(logKey), window);
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
        link.tell(new SenderEvent.Accepted(link, this, isResumed));
    }

    void onDefer(OutboundLink link) {
        if (isDue(link, "Defer", state == State.OFFERED)) {
            state = State.DEFERRED;
            onAnswer();
        }
    }

    /** Somebody subscribes to what was put off. */
    void onWanted(OutboundLink link) {
        if (isDue(link, "Wanted", state == State.DEFERRED)) {
            state = State.OFFER_DUE;
        }
    }

    void onReject(OutboundLink link, RejectCode code, String text) {
        if (!isDue(link, "Reject", isOffered())) {
            return;
        }
        onAnswer();
        // Whatever else the peer says, it may have the image yet: the stream is to go on there.
        if (image.isThere() && code == RejectCode.NO_IMAGE) {
            image.onGone();
            stream.onConnected(false);
            link.tell(new SenderEvent.NotResumed(link, this, offer.position()));
            state = State.OFFER_DUE;
        } else {
            state = State.REFUSED;
            link.tell(new SenderEvent.Refused(link, this, code, text));
        }
    }

    private void onAnswer() {
        retention.onDelivered();
        retention.onOfferOver();
    }

    void onImageClosed(OutboundLink link) {
        image.onGone();
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
            case OFFER_DUE, OFFERED, DEFERRED, REFUSED, GONE -> violated(link, "ImageClosed");
        }
    }

    private boolean isOffered() {
        return state == State.OFFERED || state == State.DEFERRED;
    }

    /** Whether a message is to be heeded; one that crossed our Close is not, nor is it wrong. */
    private boolean isDue(OutboundLink link, String message, boolean isExpected) {
        boolean isOver = state == State.CLOSE_DUE || state == State.CLOSED || state == State.GONE;
        if (!isExpected && !isOver) {
            violated(link, message);
        }
        return isExpected;
    }

    private void violated(OutboundLink link, String message) {
        link.violated(
                message + " for stream " + offer.streamId() + ", which is " + state + " here");
    }
}
