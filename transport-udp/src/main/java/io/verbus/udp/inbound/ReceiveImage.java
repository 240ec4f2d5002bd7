// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.DatagramSettings;
import io.verbus.logbuffer.FrameHeader;
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
 * Used by the receiver, except for {@link #room}, which the conductor cleans.
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
    private static final long NONE = -1;

    private final InboundImage image;
    private final UdpEndpoint endpoint;
    private final Queue<ReceiverEvent> events;
    private final ReceiverCounters counters;
    private final RebuiltLog log;
    private final ReceiveRoom room;
    private final LossTally losses;
    private final GapRecovery recovery;
    private final StatusMessages status;
    private final CongestionControl congestion;
    private final RoundTripProbe probe;
    private final SenderLiveness liveness;

    /** Records when frames arrive; null if the channel does not request timestamps. */
    private final FrameTimestamps arrivals;

    /** Records when the kernel or the adapter received frames; null if not requested. */
    private final FrameTimestamps receipts;

    /** Null unless the stream consists of requests. */
    private final ResponseNotice responses;

    private final StreamSource source;
    private final boolean isReliable;
    private final boolean isGroup;
    private final int mtu;

    /** How far past the granted position the sender's heartbeats still count. */
    private final long reach;

    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.TAGGED_LENGTH));

    /** Complete position last reported to the congestion control. */
    private long progress;

    /** Arrived position last shown in counters. */
    private long arrived;

    private long granted;
    private long endPosition = NONE;
    private boolean hasEnded;

    /** Leaves the sender; null unless the driver is closing. */
    private GracefulLeave leave;

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
        source = new StreamSource(offered.source(), frame, endpoint, counters, nowNs);
        isGroup = offered.isGroup() || endpoint.isGroup();
        isReliable = image.channel().datagrams().isReliable();
        mtu = offered.mtu();
        log = new RebuiltLog(image.log(), offered.position());
        reach = options.givesUpSlowReceivers() ? 0 : log.termLength();
        room =
                new ReceiveRoom(
                        image,
                        log,
                        offered.position(),
                        endpoint.terms().span(log.termLength(), mtu));
        losses =
                new LossTally(
                        offered.streamId(),
                        offered.sessionId(),
                        endpoint.description(),
                        offered.source().toString(),
                        nowNs);
        recovery = recovery(options);
        status = new StatusMessages(log, endpoint, options.statusIntervalNs(), nowNs);
        congestion = endpoint.terms().congestionControl(log.termLength(), mtu);
        probe = new RoundTripProbe(endpoint.receiverId());
        liveness = new SenderLiveness(log.termLength(), isGroup, options.imageTimeoutNs(), nowNs);
        arrivals = FrameTimestamps.of(image.channel().timestamps().receive());
        receipts = FrameTimestamps.of(image.channel().timestamps().media());
        responses =
                offered.wantsResponses()
                        ? new ResponseNotice(
                                endpoint.sender(),
                                offered.sessionId(),
                                offered.streamId(),
                                options.statusIntervalNs())
                        : null;
        progress = offered.position();
        arrived = offered.position();
        granted = offered.position();
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

    UdpEndpoint endpoint() {
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

    /** Returns the room in the log, which the conductor cleans. */
    ReceiveRoom room() {
        return room;
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
        if (!source.is(from)) {
            source.onForged(part, from, nowNs);
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
            if (hasRoom()) {
                liveness.onOutpaced();
            }
            counters.overRuns.incrementRelease();
            liveness.onBeyond(position - log.rebuilt(), nowNs);
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
            liveness.onBeyond(position - log.rebuilt(), nowNs);
            return;
        }
        boolean isOutpaced = position > granted && hasRoom();
        if (isOutpaced) {
            liveness.onOutpaced();
            source.heard(nowNs);
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
        liveness.onFrame(nowNs);
        source.heard(nowNs);
    }

    /** Returns the address of the stream's sender. */
    StreamSource source() {
        return source;
    }

    /** Handles a setup, which requests a status message. */
    void onSetup(UnsafeBuffer setup, SocketAddress from, long nowNs) {
        boolean isMatching =
                SetupFrame.initialTermId(setup) == log.initialTermId()
                        && SetupFrame.termLength(setup) == log.termLength();
        if (source.acceptsSetup(from, isMatching, nowNs)) {
            status.onAsked(nowNs);
        }
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
        if (!source.mayAnswer(nowNs)) {
            return;
        }
        RttFrame.reply(frame, question);
        source.send(frame, RttFrame.LENGTH, nowNs);
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
            source.send(frame, RttFrame.LENGTH, nowNs);
            work++;
        }
        if (leave != null) {
            work += part(nowNs);
        }
        boolean hasLeft = leave != null && leave.hasLeft();
        if (!hasLeft && status.isDue(consumed, congestion.window(), nowNs)) {
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
            work += responses.work(source.replyTo(), nowNs);
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
        long limit =
                leave != null
                        ? granted
                        : Math.max(room.limit(consumed, congestion.window()), granted);
        int length = status.write(frame, 0, consumed, (int) Math.max(limit - consumed, 0));
        boolean isSent = source.send(frame, length, nowNs);
        status.told(consumed, isSent, nowNs);
        if (isSent) {
            granted = limit;
            counters.statusMessages.incrementRelease();
        }
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
            if (source.send(frame, NakFrame.LENGTH, nowNs)) {
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
        if (leave == null) {
            leave = new GracefulLeave(log.highest(), nowNs);
        }
    }

    private int part(long nowNs) {
        boolean isAllHere = !log.hasGap() && log.rebuilt() >= granted;
        if (!hasEnded && leave.isLeavingDue(log.highest(), log.hasGap(), isAllHere, nowNs)) {
            leave(nowNs);
            return 1;
        }
        return 0;
    }

    /** Returns whether the image is being closed because the driver is closing. */
    boolean isStopping() {
        return leave != null;
    }

    /**
     * Returns whether the closing driver may close the image: the stream has ended, or the sender
     * has stopped sending and everything that it sent has arrived.
     */
    boolean isStopped(long nowNs) {
        return leave != null && (hasEnded || leave.isOver(nowNs));
    }

    /** Tells the sender that this receiver leaves the stream. */
    void leave(long nowNs) {
        long position = Math.min(image.consumedPosition(), log.rebuilt());
        int length = status.write(frame, StatusFrame.FLAG_END_OF_STREAM, position, 0);
        boolean isSent = source.send(frame, length, nowNs);
        status.told(position, isSent, nowNs);
        if (isSent) {
            counters.statusMessages.incrementRelease();
        }
    }

    /** Tells the sender that a subscriber has rejected the stream. */
    void tell(Rejections rejections, long nowNs) {
        int length = rejections.write(key(), log.sessionId(), log.streamId(), nowNs);
        if (source.send(rejections.frame(), length, nowNs)) {
            counters.errorFrames.incrementRelease();
        }
    }

    /** Returns why the image must end although its sender has not ended it; null if it need not. */
    String lost(long nowNs) {
        if (log.isBroken()) {
            return "the sender's frames overlap, so no frame starts at position " + log.rebuilt();
        }
        return liveness.lost(log.rebuilt(), hasEnded, nowNs);
    }
}
