// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogScanner;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.link.CreditLine;
import io.verbus.rdma.link.Offer;
import io.verbus.rdma.link.Turns;
import io.verbus.transport.OutboundStream;

import java.util.concurrent.TimeUnit;

/**
 * One stream on one connection, from its offer to its end. Made by the conductor, then the sender's
 * alone.
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
final class Transfer extends Turns.Taker {
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

    /** The stream, where it is one destination of a publication that has several; else null. */
    private final Branch branch;

    private final LogBuffers log;
    private final LogScanner scanner;
    private final LocalKey logKey;
    private final CreditSlots.Slot creditSlot;
    private final Offer offer;

    private State state = State.OFFER_DUE;
    private LogPath path;
    private long offeredPosition;
    private long consumed;
    private int window;
    private boolean ending;
    private boolean stalled;
    private boolean broken;
    private boolean finishedTold;
    private boolean forgotten;

    /** It ends here, before the stream does: the destination is offered the stream anew. */
    private boolean isLeft;

    private long offeredAt;
    private long offeredAtNs;

    /**
     * The peer has an image that it has not closed, or may still have that of a lost connection.
     */
    private boolean hasImage;

    /** The time to resume has passed. */
    private boolean isGivenUp;

    /** The peer says what cannot be of an image that it had accepted. */
    private boolean isMistrusted;

    /** Written by the sender before it tells that it has let go; read by the conductor after. */
    private boolean isCutOff;

    /** As {@link #isCutOff}. */
    private boolean canResume;

    private long closedAt;
    private boolean retrying;
    private long retryAtNs;
    private long retryAfterNs = FIRST_RETRY_NS;

    /**
     * @param publication to send, its log registered.
     * @param creditSlot for the peer.
     */
    Transfer(OutboundPublication publication, CreditSlots.Slot creditSlot) {
        this.stream = publication.stream;
        this.branch = publication.branch;
        this.log = stream.log();
        this.scanner = new LogScanner(log);
        this.logKey = publication.log.localKey();
        this.creditSlot = creditSlot;
        this.offer =
                new Offer(
                        stream.registrationId(),
                        log.spec().sessionId(),
                        log.spec().streamId(),
                        log.spec().initialTermId(),
                        log.spec().termLength(),
                        log.spec().mtu(),
                        0,
                        creditSlot.address(),
                        creditSlot.key().value(),
                        publication.resumeToken(),
                        false);
        ending = publication.closing;
        if (publication.cutOff != null) {
            hasImage = true;
            isCutOff = true;
            canResume = true;
            consumed = publication.cutOff.consumed;
            isGivenUp = publication.isGivenUp();
        }
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
        return state == State.ACTIVE && (stalled || consumed != stream.senderPosition());
    }

    /** The conductor has asked for the end of the stream. */
    void end() {
        ending = true;
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

    /** Whether it ended before the stream did. */
    boolean isLeft() {
        return isLeft;
    }

    /** The connection is lost. A stream that can resume stays connected to its publishers. */
    void disconnect(long completed) {
        isCutOff =
                hasImage && state != State.GONE && (state != State.CLOSED || completed < closedAt);
        canResume = isCutOff && !broken && !isMistrusted && !isLeft && !isAbandoned();
        if (branch != null) {
            branch.onDisconnect();
        }
        if (!canResume) {
            stream.onConnected(false);
        }
        state = State.GONE;
    }

    /** The stream is not accepted again in time: its publishers are told that nobody receives. */
    void giveUp() {
        if (state != State.ACTIVE) {
            isGivenUp = true;
            stream.onConnected(false);
        }
    }

    /** Whether the peer must be asked for the image that it had. */
    private boolean isResuming() {
        return hasImage && !isGivenUp && (branch == null || !branch.isDropped());
    }

    private boolean isAbandoned() {
        return branch != null && (branch.isDropped() || branch.isLapsed());
    }

    private boolean hasLapsed() {
        return branch != null && hasImage && branch.isLapsed();
    }

    /** Whether the peer had an image when the link was lost, whose end it was not told. */
    boolean isCutOff() {
        return isCutOff;
    }

    /** Whether the peer must not take what comes next for the same stream. */
    boolean isMistrusted() {
        return isMistrusted;
    }

    /** Whether the stream can go on where it was cut off. */
    boolean canResume() {
        return canResume;
    }

    /**
     * One turn of the duty cycle.
     *
     * @param link to send through.
     * @param nowNs of the cycle.
     * @return the amount of work done.
     */
    int work(OutboundLink link, long nowNs) {
        return switch (state) {
            case ACTIVE -> transfer(link);
            case OFFER_DUE -> ending && !isResuming() ? finishUnsent(link) : offer(link, nowNs);
            case OFFERED -> {
                if (branch != null && branch.isKept()) {
                    awaitAnswer(link, nowNs);
                }
                yield ending && !isResuming() ? closeDue(link) : 0;
            }
            case DEFERRED -> ending && !isResuming() ? closeDue(link) : 0;
            case REFUSED -> ending ? finishUnsent(link) : retry(nowNs);
            case CLOSE_DUE -> closeDue(link);
            case CLOSED -> awaitClosed(link);
            case GONE -> 0;
        };
    }

    private int offer(OutboundLink link, long nowNs) {
        if (hasLapsed()) {
            isLeft = true;
            return finishUnsent(link);
        }
        if (branch != null && !hasImage) {
            branch.onOffer();
        }
        offeredAtNs = nowNs;
        offeredPosition = stream.senderPosition();
        creditSlot
                .buffer()
                .putLongRelease(CreditLine.POSITION, hasImage ? consumed : offeredPosition);
        offeredAt = link.sendSetup(offer, offeredPosition, hasImage);
        if (offeredAt < 0) {
            return 0;
        }
        state = State.OFFERED;
        return 1;
    }

    private void awaitAnswer(OutboundLink link, long nowNs) {
        if (link.completed() >= offeredAt) {
            branch.onDelivered();
        }
        if (nowNs - offeredAtNs >= link.answerTimeoutNs()) {
            branch.onOfferOver();
        }
    }

    private int retry(long nowNs) {
        if (!retrying) {
            retrying = true;
            retryAtNs = nowNs + retryAfterNs;
            retryAfterNs = Math.min(2 * retryAfterNs, LAST_RETRY_NS);
        } else if (nowNs - retryAtNs >= 0) {
            retrying = false;
            state = State.OFFER_DUE;
        }
        return 0;
    }

    private int transfer(OutboundLink link) {
        if (isLeft) {
            return closeDue(link);
        }
        long credit = creditSlot.buffer().getLongAcquire(CreditLine.POSITION);
        if (credit != consumed && !release(link, credit)) {
            return 0;
        }
        try {
            return transferFrom(link, stream.senderPosition());
        } catch (InvalidFrameException e) {
            onBroken(link, e);
            return 1;
        }
    }

    /**
     * A frame may begin while the receiver's credit lasts and end past it, so that a small window
     * cannot hold a long frame back for ever; but nothing goes past two terms from what is
     * consumed.
     */
    private int transferFrom(OutboundLink link, long position) {
        if (ending && position >= stream.finalPosition()) {
            return closeDue(link);
        }
        long credit = consumed + window;
        long end =
                position < credit
                        ? scanner.available(position, credit, link.batchLength())
                        : position;
        if (end == position) {
            end = scanner.available(position, consumed + 2L * path.termLength(), 0);
            if (end > position && position >= credit) {
                if (!stalled) {
                    stalled = true;
                    stream.onCreditStall();
                    link.onCreditStall();
                }
                return 0;
            }
        }
        if (end == position) {
            return 0;
        }
        int length = (int) (end - position);
        if (!link.stageBatch(path, position, length - scanner.padding(), length)) {
            return 0;
        }
        stalled = false;
        stream.senderPosition(end);
        return 1;
    }

    private boolean release(OutboundLink link, long credit) {
        if (credit < consumed
                || credit > stream.senderPosition()
                || credit % FrameHeader.ALIGNMENT != 0) {
            link.violated(
                    "stream "
                            + offer.streamId()
                            + " session "
                            + offer.sessionId()
                            + " is granted position "
                            + credit
                            + " after "
                            + consumed
                            + " when "
                            + stream.senderPosition()
                            + " was sent");
            return false;
        }
        consumed = credit;
        stream.onReleased(credit, window);
        return true;
    }

    private void onBroken(OutboundLink link, InvalidFrameException defect) {
        broken = true;
        state = State.CLOSE_DUE;
        stream.onConnected(false);
        link.tell(
                new SenderEvent.Broken(
                        link,
                        this,
                        "the publication log "
                                + log.file()
                                + " is damaged: "
                                + defect.getMessage()
                                + "; close the publication and add it again"));
    }

    /**
     * Tells the peer that the stream ends: with its final position in the image, if there is one.
     */
    private int closeDue(OutboundLink link) {
        boolean complete = state == State.ACTIVE;
        long count = link.sendClose(complete ? path : null, registrationId(), closePosition());
        if (count < 0) {
            return 0;
        }
        closedAt = count;
        state = State.CLOSED;
        if (complete) {
            stream.onConnected(false);
        }
        return 1;
    }

    private long closePosition() {
        return broken || isLeft || stream.finalPosition() == LogLayout.NOT_ENDED
                ? stream.senderPosition()
                : stream.finalPosition();
    }

    /** The peer knows nothing of the stream: only what was posted before has to complete. */
    private int finishUnsent(OutboundLink link) {
        long count = link.sendBarrier();
        if (count < 0) {
            return 0;
        }
        closedAt = count;
        forgotten = true;
        hasImage = false;
        state = State.CLOSED;
        return 1;
    }

    private int awaitClosed(OutboundLink link) {
        if (!finishedTold && link.completed() >= closedAt) {
            finishedTold = true;
            if (branch != null) {
                branch.onUnread(true);
            }
            link.tell(new SenderEvent.Finished(link, this));
            return 1;
        }
        if (finishedTold && forgotten) {
            state = State.GONE;
            link.tell(new SenderEvent.Forgotten(link, this));
            return 1;
        }
        return 0;
    }

    void onAccept(
            OutboundLink link,
            long logAddress,
            int logKeyValue,
            long position,
            int newWindow,
            boolean isTagged,
            long groupTag) {
        switch (state) {
            case OFFERED, DEFERRED -> {
                int termLength = offer.termLength();
                long released = hasImage ? consumed : offeredPosition;
                boolean isStale = released < stream.releasedPosition();
                boolean isAcceptable =
                        isStale
                                ? released <= position && position <= offeredPosition
                                : ResumePoint.isAcceptable(
                                        log, released, offeredPosition, position);
                if (newWindow > 2L * termLength || !isAcceptable) {
                    isMistrusted = true;
                    link.violated(
                            "stream "
                                    + offer.streamId()
                                    + " was offered from position "
                                    + offeredPosition
                                    + (hasImage ? ", released up to " + consumed + "," : "")
                                    + " with terms of "
                                    + termLength
                                    + " and accepted from "
                                    + position
                                    + " with a window of "
                                    + newWindow);
                    return;
                }
                path =
                        new LogPath(
                                log.address(),
                                logKey,
                                link.zeroAddress(),
                                link.zeroKey(),
                                logAddress,
                                new RemoteKey(logKeyValue),
                                termLength);
                boolean isResumed = hasImage;
                if (isResumed) {
                    stream.senderPosition(position);
                } else {
                    consumed = position;
                }
                window = newWindow;
                stalled = false;
                retryAfterNs = FIRST_RETRY_NS;
                state = State.ACTIVE;
                hasImage = true;
                isGivenUp = false;
                if (isStale) {
                    stream.senderPosition(position);
                    isLeft = true;
                    branch.onStaleAccept(this);
                    return;
                }
                if (branch != null) {
                    branch.onAccept(this, branch.isTag(isTagged, groupTag));
                }
                stream.onReleased(consumed, newWindow);
                stream.onConnected(true);
                link.tell(new SenderEvent.Accepted(link, this, isResumed));
            }
            case CLOSE_DUE, CLOSED, GONE -> {
                // Crossed our Close: the peer ends the image when that arrives.
            }
            case OFFER_DUE, REFUSED, ACTIVE -> violated(link, "Accept");
        }
    }

    void onDefer(OutboundLink link) {
        switch (state) {
            case OFFERED -> {
                state = State.DEFERRED;
                onAnswer();
            }
            case CLOSE_DUE, CLOSED, GONE -> {
                // Crossed our Close.
            }
            case OFFER_DUE, DEFERRED, REFUSED, ACTIVE -> violated(link, "Defer");
        }
    }

    /** Somebody subscribes to what was put off. */
    void onWanted(OutboundLink link) {
        switch (state) {
            case DEFERRED -> state = State.OFFER_DUE;
            case CLOSE_DUE, CLOSED, GONE -> {
                // Crossed our Close.
            }
            case OFFER_DUE, OFFERED, REFUSED, ACTIVE -> violated(link, "Wanted");
        }
    }

    private void onAnswer() {
        if (branch != null) {
            branch.onDelivered();
            branch.onOfferOver();
        }
    }

    void onReject(OutboundLink link, RejectCode code, String text) {
        switch (state) {
            case OFFERED, DEFERRED -> {
                boolean wasResuming = hasImage;
                onAnswer();
                if (wasResuming) {
                    hasImage = false;
                    stream.onConnected(false);
                    link.tell(new SenderEvent.NotResumed(link, this, offeredPosition));
                }
                if (wasResuming && code == RejectCode.NO_IMAGE) {
                    state = State.OFFER_DUE;
                } else {
                    state = State.REFUSED;
                    link.tell(new SenderEvent.Refused(link, this, code, text));
                }
            }
            case CLOSE_DUE, CLOSED, GONE -> {
                // Crossed our Close.
            }
            case OFFER_DUE, REFUSED, ACTIVE -> violated(link, "Reject");
        }
    }

    void onImageClosed(OutboundLink link) {
        hasImage = false;
        switch (state) {
            case ACTIVE -> {
                // Either answer tells the peer that nothing writes its log any more.
                forgotten = ending || isLeft;
                state = ending || isLeft ? State.CLOSE_DUE : State.OFFER_DUE;
                stream.onConnected(false);
            }
            case CLOSE_DUE, CLOSED -> forgotten = true;
            case OFFER_DUE, OFFERED, DEFERRED, REFUSED, GONE -> violated(link, "ImageClosed");
        }
    }

    private void violated(OutboundLink link, String message) {
        link.violated(
                message + " for stream " + offer.streamId() + ", which is " + state + " here");
    }
}
