// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.FrameTimestamps;
import io.verbus.transport.OutboundStream;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.SetupFrame;

/**
 * A publication on its way to its receivers. Set-ups go out until one answers with a status
 * message, then the log's frames as far as flow control allows, heartbeats when there are none, and
 * the end of the stream for as long as it lingers: until its receiver has left, or for a time where
 * receivers of a group may still come. Sender's thread.
 *
 * <p>RemoteReceivers are not to be trusted: what they claim to have consumed does not go past what
 * was sent.
 */
final class SendStream {
    /** What is told of responses is passed on at most so often. */
    private static final long RESPONSE_INTERVAL_NS = 10_000_000;

    /** Between failures that are passed on: strangers may send them. */
    private static final long FAILURE_INTERVAL_NS = 10_000_000_000L;

    /** Set-ups that receivers ask for are at least so far apart. */
    private static final long MIN_SETUP_INTERVAL_NS = 10_000_000;

    /** The publisher's limit is raised when it moves by this part of its window. */
    private static final int GAIN_SHIFT = 3;

    private enum State {
        OPEN,
        LINGERING,
        BROKEN,
        DONE
    }

    private final OutboundStream stream;
    private final UdpOptions options;
    private final LogSource source;
    private final Retransmission retransmission;
    private final FlowControl flow;

    /** Of a stream whose receivers come by themselves, what it alone is sent by; else null. */
    private final DestinationPort ownPort;

    private final int setupFlags;
    private final long lingerNs;
    private final boolean tellsEnd;

    /** Whether several may receive the stream, and some of them may not be known yet. */
    private final boolean isGroup;

    /** Bytes behind what is consumed that slower receivers of a group may still ask for. */
    private final int kept;

    /** Bytes that a publisher may be ahead of what was sent. */
    private final int publicationWindow;

    /** Bytes that a turn sends at most. */
    private final int turnLength;

    private final int termLength;
    private final int bitsToShift;
    private final int initialTermId;
    private State state = State.OPEN;
    private boolean isEnding;
    private boolean isFailureTold;
    private long failedNs;
    private long responseNs;
    private boolean isRejected;
    private long rejecterId;
    private long rejectedNs;
    private boolean isConnected;
    private boolean isSetupDue;
    private boolean isStalled;
    private long floor;
    private long publisherLimit;
    private long lastSetupNs;
    private long lastSendNs;
    private long lingersUntilNs;

    SendStream(
            OutboundStream stream,
            UdpOptions options,
            SenderCounters counters,
            FlowControl flow,
            DestinationPort ownPort,
            boolean isGroup,
            long nowNs) {
        this.stream = stream;
        this.ownPort = ownPort;
        setupFlags = stream.channel().response().isRequest() ? SetupFrame.FLAG_WANTS_RESPONSES : 0;
        responseNs = nowNs - RESPONSE_INTERVAL_NS;
        this.options = options;
        lingerNs = options.lingerNs(stream.channel());
        tellsEnd = stream.channel().tellsEnd();
        source = new LogSource(stream.log(), FrameTimestamps.of(stream.sendTimestamp()));
        retransmission = new Retransmission(stream, source, counters, options);
        turnLength = Destination.BATCH * stream.log().spec().mtu();
        termLength = stream.log().spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        initialTermId = stream.log().spec().initialTermId();
        this.flow = flow;
        publicationWindow = options.publicationWindow(stream.channel(), termLength);
        this.isGroup = isGroup;
        kept = isGroup ? termLength : 0;
        floor = stream.senderPosition();
        lastSetupNs = nowNs - options.setupIntervalNs();
        lastSendNs = nowNs;
    }

    OutboundStream stream() {
        return stream;
    }

    /** What this stream alone is sent by; null if it shares the port of its destination. */
    DestinationPort ownPort() {
        return ownPort;
    }

    /** Flags of its set-ups. */
    int setupFlags() {
        return setupFlags;
    }

