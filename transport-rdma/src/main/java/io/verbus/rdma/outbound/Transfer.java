// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.common.Backoff;
import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.outbound.StreamState.Event;
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
 * onwards, because the frontier is not before the position that the peer has released. After an
 * {@code Again} message the stream resumes in the same way.
 *
 * <p>{@link StreamState} defines the states and transitions; {@link PeerImage} describes the peer's
 * image.
 */
final class Transfer extends RoundRobin.Taker {
    private static final long FIRST_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LAST_RETRY_NS = TimeUnit.SECONDS.toNanos(10);

    private final OutboundStream stream;
    private final Retention retention;
    private final CreditSlots.Slot creditSlot;
    private final PendingSetup offer;
    private final Replication replication;

    /** Sampler of the stream's hops; null if they are not sampled. */
    private final StreamHops hops;

    private final Backoff backoff = new Backoff(FIRST_RETRY_NS, LAST_RETRY_NS);

    private StreamState state = StreamState.OFFER_DUE;

    /**
     * The peer's image. The conductor reads this once the sender has released the connection. If
     * the image is given up later, nothing that the conductor queries changes.
     */
    private PeerImage image;

    /** Whether the conductor has requested the end of the stream. */
    private boolean isEnding;

    /** Time of the acceptance, kept while publishers may wait for the destination to catch up. */
    private long acceptedNs;

    /** Time of the next offer, after a refusal. */
    private long retryAtNs;

    /**
     * Number of completed work requests at which nothing reads the log any longer. Set once the
     * stream has ended.
     */
    private long closedAt;

    /**
     * @param publication publication to send; its log is registered.
     * @param creditSlot credit slot that the peer writes.
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
        image = publication.image();
        offer = new PendingSetup(publication, creditSlot, retention);
        isEnding = publication.isClosing();
        long consumed = cutOff == null ? 0 : cutOff.replication.consumed();
        replication =
                placement == null
                        ? new Replication(publication, creditSlot, consumed, hops)
                        : new ConfirmedReplication(
                                publication, creditSlot, consumed, hops, placement);
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

    StreamState state() {
        return state;
    }

    /** Returns whether credit is awaited, for unsent frames or for a back-pressured publisher. */
    @Override
    protected boolean isWaiting() {
        return state.isActive() && (replication.isWaiting() || hops != null && hops.isWaiting());
    }

