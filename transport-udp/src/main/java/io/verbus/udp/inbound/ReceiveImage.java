// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.DatagramSettings;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.memory.LogRoom;
import io.verbus.transport.FrameTimestamps;
import io.verbus.transport.InboundImage;
import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Queue;

/**
 * An image that is rebuilt from datagrams: what of them it takes, what it answers, and when it
 * ends. The receiver's, but for {@link #clean}, which is the conductor's.
 *
 * <pre>
 *    cleaned          consumed         rebuilt     highest     granted
 *  -----+-----------------+---------------+-----------+-----------+--- cleaned + 2 terms
 *       |  to be zeroed   |   complete    |  frames,  |  zero     |
 *       |                 |               |  and gaps |           |
 *  -----+-----------------+---------------+-----------+-----------+---
 * </pre>
 *
 * Frames come in any order, so that subscribers must find a zero word at each place where one may
 * begin: the conductor zeroes what is consumed, and the receiver takes no frame beyond what it has
 * granted, which lies less than three terms past what is zeroed. A padding frame alone may reach
 * beyond: only its header is stored.
 */
final class ReceiveImage {
    /** Part of a term that waits to be cleaned at most: less than the room it has. */
    private static final int CLEAN_STEPS = 8;

    /** Bytes that are cleaned at once. */
    private static final int MAX_CLEANED = 256 * 1024;

    /** A sender that is silent for so long may come back from another address. */
    private static final long SILENCE_NS = 1_000_000_000;

    /** Questions of the sender are answered so far apart at least. */
    private static final long MIN_ANSWER_INTERVAL_NS = 10_000_000;

    private static final long NONE = -1;

    private final InboundImage image;
    private final ReceiveEndpoint endpoint;
    private final ControlSender sender;
    private final Queue<ReceiverEvent> events;
    private final ReceiverCounters counters;
    private final RebuiltLog log;
    private final LogCleaner cleaner;

    /** Bytes of the log that are to be in memory ahead of what is consumed. */
    private final long span;

    private final LossTally losses;
    private final GapRecovery recovery;
    private final StatusMessages status;
    private final CongestionControl congestion;
    private final RoundTripProbe probe;
    private final Distance distance;

    /** Writes when frames arrive; null where the channel wants none. */
    private final FrameTimestamps arrivals;

    /** Null unless the stream is of requests. */
    private final ResponseNotice responses;

    /** Where frames of the stream are taken from. */
    private final SocketAddress source = new SocketAddress();

    /** Where the sender is answered: its control address if there is one, else the source. */
    private final SocketAddress replyTo;

