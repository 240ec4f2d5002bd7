// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.FrameTimestamps;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.StreamHops;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.SetupFrame;

/**
 * Sends a publication to its receivers. Sends setups until a receiver responds with a status
 * message, then the log's frames as far as flow control allows, heartbeats when there are none, and
 * the end of the stream while it lingers: until its receiver has left, or for the linger time if
 * more receivers of a group may exist. Used by the sender's thread only.
 *
 * <p>Receivers are not trusted: positions beyond what was sent are ignored.
 */
final class SendStream {
    /** Minimum interval at which session ids of responses are passed on. */
    private static final long RESPONSE_INTERVAL_NS = 10_000_000;

    /** Minimum interval at which errors are passed on, because they may be forged. */
    private static final long FAILURE_INTERVAL_NS = 10_000_000_000L;

    /** Minimum interval of setups requested by receivers. */
    private static final long MIN_SETUP_INTERVAL_NS = 10_000_000;

    /**
     * The publisher limit is raised in steps of the publication window shifted right by this number
     * of bits.
     */
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
    private final Retransmitter retransmitter;
    private final FlowControl flow;

    /** Sampler of the stream's hops; null if they are not sampled. */
    private final StreamHops hops;

    private final DestinationPort port;

    private final int setupFlags;
    private final long lingerNs;
    private final boolean tellsEnd;

    /** Whether there may be several receivers, some of them still unknown. */
    private final boolean isGroup;

    /** Bytes before the consumed position that slower receivers of a group may still request. */
    private final int kept;

    /** Number of bytes by which a publisher may be ahead of the sent position. */
    private final int publicationWindow;

    /** Maximum number of bytes per duty cycle. */
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
            DestinationPort port,
            boolean isGroup,
            StreamHops hops,
            long nowNs) {
        this.stream = stream;
        this.hops = hops;
        this.port = port;
        setupFlags = stream.channel().response().isRequest() ? SetupFrame.FLAG_WANTS_RESPONSES : 0;
        responseNs = nowNs - RESPONSE_INTERVAL_NS;
        this.options = options;
        lingerNs = options.lingerNs(stream.channel());
        tellsEnd = stream.channel().tellsEnd();
        source =
                new LogSource(
                        stream.log(),
                        FrameTimestamps.of(stream.channel().timestamps().send()),
                        port);
        retransmitter = new Retransmitter(stream, source, port, counters, options);
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

    /** Returns the port for sending the stream and answering its receivers. */
    DestinationPort port() {
        return port;
    }

    /** Returns the sampler of the stream's hops; null if they are not sampled. */
    StreamHops hops() {
        return hops;
    }

    /** Returns the flags of the stream's setups. */
    int setupFlags() {
        return setupFlags;
    }

    /** Returns whether to pass on a session id of responses now; rate-limited. */
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

    /** Returns whether to pass on an error from a receiver now; rate-limited. */
    boolean isFailureDue(long nowNs) {
        boolean isDue = !isFailureTold || nowNs - failedNs >= FAILURE_INTERVAL_NS;
        if (isDue) {
            isFailureTold = true;
            failedNs = nowNs;
        }
        return isDue;
    }

    /**
     * Handles the rejection of the stream by a receiver.
     *
     * @return whether the rejection is new.
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

    /** Returns whether one duty cycle may use up the receivers' window. */
    boolean isShortOfRoom() {
        return isConnected && flow.limit() - stream.senderPosition() < turnLength;
    }

    /** Requests the end of the stream, on behalf of the conductor. */
    void end() {
        isEnding = true;
    }

    /**
     * Runs the duty cycle.
     *
     * @return work count.
     */
    int work(long nowNs) {
        if (hops != null) {
            hops.onTurn(nowNs);
        }
        if (isConnected && (!flow.hasReceivers(nowNs) || port.isDeserted())) {
            disconnect();
        }
        return switch (state) {
            case OPEN -> workOpen(nowNs);
            case LINGERING -> linger(nowNs);
            case BROKEN -> isEnding ? finish() : 0;
            case DONE -> 0;
        };
    }

    private int workOpen(long nowNs) {
        int work = 0;
        if (isConnected) {
            try {
                work = sendData(nowNs) + retransmitter.send(floor);
            } catch (InvalidFrameException e) {
                fail(e);
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
                sendHeartbeat(endFlags(), nowNs);
                return 1;
            }
        }
        if (isSetupDue || !isConnected) {
            work += setup(nowNs);
        }
        if (isConnected && nowNs - lastSendNs >= options.heartbeatIntervalNs()) {
            sendHeartbeat(0, nowNs);
            work++;
        }
        return work;
    }

    private int linger(long nowNs) {
        if (!isConnected && !isGroup || nowNs - lingersUntilNs >= 0) {
            return finish();
        }
        int work = retransmitter.send(floor);
        if (nowNs - lastSendNs >= options.heartbeatIntervalNs()) {
            sendHeartbeat(endFlags(), nowNs);
            work++;
        }
        return work;
    }

    private int finish() {
        disconnect();
        state = State.DONE;
        return 1;
    }

    private void fail(InvalidFrameException defect) {
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
            if (hops != null) {
                hops.reset();
            }
        }
    }

    private int sendData(long nowNs) {
        long limit = flow.limit();
        long position = stream.senderPosition();
        if (source.fill(position, limit) == position) {
            stall(position, limit);
            return 0;
        }
        isStalled = false;
        boolean isSampled = hops != null && hops.onSight();
        long sentTo = port.flush(position);
        if (sentTo > position) {
            stream.senderPosition(sentTo);
            if (isSampled) {
                hops.onSent(sentTo);
            }
            lastSendNs = nowNs;
            if (newPublisherLimit() - publisherLimit > publicationWindow >> GAIN_SHIFT) {
                raisePublisherLimit();
            }
        }
        return 1;
    }

    /**
     * Raises the publisher limit. Publishers may be ahead of the sender, regardless of the
     * receivers' window, so that there is data to send when the window grows while publishers
     * sleep.
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

    private int setup(long nowNs) {
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

    private void sendHeartbeat(int end, long nowNs) {
        lastSendNs = nowNs;
        port.sendHeartbeat(stream.log().spec(), end, sent());
    }

    FlowControl flow() {
        return flow;
    }

    /**
     * Handles a status message that counts for flow control.
     *
     * @param isLeaving whether the receiver leaves.
     * @param position consumed position, as returned by {@link #consumedPosition}.
     */
    void onStatus(boolean isLeaving, long position, int newWindow, long newReceiverId, long nowNs) {
        if (isLeaving) {
            flow.onLeave(newReceiverId);
        } else if ((state == State.OPEN || state == State.LINGERING) && canServe(position)) {
            accept(position, newWindow, newReceiverId, nowNs);
        }
    }

    /** Handles a request for the setup. */
    void onSetupWanted() {
        isSetupDue = state == State.OPEN;
    }

    /**
     * Returns the position up to which a receiver claims to have consumed; negative if that is
     * impossible, given that no window exceeds a term.
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
     * Returns whether the log still holds everything from a position on. Data may be missing if the
     * stream continued without receivers and a receiver connected late; the receiver's image then
     * times out and starts over.
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

    /** Handles a NAK. */
    void onNak(int termId, int termOffset, int length, long nowNs) {
        retransmitter.onNak(termId, termOffset, length, floor, nowNs);
    }
}