    // Requests from the conductor

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
        if (!state.allows(Event.DROP)) {
            return false;
        }
        go(Event.DROP);
        image = PeerImage.ABANDONED;
        return true;
    }

    /**
     * Gives up a stream that was not accepted again in time, so that its publishers are no longer
     * connected.
     */
    void giveUp() {
        if (image == PeerImage.HELD) {
            image = PeerImage.GIVEN_UP;
            stream.onConnected(false);
        }
    }

    /**
     * Handles the loss of the connection. To its publishers, a stream that can resume stays
     * connected. A finished stream may have been released, and is not used.
     */
    void disconnect(long completed) {
        image =
                image.lost(
                        state.hasEnd(completed >= closedAt),
                        retention.isDropped() || retention.isLapsed());
        if (!state.isFinished()) {
            if (hops != null) {
                hops.reset();
            }
            retention.onDisconnect();
            if (!image.canResume()) {
                stream.onConnected(false);
            }
        }
        go(Event.DISCONNECT);
    }

    /** Returns the peer's image as it was when the connection was lost. */
    PeerImage image() {
        return image;
    }

    private void go(Event event) {
        state = state.after(event);
    }

    // The duty cycle

    /**
     * Services the stream in one duty cycle.
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
        if (!state.isOver()) {
            replication.reportReads(port);
        }
        return switch (state) {
            case ACTIVE -> {
                if (retention.isCatchingUp() && nowNs - acceptedNs >= port.answerTimeoutNs()) {
                    retention.onCatchUpOver();
                }
                yield transfer(port);
            }
            case OFFER_DUE -> isEndDue() ? skip(port) : offer(port, nowNs);
            case OFFERED -> {
                if (retention.isKept()) {
                    offer.await(port, image.isThere(), nowNs);
                }
                yield isEndDue() ? close(port) : 0;
            }
            case DEFERRED -> isEndDue() ? close(port) : 0;
            case REFUSED -> isEndDue() ? skip(port) : retry(nowNs);
            case ANSWER_DUE -> isEnding ? close(port) : offer(port, nowNs);
            case LEAVING, BROKEN, CLOSE_DUE -> close(port);
            case CLOSED, ANSWERED -> awaitArrival(port);
            case DELIVERED, GONE -> 0;
        };
    }

    /** Returns whether to end the stream without first asking the peer to resume its image. */
    private boolean isEndDue() {
        boolean isAsked =
                image.isAwaited() && (image == PeerImage.MOVING || !retention.isDropped());
        return isEnding && !isAsked;
    }

    /** Offers the stream, once everything sent to the image of an earlier offer is committed. */
    private int offer(OutboundPort port, long nowNs) {
        if (!replication.settle(port)) {
            return 0;
        }
        boolean hasImage = image.isThere();
        if (hasImage && retention.isLapsed()) {
            return skip(port);
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
        go(Event.SETUP);
        return 1;
    }

    private int retry(long nowNs) {
        if (nowNs - retryAtNs >= 0) {
            go(Event.RETRY);
        }
        return 0;
    }

    private int transfer(OutboundPort port) {
        if (!replication.takeCredit(port)) {
            return 0;
        }
        if (isEnding && (stream.isRevoked() || stream.senderPosition() >= stream.finalPosition())) {
            return close(port);
        }
        try {
            return replication.send(port);
        } catch (InvalidFrameException e) {
            go(Event.CORRUPT);
            image = PeerImage.ABANDONED;
            stream.onConnected(false);
            port.tell(new SenderEvent.Broken(this, e));
            return 1;
        }
    }

    /** Sends the end of the stream to the peer. */
    private int close(OutboundPort port) {
        if (!replication.settle(port)) {
            return 0;
        }
        boolean wasActive = state.isActive();
        long count = port.sendClose(offer.registrationId(), closePosition(), streamEnd());
        if (!isEnded(count, Event.CLOSE)) {
            return 0;
        }
        if (wasActive) {
            stream.onConnected(false);
        }
        return 1;
    }

    private StreamEnd streamEnd() {
        if (!state.isActive()) {
            return StreamEnd.UNWRITTEN;
        }
        if (stream.isRevoked()) {
            return StreamEnd.REVOKED;
        }
        return state == StreamState.LEAVING || offer.tellsEnd()
                ? StreamEnd.PLACED
                : StreamEnd.UNTOLD;
    }

    private long closePosition() {
        return state == StreamState.LEAVING
                        || state == StreamState.BROKEN
                        || stream.isRevoked()
                        || stream.finalPosition() == LogLayout.NOT_ENDED
                ? stream.senderPosition()
                : stream.finalPosition();
    }

    /** Ends a stream that the peer does not know, so only earlier work requests must complete. */
    private int skip(OutboundPort port) {
        if (!isEnded(port.sendBarrier(), Event.SKIP)) {
            return 0;
        }
        image = PeerImage.NONE;
        return 1;
    }

    /** Handles the result of an attempt to end the stream. Returns false if there was no room. */
    private boolean isEnded(long count, Event event) {
        if (count < 0) {
            return false;
        }
        closedAt = count;
        go(event);
        return true;
    }

    /**
     * Waits until nothing reads the log any longer, and everything posted earlier is in the peer's
     * image.
     */
    private int awaitArrival(OutboundPort port) {
        if (port.completed() < closedAt) {
            return 0;
        }
        go(Event.ARRIVED);
        retention.onUnread(true);
        port.tell(new SenderEvent.Finished(this));
        tellIfGone(port);
        return 1;
    }

    private void tellIfGone(OutboundPort port) {
        if (state == StreamState.GONE) {
            port.tell(new SenderEvent.Forgotten(port.link(), this));
        }
    }

    // Messages from the peer

    void onAccept(
            OutboundPort port,
            long logAddress,
            int logKey,
            long position,
            int window,
            boolean isTagged,
            long groupTag) {
        boolean isStale = offer.released() < stream.releasedPosition();
        Event event = isStale ? Event.STALE_ACCEPT : Event.ACCEPT;
        if (!isDue(port, "Accept", event)) {
            return;
        }
        boolean isResumed = image.isThere();
        boolean isOnlyMoved = image == PeerImage.MOVING;
        String defect = offer.defect(position, window, isResumed, isStale);
        if (defect != null) {
            image = image.mistrusted();
            port.violated(defect);
            return;
        }
        replication.begin(port, logAddress, new RemoteKey(logKey), window, retention.maxBatch());
        backoff.reset();
        go(event);
        image = isStale ? PeerImage.ABANDONED : PeerImage.OPEN;
        if (isResumed || isStale) {
            stream.senderPosition(position);
        }
        if (isStale) {
            retention.onStaleAccept(this);
            return;
        }
        acceptedNs = port.nowNs();
        retention.onAccept(this, isTagged, groupTag);
        replication.trackReads(port);
        stream.onReleased(replication.consumed(), window);
        stream.onConnected(true);
        port.tell(new SenderEvent.Accepted(this, isResumed && !isOnlyMoved));
    }

    /**
     * Called when the peer has no subscription for the stream yet. It may name the streams for
     * which it has one.
     */
    void onDefer(OutboundPort port, String streams) {
        if (isDue(port, "Defer", Event.DEFER)) {
            go(Event.DEFER);
            offer.onAnswer(image.isThere());
            if (streams != null) {
                port.tell(new SenderEvent.Deferred(this, streams));
            }
        }
    }

    /** Called when a deferred stream now has a subscription. */
    void onWanted(OutboundPort port) {
        if (isDue(port, "Wanted", Event.WANTED)) {
            go(Event.WANTED);
        }
    }

    /** Called when the peer wants the stream in another log. */
    void onAgain(OutboundPort port) {
        if (isDue(port, "Again", Event.AGAIN)) {
            go(Event.AGAIN);
            image = image == PeerImage.OPEN ? PeerImage.MOVING : image;
        }
    }

    void onReject(OutboundPort port, RejectCode code, String text) {
        if (code == RejectCode.IMAGE_REJECTED) {
            if (isDue(port, "Reject of an image", state.isActive() || image == PeerImage.MOVING)) {
                port.tell(new SenderEvent.ImageRejected(this, text));
            }
            return;
        }
        // After any other answer, the peer may still have the image, so the stream must resume in
        // it.
        boolean isImageOver = image.isThere() && code == RejectCode.NO_IMAGE;
        Event event = isImageOver ? Event.NO_IMAGE : Event.REJECT;
        if (!isDue(port, "Reject", event)) {
            return;
        }
        offer.onAnswer(image.isThere());
        go(event);
        boolean isOnlyMoved = image == PeerImage.MOVING;
        if (isImageOver) {
            image = PeerImage.NONE;
            stream.onConnected(false);
            if (!isOnlyMoved) {
                port.tell(new SenderEvent.NotResumed(this, offer.position()));
            }
        } else {
            image = isOnlyMoved ? PeerImage.HELD : image;
            retryAtNs = port.nowNs() + backoff.next();
            port.tell(new SenderEvent.Refused(this, code, text));
        }
    }

    void onImageClosed(OutboundPort port) {
        if (!isDue(port, "ImageClosed", Event.IMAGE_CLOSED)) {
            return;
        }
        boolean wasActive = state.isActive();
        image = PeerImage.NONE;
        go(Event.IMAGE_CLOSED);
        if (wasActive) {
            stream.onConnected(false);
        }
        if (state == StreamState.ANSWER_DUE && !isEnding) {
            retention.onUnsubscribed();
        }
        tellIfGone(port);
    }

    void onResponseSession(OutboundPort port, int sessionId) {
        if (!offer.wantsResponses()) {
            violated(port, "ResponseSession");
        } else if (isDue(port, "ResponseSession", state.isActive())) {
            port.tell(new SenderEvent.ResponseSession(this, sessionId));
        }
    }

    private boolean isDue(OutboundPort port, String message, Event event) {
        return isDue(port, message, state.allows(event));
    }

    /**
     * Returns whether to handle a message. Messages that crossed the end of the stream are ignored.
     */
    private boolean isDue(OutboundPort port, String message, boolean isExpected) {
        if (!isExpected && !state.isOver()) {
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
