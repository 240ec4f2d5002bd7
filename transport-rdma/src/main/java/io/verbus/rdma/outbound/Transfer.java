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
final class Transfer {
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

    /** The conductor has asked for the end of the stream. */
    void end() {
        ending = true;
    }

    /** The connection is lost. A stream that can resume stays connected to its publishers. */
    void disconnect(long completed) {
        isCutOff =
                hasImage && state != State.GONE && (state != State.CLOSED || completed < closedAt);
        canResume = isCutOff && !broken && !isMistrusted;
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
        return hasImage && !isGivenUp;
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
            case OFFER_DUE -> ending && !isResuming() ? finishUnsent(link) : offer(link);
            case OFFERED, DEFERRED -> ending && !isResuming() ? closeDue(link) : 0;
            case REFUSED -> ending ? finishUnsent(link) : retry(nowNs);
            case CLOSE_DUE -> closeDue(link);
            case CLOSED -> awaitClosed(link);
            case GONE -> 0;
        };
    }

    private int offer(OutboundLink link) {
        offeredPosition = stream.senderPosition();
        creditSlot
                .buffer()
                .putLongRelease(CreditLine.POSITION, hasImage ? consumed : offeredPosition);
        if (!link.sendSetup(offer, offeredPosition, hasImage)) {
            return 0;
        }
        state = State.OFFERED;
        return 1;
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
        long credit = creditSlot.buffer().getLongAcquire(CreditLine.POSITION);
        if (credit != consumed && !release(link, credit)) {
            return 0;
        }
        long position = stream.senderPosition();
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
                }
                return 0;
            }
        }
        if (end == position) {
            return ending && position >= stream.finalPosition() ? closeDue(link) : 0;
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
        if (complete) {
            stream.onConnected(false);
        }
        closedAt = count;
        state = State.CLOSED;
        return 1;
    }

    private long closePosition() {
        return broken || stream.finalPosition() == LogLayout.NOT_ENDED
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
            OutboundLink link, long logAddress, int logKeyValue, long position, int newWindow) {
        switch (state) {
            case OFFERED, DEFERRED -> {
                int termLength = offer.termLength();
                long released = hasImage ? consumed : offeredPosition;
                if (newWindow > 2L * termLength
                        || !ResumePoint.isAcceptable(log, released, offeredPosition, position)) {
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
            case OFFERED -> state = State.DEFERRED;
            case CLOSE_DUE, CLOSED, GONE -> {
                // Crossed our Close.
            }
            case OFFER_DUE, DEFERRED, REFUSED, ACTIVE -> violated(link, "Defer");
        }
    }

    void onReject(OutboundLink link, RejectCode code, String text) {
        switch (state) {
            case OFFERED, DEFERRED -> {
                boolean wasResuming = hasImage;
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
                stream.onConnected(false);
                // Either answer tells the peer that nothing writes its log any more.
                forgotten = ending;
                state = ending ? State.CLOSE_DUE : State.OFFER_DUE;
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