    private final boolean isReliable;
    private final boolean isGroup;
    private final int mtu;
    private final long timeoutNs;
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.TAGGED_LENGTH));

    /** What the congestion control knows of what is complete. */
    private long progress;

    /** What operators know of what has arrived. */
    private long arrived;

    private long granted;
    private long frameNs;

    /**
     * The sender is past what this receiver can take, which misses something before it. Only frames
     * that are sent again are then a sign of life: some senders have none to send.
     */
    private boolean isOutpaced;

    private long sourceNs;
    private long endPosition = NONE;
    private long answeredNs;
    private boolean hasEnded;

    /** How this side leaves the sender; null unless the driver is to close. */
    private Parting parting;

    private boolean isRevoked;

    /**
     * Conductor's thread.
     *
     * @param image to fill.
     * @param offered the stream.
     * @param options of the transport.
     * @param counters of the receiver.
     * @param events where the conductor is told of the end.
     * @param nowNs monotonic time.
     */
    ReceiveImage(
            InboundImage image,
            ReceiverEvent.Offered offered,
            UdpOptions options,
            ReceiverCounters counters,
            Queue<ReceiverEvent> events,
            long nowNs) {
        this.image = image;
        this.counters = counters;
        this.events = events;
        endpoint = offered.endpoint();
        sender = endpoint.sender();
        source.set(offered.source());
        SocketAddress control = endpoint.control();
        replyTo = control == null ? source : control;
        isGroup = offered.isGroup() || endpoint.isGroup();
        isReliable = image.channel().isReliable();
        mtu = offered.mtu();
        timeoutNs = options.imageTimeoutNs();
        log = new RebuiltLog(image.log(), offered.position());
        cleaner = new LogCleaner(image.log(), offered.position());
        span = endpoint.terms().span(log.termLength(), mtu);
        losses =
                new LossTally(
                        offered.streamId(),
                        offered.sessionId(),
                        endpoint.description(),
                        source.toString(),
                        nowNs);
        recovery = recovery(options);
        status = new StatusMessages(log, endpoint, options.statusIntervalNs(), nowNs);
        congestion = endpoint.terms().congestionControl(log.termLength(), mtu);
        probe = new RoundTripProbe(endpoint.receiverId());
        distance = new Distance(log.termLength());
        arrivals = FrameTimestamps.of(image.channel().receiveTimestamp());
        responses =
                offered.wantsResponses()
                        ? new ResponseNotice(
                                sender,
                                offered.sessionId(),
                                offered.streamId(),
                                options.statusIntervalNs())
                        : null;
        progress = offered.position();
        arrived = offered.position();
        granted = offered.position();
        frameNs = nowNs;
        sourceNs = nowNs;
        answeredNs = nowNs - MIN_ANSWER_INTERVAL_NS;
    }

    /** What is not asked for again is given up at once, as nothing is gained by waiting. */
    private GapRecovery recovery(UdpOptions options) {
        DatagramSettings asked = image.channel().datagrams();
        boolean isShared = asked.group() == null ? isGroup : asked.group();
        boolean isOwnDelay = asked.nakDelay() != null && !isShared;
        long delayNs = isOwnDelay ? asked.nakDelay().toNanos() : options.nakDelayNs();
        return new GapRecovery(
                log,
                isReliable ? delayNs : 0,
                options.nakRetryNs(),
                isReliable && isShared ? options.group().nakBackoffNs() : 0,
                this::recover);
    }

    /** By which the images of an endpoint are told apart. */
    static long key(int streamId, int sessionId) {
        return (long) streamId << 32 | sessionId & 0xFFFF_FFFFL;
    }

    long key() {
        return key(log.streamId(), log.sessionId());
    }

    InboundImage image() {
        return image;
    }

    /** Whether others may receive the stream, too. */
    boolean isGroup() {
        return isGroup;
    }

    ReceiveEndpoint endpoint() {
        return endpoint;
    }

    int initialTermId() {
        return log.initialTermId();
    }

    /** Whether the end of the stream has been reached. */
    boolean hasEnded() {
        return hasEnded;
    }

    // Conductor

    /**
     * Zeroes a step of what is consumed, and of what the receiver has counted: a frame that is gone
     * when it comes to count it would be asked for again, and stand there when the log is used
     * anew.
     *
     * @return the amount of work done.
     */
    int clean() {
        long consumed = image.consumedPosition();
        boolean isWhole = log.termLength() <= LogRoom.LONGEST_WHOLE;
        int step = isWhole ? log.termLength() / CLEAN_STEPS : MAX_CLEANED;
        int cleaned =
                consumed - cleaner.cleaned() < step
                        ? 0
                        : cleaner.clean(
                                Math.min(consumed, log.rebuiltAcquire()),
                                Math.min(step, MAX_CLEANED));
        image.log().room().hold(cleaner.cleaned(), consumed + span);
        return cleaned;
    }

    /** What of the stream was lost. */
    LossTally losses() {
        return losses;
    }

    // Receiver

    /** What tells the sender of requests of the responses; null of any other stream. */
    ResponseNotice responses() {
        return responses;
    }

    /**
     * Takes the data frames that a part of a datagram begins with, as far as one follows upon the
     * other in the stream.
     *
     * @param part of the datagram, with one frame's header at least.
     * @param from where it came from.
     * @param nowNs monotonic time.
     * @return bytes of the part that were taken, whether stored or not; -1 if no sender of this
     *     stream sends such.
     */
    int onData(UnsafeBuffer part, SocketAddress from, long nowNs) {
        if (!source.isSame(from)) {
            onForged(part, from, nowNs);
            return Frames.dataSpan(part);
        }
        long position = log.position(part);
        if (position < 0) {
            return -1;
        }
        if (part.getInt(FrameHeader.FRAME_LENGTH) == 0) {
            onHeartbeat(part, position, nowNs);
            return HeartbeatFrame.LENGTH;
        }
        int length = log.rowLength(part);
        if (length == 0) {
            return -1;
        }
        int taken = Math.min(FrameHeader.align(length), part.capacity());
        if (length > mtu) {
            counters.joinedRows.incrementRelease();
        }
        if (position + length > granted) {
            isOutpaced |= hasRoom();
            counters.overRuns.incrementRelease();
            distance.onBeyond(position - log.rebuilt(), nowNs);
            return taken;
        }
        heard(nowNs);
        if (position + length <= log.rebuilt()) {
            counters.underRuns.incrementRelease();
            return taken;
        }
        if (arrivals != null) {
            arrivals.stamp(part, 0, Math.min(length, part.capacity()));
        }
        int duplicates = log.insert(part, position, length, granted);
        if (duplicates > 0) {
            counters.duplicates.getAndAddRelease(duplicates);
        }
        return taken;
    }

    private void onHeartbeat(UnsafeBuffer part, long position, long nowNs) {
        counters.heartbeats.incrementRelease();
        if (position > granted + log.termLength()) {
            counters.overRuns.incrementRelease();
            distance.onBeyond(position - log.rebuilt(), nowNs);
            return;
        }
        isOutpaced = position > granted && hasRoom();
        if (isOutpaced) {
            sourceNs = nowNs;
        } else {
            heard(nowNs);
        }
        log.sentUpTo(Math.min(position, granted));
        int flags = Frames.flags(part, 0);
        if ((flags & Frames.FLAG_END_OF_STREAM) != 0 && position >= log.rebuilt()) {
            endPosition = position;
            isRevoked = (flags & Frames.FLAG_REVOKED) != 0;
        }
    }

    /** Whether any frame that is missing could be taken: subscribers do not hold the stream back. */
    private boolean hasRoom() {
        return granted - log.rebuilt() >= mtu;
    }

    private void heard(long nowNs) {
        isOutpaced = false;
        frameNs = nowNs;
        sourceNs = nowNs;
        distance.onNear();
    }

    /**
     * A frame has come from another address than the sender's. While the sender is silent it may be
     * the sender itself, at an address that a router has changed: a set-up will tell.
     */
    private void onForged(UnsafeBuffer part, SocketAddress from, long nowNs) {
        counters.forged.incrementRelease();
        if (nowNs - sourceNs < SILENCE_NS || nowNs - answeredNs < MIN_ANSWER_INTERVAL_NS) {
            return;
        }
        answeredNs = nowNs;
        StatusFrame.write(
                frame,
                StatusFrame.FLAG_SEND_SETUP,
                log.sessionId(),
                log.streamId(),
                part.getInt(FrameHeader.TERM_ID),
                part.getInt(FrameHeader.TERM_OFFSET),
                0,
                endpoint.receiverId());
        if (sender.send(replyTo == source ? from : replyTo, frame, StatusFrame.LENGTH, nowNs)) {
            counters.statusMessages.incrementRelease();
        }
    }

    /** Whether a frame comes from the sender's address; counts it if it does not. */
    boolean isOfSender(SocketAddress from) {
        boolean isOfSender = source.isSame(from);
        if (!isOfSender) {
            counters.forged.incrementRelease();
        }
        return isOfSender;
    }

    /**
     * The sender asks for a status message. It may do so from a new address, once it was silent at
     * its old one for a while, and if it knows the stream's first term.
     */
    void onSetup(UnsafeBuffer setup, SocketAddress from, long nowNs) {
        if (!source.isSame(from)) {
            boolean mayMove =
                    nowNs - sourceNs >= SILENCE_NS
                            && SetupFrame.initialTermId(setup) == log.initialTermId()
                            && SetupFrame.termLength(setup) == log.termLength();
            if (!mayMove) {
                counters.forged.incrementRelease();
                return;
            }
        }
        source.set(from); // which may have asked at another address of this host than before
        sourceNs = nowNs;
        status.onAsked(nowNs);
    }

    /** The sender answers to a measurement of the round trip time. */
    void onRoundTrip(UnsafeBuffer answer, long nowNs) {
        long rttNs = probe.onAnswer(answer, nowNs);
        if (rttNs >= 0) {
            congestion.onRoundTrip(rttNs);
            counters.roundTrips.incrementRelease();
        }
    }

    /**
     * The sender asks whether a receiver is here. The answer and a new status message go to the
     * sender's known address, whatever address the question bears.
     */
    void onQuestion(UnsafeBuffer question, long nowNs) {
        if (nowNs - answeredNs < MIN_ANSWER_INTERVAL_NS) {
            return;
        }
        answeredNs = nowNs;
        RttFrame.reply(frame, question);
        sender.send(replyTo, frame, RttFrame.LENGTH, nowNs);
        status.due();
    }

    /**
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(long nowNs) {
        int work = 0;
        long consumed = image.consumedPosition();
        if (log.highest() > arrived) {
            arrived = log.highest();
            image.arrived(arrived);
        }
        if (log.rebuilt() > progress) {
            congestion.onProgress(log.rebuilt() - progress, nowNs);
            progress = log.rebuilt();
        }
        if (congestion.needsRoundTrip() && probe.isDue(nowNs)) {
            probe.ask(frame, log.sessionId(), log.streamId(), nowNs);
            sender.send(replyTo, frame, RttFrame.LENGTH, nowNs);
            work++;
        }
        if (parting != null) {
            work += part(nowNs);
        }
        if (!hasLeft() && status.isDue(consumed, congestion.window(), nowNs)) {
            if (hasEnded) {
                leave(nowNs); // all has arrived, so that the sender need not linger
            } else {
                sendStatus(consumed, nowNs);
            }
            work++;
        }
        if (log.hasGap()) {
            work += recovery.work(nowNs);
        }
        if (responses != null) {
            work += responses.work(replyTo, nowNs);
        }
        if (!hasEnded && endPosition != NONE && (isRevoked || log.rebuilt() >= endPosition)) {
            hasEnded = true;
            status.due();
            events.add(
                    isRevoked
                            ? new ReceiverEvent.Revoked(this, endPosition)
                            : new ReceiverEvent.Ended(this, endPosition));
            work++;
        }
        return work;
    }

    private void sendStatus(long consumed, long nowNs) {
        if (!image.grant(consumed)) {
            return;
        }
        image.window(congestion.window());
        long limit = parting != null ? granted : Math.max(limit(consumed), granted);
        int length = status.write(frame, 0, consumed, (int) Math.max(limit - consumed, 0));
        boolean isSent = sender.send(replyTo, frame, length, nowNs);
        status.told(consumed, isSent, nowNs);
        if (isSent) {
            granted = limit;
            counters.statusMessages.incrementRelease();
        }
    }

    /** The word behind what is granted is read, too. */
    private long limit(long consumed) {
        long inMemory = image.log().room().end() - LogLayout.MIN_PAGE_LENGTH;
        return Math.min(cleaner.limit(consumed, congestion.window()), inMemory);
    }

    /** A gap has been open for long enough to act. */
    private void recover(long begin, int length, boolean isNew, long nowNs) {
        if (isNew) {
            counters.losses.incrementRelease();
            losses.add(length);
            congestion.onLoss(nowNs);
        }
        if (isReliable) {
            log.writeNak(frame, begin, length);
            if (sender.send(replyTo, frame, NakFrame.LENGTH, nowNs)) {
                counters.naksSent.incrementRelease();
                image.onNak();
            }
        } else {
            log.skip(begin, length);
            counters.gapsSkipped.incrementRelease();
        }
    }

    /** The driver is to close: the sender is granted nothing more. */
    void stop(long nowNs) {
        if (parting == null) {
            parting = new Parting(log.highest(), nowNs);
        }
    }

    private int part(long nowNs) {
        boolean isAllHere = !log.hasGap() && log.rebuilt() >= granted;
        if (!hasEnded && parting.isLeavingDue(log.highest(), log.hasGap(), isAllHere, nowNs)) {
            leave(nowNs);
            return 1;
        }
        return 0;
    }

    private boolean hasLeft() {
        return parting != null && parting.hasLeft();
    }

    /** Whether the driver is to close. */
    boolean isStopping() {
        return parting != null;
    }

    /** Whether all is here that the sender has sent, and it sends no more. */
    boolean isStopped(long nowNs) {
        return parting != null && (hasEnded || parting.isOver(nowNs));
    }

    /** Tells the sender that nothing more of the stream is wanted here. */
    void leave(long nowNs) {
        long position = Math.min(image.consumedPosition(), log.rebuilt());
        int length = status.write(frame, StatusFrame.FLAG_END_OF_STREAM, position, 0);
        boolean isSent = sender.send(replyTo, frame, length, nowNs);
        status.told(position, isSent, nowNs);
        if (isSent) {
            counters.statusMessages.incrementRelease();
        }
    }

    /** Tells the sender that a subscriber has rejected the stream. */
    void tell(Rejections rejections, long nowNs) {
        int length = rejections.write(key(), log.sessionId(), log.streamId(), nowNs);
        if (sender.send(replyTo, rejections.frame(), length, nowNs)) {
            counters.errorFrames.incrementRelease();
        }
    }

    /** Why nothing more is to be expected of the sender; null if there is hope. */
    String lost(long nowNs) {
        if (log.isBroken()) {
            return "the sender's frames overlap, so that no frame begins at position "
                    + log.rebuilt();
        }
        if (isGroup && distance.isTooFar()) {
            return "the sender has left this receiver behind at position "
                    + log.rebuilt()
                    + ": have its channel name fc=min, or consume faster";
        }
        if (hasEnded || nowNs - frameNs < timeoutNs) {
            return null;
        }
        return isOutpaced
                ? "the sender is ahead, and has not resent position "
                        + log.rebuilt()
                        + " for "
                        + timeoutNs / 1_000_000
                        + " ms: have its channel name fc=min, or consume faster"
                : "the sender has been silent for " + timeoutNs / 1_000_000 + " ms";
    }
}