    /** Whether what a receiver tells of the responses is passed on now. */
    boolean isResponseDue(long nowNs) {
        boolean isDue = setupFlags != 0 && nowNs - responseNs >= RESPONSE_INTERVAL_NS;
        if (isDue) {
            responseNs = nowNs;
        }
        return isDue;
    }

    int sessionId() {
        return stream.log().spec().sessionId();
    }

    int streamId() {
        return stream.log().spec().streamId();
    }

    /** Whether a failure that a receiver tells of now is passed on; the next ones wait. */
    boolean isFailureDue(long nowNs) {
        boolean isDue = !isFailureTold || nowNs - failedNs >= FAILURE_INTERVAL_NS;
        if (isDue) {
            isFailureTold = true;
            failedNs = nowNs;
        }
        return isDue;
    }

    /**
     * A receiver does not take the stream any more.
     *
     * @return whether that is news.
     */
    boolean onRejected(long receiverId, long nowNs) {
        flow.onLeave(receiverId);
        boolean isNews =
                !isRejected
                        || rejecterId != receiverId
                        || nowNs - rejectedNs >= FAILURE_INTERVAL_NS;
        isRejected = true;
        rejecterId = receiverId;
        rejectedNs = nowNs;
        return isNews;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Whether a turn may use up what receivers have granted. */
    boolean isShortOfRoom() {
        return isConnected && flow.limit() - stream.senderPosition() < turnLength;
    }

    /** The conductor has asked for the end of the stream. */
    void end() {
        isEnding = true;
    }

    /**
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(DestinationPort port, long nowNs) {
        if (isConnected && (!flow.hasReceivers(nowNs) || port.isDeserted())) {
            disconnect();
        }
        return switch (state) {
            case OPEN -> workOpen(port, nowNs);
            case LINGERING -> linger(port, nowNs);
            case BROKEN -> isEnding ? finish() : 0;
            case DONE -> 0;
        };
    }

    private int workOpen(DestinationPort port, long nowNs) {
        int work = 0;
        if (isConnected) {
            try {
                work = sendData(port, nowNs) + retransmission.send(port, floor);
            } catch (InvalidFrameException e) {
                fail(port, e);
                return 1;
            }
        }
        if (isEnding) {
            if (!isConnected) {
                return finish();
            }
            if (stream.isRevoked() || stream.senderPosition() >= stream.finalPosition()) {
                state = State.LINGERING;
                lingersUntilNs = nowNs + lingerNs;
                sendHeartbeat(port, endFlags(), nowNs);
                return 1;
            }
        }
        if (isSetupDue || !isConnected) {
            work += setup(port, nowNs);
        }
        if (isConnected && nowNs - lastSendNs >= options.heartbeatIntervalNs()) {
            sendHeartbeat(port, 0, nowNs);
            work++;
        }
        return work;
    }

    private int linger(DestinationPort port, long nowNs) {
        if (!isConnected && !isGroup || nowNs - lingersUntilNs >= 0) {
            return finish();
        }
        int work = retransmission.send(port, floor);
        if (nowNs - lastSendNs >= options.heartbeatIntervalNs()) {
            sendHeartbeat(port, endFlags(), nowNs);
            work++;
        }
        return work;
    }

    private int finish() {
        disconnect();
        state = State.DONE;
        return 1;
    }

    private void fail(DestinationPort port, InvalidFrameException defect) {
        disconnect();
        state = State.BROKEN;
        port.tell(
                new SenderEvent.Broken(
                        this,
                        "the publication log "
                                + stream.log().file()
                                + " is damaged: "
                                + defect.getMessage()
                                + "; close the publication and add it again"));
    }

    private void disconnect() {
        if (isConnected) {
            isConnected = false;
            stream.onConnected(false);
        }
    }

    private int sendData(DestinationPort port, long nowNs) {
        long limit = flow.limit();
        long position = stream.senderPosition();
        long reached = source.fill(port, position, limit);
        if (reached == position) {
            stall(position, limit);
            return 0;
        }
        isStalled = false;
        int staged = port.batch().count();
        int sent = port.flush();
        if (sent > 0) {
            stream.senderPosition(sent == staged ? reached : source.end(sent - 1));
            lastSendNs = nowNs;
            if (newPublisherLimit() - publisherLimit > publicationWindow >> GAIN_SHIFT) {
                raisePublisherLimit();
            }
        }
        return staged;
    }

    /**
     * Publishers may be ahead of the sender, whatever receivers have granted it: so there is
     * something to send when their grant comes while publishers sleep.
     */
    private void raisePublisherLimit() {
        publisherLimit = newPublisherLimit();
        stream.onReleased(floor, publisherLimit - floor);
    }

    private long newPublisherLimit() {
        return Math.min(sent() + publicationWindow, floor + 2L * termLength);
    }

    private void stall(long position, long limit) {
        if (!isStalled && source.isHeldBack(position, limit)) {
            isStalled = true;
            stream.onCreditStall();
        }
    }

    private long sent() {
        return stream.senderPosition();
    }

    private int setup(DestinationPort port, long nowNs) {
        long interval = isSetupDue ? MIN_SETUP_INTERVAL_NS : options.setupIntervalNs();
        if (nowNs - lastSetupNs < interval) {
            return 0;
        }
        isSetupDue = false;
        lastSetupNs = nowNs;
        port.sendSetup(stream.log().spec(), setupFlags, sent());
        return 1;
    }

    private int endFlags() {
        if (stream.isRevoked()) {
            return Frames.FLAG_END_OF_STREAM | Frames.FLAG_REVOKED;
        }
        return tellsEnd ? Frames.FLAG_END_OF_STREAM : 0;
    }

    private void sendHeartbeat(DestinationPort port, int end, long nowNs) {
        lastSendNs = nowNs;
        port.sendHeartbeat(stream.log().spec(), end, sent());
    }

    FlowControl flow() {
        return flow;
    }

    /**
     * A status message has come from a receiver that counts.
     *
     * @param isLeaving whether the receiver leaves.
     * @param position that it has consumed, as {@link #consumedPosition} has found it.
     */
    void onStatus(boolean isLeaving, long position, int newWindow, long newReceiverId, long nowNs) {
        if (isLeaving) {
            flow.onLeave(newReceiverId);
        } else if ((state == State.OPEN || state == State.LINGERING) && canServe(position)) {
            accept(position, newWindow, newReceiverId, nowNs);
        }
    }

    /** A receiver asks for the set-up. */
    void onSetupWanted() {
        isSetupDue = state == State.OPEN;
    }

    /**
     * Position that a receiver says to have consumed; negative if that cannot be, as no window is
     * longer than a term.
     */
    long consumedPosition(int termId, int termOffset) {
        long term = (long) (termId - initialTermId) << bitsToShift;
        long position = term + termOffset;
        boolean canBe =
                term >= 0
                        && termOffset >= 0
                        && termOffset <= termLength
                        && position <= sent()
                        && position >= sent() - termLength
                        && position % FrameHeader.ALIGNMENT == 0;
        return canBe ? position : -1;
    }

    /**
     * Whether the log still holds all from a position on. It may not where the stream has gone on
     * without receivers, and one was slow to come: its image ends in time, and begins anew.
     */
    private boolean canServe(long position) {
        return position >= Math.max(floor, stream.releasedPosition());
    }

    private void accept(long position, int newWindow, long newReceiverId, long nowNs) {
        flow.onStatus(position, Math.min(newWindow, termLength), newReceiverId, nowNs);
        floor = Math.max(Math.max(floor, stream.releasedPosition()), flow.consumed() - kept);
        raisePublisherLimit();
        if (!isConnected && state == State.OPEN && flow.hasReceivers(nowNs)) {
            isConnected = true;
            stream.onConnected(true);
        }
    }

    /** A receiver misses a range. */
    void onNak(int termId, int termOffset, int length, long nowNs) {
        retransmission.onNak(termId, termOffset, length, floor, nowNs);
    }
}
