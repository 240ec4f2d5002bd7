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
 * Image that is rebuilt from datagrams: accepts frames, sends control frames, and detects the end.
 * Used by the receiver, except for {@link #clean}, which the conductor calls.
 *
 * <pre>
 *    cleaned          consumed         rebuilt     highest     granted
 *  -----+-----------------+---------------+-----------+-----------+--- cleaned + 2 terms
 *       |  to be zeroed   |   complete    |  frames,  |  zero     |
 *       |                 |               |  and gaps |           |
 *  -----+-----------------+---------------+-----------+-----------+---
 * </pre>
 *
 * Frames arrive in any order, so subscribers must find a zero word wherever a frame may start.
 * Therefore the conductor zeroes consumed parts, and the receiver accepts no frame beyond the
 * granted window, which ends less than three terms after the zeroed part. Only padding may extend
 * beyond the window, because only its header is stored.
 */
final class ReceiveImage {
    /**
     * Divisor of the term length that gives the length of a cleaning step, which must be less than
     * the available room.
     */
    private static final int CLEAN_STEPS = 8;

    /** Maximum number of bytes cleaned in one step. */
    private static final int MAX_CLEANED = 256 * 1024;

    /** Silence after which a sender may continue from another address. */
    private static final long SILENCE_NS = 1_000_000_000;

    /** Minimum interval between answers to the sender's challenges. */
    private static final long MIN_ANSWER_INTERVAL_NS = 10_000_000;

    private static final long NONE = -1;

    private final InboundImage image;
    private final ReceiveEndpoint endpoint;
    private final ControlSender sender;
    private final Queue<ReceiverEvent> events;
    private final ReceiverCounters counters;
    private final RebuiltLog log;
    private final LogCleaner cleaner;

    /** Number of bytes of the log to keep in memory ahead of the consumed position. */
    private final long span;

    private final LossTally losses;
    private final GapRecovery recovery;
    private final StatusMessages status;
    private final CongestionControl congestion;
    private final RoundTripProbe probe;
    private final Distance distance;

    /** Records when frames arrive; null if the channel does not request timestamps. */
    private final FrameTimestamps arrivals;

    /** Records when the kernel or the adapter received frames; null if not requested. */
    private final FrameTimestamps receipts;

    /** Null unless the stream consists of requests. */
    private final ResponseNotice responses;

    /** Address from which frames of the stream are accepted. */
    private final SocketAddress source = new SocketAddress();

    /** Address at which to respond to the sender: its control address, if any, else the source. */
    private final SocketAddress replyTo;

    private final boolean isReliable;
    private final boolean isGroup;
    private final int mtu;
    private final long timeoutNs;

    /** How far past the granted position the sender's heartbeats still count. */
    private final long reach;

    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.TAGGED_LENGTH));

    /** Complete position last reported to the congestion control. */
    private long progress;

    /** Arrived position last shown in counters. */
    private long arrived;

    private long granted;
    private long frameNs;

    /**
     * Whether the sender is too far ahead for this receiver, which is missing earlier frames. Then
     * only retransmitted frames show that the sender is alive; some senders cannot retransmit them.
     */
    private boolean isOutpaced;

    private long sourceNs;
    private long endPosition = NONE;
    private long answeredNs;
    private boolean hasEnded;

    /** Leaves the sender; null unless the driver is closing. */
    private Parting parting;

    private boolean isRevoked;

    /**
     * Called by the conductor's thread.
     *
     * @param image image to fill.
     * @param offered offered stream.
     * @param options options of the transport.
     * @param counters counters of the receiver.
     * @param events queue for events to the conductor.
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
        reach = options.givesUpSlowReceivers() ? 0 : log.termLength();
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
        receipts = FrameTimestamps.of(image.channel().mediaTimestamp());
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

    /**
     * Creates the gap recovery; an unreliable image skips gaps immediately, because waiting has no
     * benefit.
     */
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

    /** Returns the key of an image within its endpoint. */
    static long key(int streamId, int sessionId) {
        return (long) streamId << 32 | sessionId & 0xFFFF_FFFFL;
    }

    long key() {
        return key(log.streamId(), log.sessionId());
    }

    InboundImage image() {
        return image;
    }

    /** Returns whether the stream may have other receivers. */
    boolean isGroup() {
        return isGroup;
    }

    ReceiveEndpoint endpoint() {
        return endpoint;
    }

    int initialTermId() {
        return log.initialTermId();
    }

    /** Returns whether the end of the stream was reached. */
    boolean hasEnded() {
        return hasEnded;
    }

    // Conductor

    /**
     * Cleans a part of the log that is both consumed and counted by the receiver: if a frame were
     * zeroed before the receiver counts it, the receiver would request it again, and it would be
     * left over when the log is reused.
     *
     * @return work count.
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

    /** Returns the losses of the stream. */
    LossTally losses() {
        return losses;
    }

    // Receiver

    /** Reports the session id of responses to the sender of requests; null for any other stream. */
    ResponseNotice responses() {
        return responses;
    }

    /**
     * Accepts the contiguous data frames at the start of a part of a datagram.
     *
     * @param part part of the datagram, with the header of one frame at least.
     * @param from source of the datagram.
     * @param receivedNs time of receipt in nanoseconds since the epoch; 0 if unknown.
     * @param nowNs monotonic time.
     * @return number of bytes handled, whether stored or not; -1 if the frames are invalid.
     */
    int onData(UnsafeBuffer part, SocketAddress from, long receivedNs, long nowNs) {
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
        if (receipts != null && receivedNs != 0) {
            receipts.stamp(part, 0, Math.min(length, part.capacity()), receivedNs);
        }
        int duplicates = log.insert(part, position, length, granted);
        if (duplicates > 0) {
            counters.duplicates.getAndAddRelease(duplicates);
        }
        return taken;
    }

    /**
     * Handles a heartbeat. A revocation ends the image however far the sender is ahead of this
     * receiver.
     */
    private void onHeartbeat(UnsafeBuffer part, long position, long nowNs) {
        counters.heartbeats.incrementRelease();
        int flags = Frames.flags(part, 0);
        boolean ends = (flags & Frames.FLAG_END_OF_STREAM) != 0 && position >= log.rebuilt();
        if (ends && (flags & Frames.FLAG_REVOKED) != 0) {
            heard(nowNs);
            endPosition = position;
            isRevoked = true;
            return;
        }
        if (position > granted + reach) {
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
        if (ends) {
            endPosition = position;
        }
    }

    /**
     * Returns whether any missing frame would fit into the granted window; if not, subscribers hold
     * the stream back.
     */
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
     * Handles a frame from an address other than the sender's. If the sender is silent, the frame
     * may come from the sender after a router has changed its address, so this requests a setup.
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

    /** Returns whether a frame comes from the sender's address; counts it as forged if not. */
    boolean isOfSender(SocketAddress from) {
        boolean isOfSender = source.isSame(from);
        if (!isOfSender) {
            counters.forged.incrementRelease();
        }
        return isOfSender;
    }

    /**
     * Handles a setup, which requests a status message. The sender may change its address if it was
     * silent at the old one for a while, and if the setup matches the stream.
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
        source.set(from); // its local address may have changed
        sourceNs = nowNs;
        status.onAsked(nowNs);
    }

    /** Handles the sender's answer to a round-trip measurement. */
    void onRoundTrip(UnsafeBuffer answer, long nowNs) {
        long rttNs = probe.onAnswer(answer, nowNs);
        if (rttNs >= 0) {
            congestion.onRoundTrip(rttNs);
            counters.roundTrips.incrementRelease();
        }
    }

    /**
     * Handles the sender's challenge. The answer and a new status message go to the sender's known
     * address, regardless of the challenge's source.
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
     * Runs the duty cycle.
     *
     * @return work count.
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
                leave(nowNs); // everything has arrived, so the sender need not linger
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

    /** Returns the limit to grant; the word after it must be readable as well. */
    private long limit(long consumed) {
        long inMemory = image.log().room().end() - LogLayout.MIN_PAGE_LENGTH;
        return Math.min(cleaner.limit(consumed, congestion.window()), inMemory);
    }

    /** Handles a gap that is due. */
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

    /** Starts closing the image because the driver is closing: stops extending the window. */
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

    /** Returns whether the image is being closed because the driver is closing. */
    boolean isStopping() {
        return parting != null;
    }

    /**
     * Returns whether the closing driver may close the image: the stream has ended, or the sender
     * has stopped sending and everything that it sent has arrived.
     */
    boolean isStopped(long nowNs) {
        return parting != null && (hasEnded || parting.isOver(nowNs));
    }

    /** Tells the sender that this receiver leaves the stream. */
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

    /** Returns why the image must end although its sender has not ended it; null if it need not. */
    String lost(long nowNs) {
        if (log.isBroken()) {
            return "the sender's frames overlap, so no frame starts at position " + log.rebuilt();
        }
        if (isGroup && distance.isTooFar()) {
            return "the sender left this receiver behind at position "
                    + log.rebuilt()
                    + ": set fc=min on the publication's channel, or consume faster";
        }
        if (hasEnded || nowNs - frameNs < timeoutNs) {
            return null;
        }
        return isOutpaced
                ? "the sender is ahead, and has not retransmitted the data at position "
                        + log.rebuilt()
                        + " for "
                        + timeoutNs / 1_000_000
                        + " ms: set fc=min on the publication's channel, or consume faster"
                : "the sender has been silent for " + timeoutNs / 1_000_000 + " ms";
    }
}
