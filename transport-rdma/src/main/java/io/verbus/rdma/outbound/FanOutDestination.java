// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

import java.util.OptionalInt;

/**
 * A publication on its way to one of its destinations: what a {@link Transfer} takes for its
 * stream. Sent and released positions are the destination's own; {@link FanOut} makes those of the
 * publication of them. Made by the conductor; then the sender's, but for the counters, which the
 * conductor closes.
 *
 * <p>What the destination needs of the log:
 *
 * <pre>
 *   nothing ─Setup─▶ from the offered position ─Accept─▶ from what it has released
 *      ▲                                                          │ connection lost
 *      ├────── read no more ◀── left, removed, ended ◀────────────┤
 *      └────── the log is wanted by others ◀── not in time ◀──────┘ may resume
 * </pre>
 *
 * While work requests may read the log for it, it is pinned: no strategy reuses the log then. So is
 * one that was removed when its acceptance was on the way.
 */
final class FanOutDestination implements OutboundStream, Retention {
    /** Need of a destination for which nothing of the log is kept. */
    static final long NOTHING = Long.MAX_VALUE;

    private final OutboundStream stream;
    private final long wireId;
    private final ChannelUri destination;
    private final long controlId;
    private final FanOut fanOut;
    private final DestinationCounters counters;

    private Transfer transfer;
    private long position;
    private long need = NOTHING;
    private long window;
    private boolean isMember;
    private boolean isTagged;
    private boolean isPinned;
    private boolean isHeld;
    private boolean isCatchingUp;
    private boolean isLapsed;
    private boolean isDropped;
    private boolean wasStale;

    /**
     * @param stream of the publication.
     * @param wireId by which peers know it: that of no publication, nor of another destination,
     *     since one that was removed may still be ending when it is added again.
     * @param destination of it.
     * @param controlId of the control address at which it has announced itself, or 0.
     * @param fanOut of it.
     * @param host whose operators see the counters.
     */
    FanOutDestination(
            OutboundStream stream,
            long wireId,
            ChannelUri destination,
            long controlId,
            FanOut fanOut,
            TransportHost host) {
        this.stream = stream;
        this.wireId = wireId;
        this.destination = destination;
        this.controlId = controlId;
        this.fanOut = fanOut;
        counters = new DestinationCounters(host, stream, destination.endpoint().toString());
    }

    // Conductor

    /** The publication. */
    OutboundStream stream() {
        return stream;
    }

    /** Of the control address at which it has announced itself, or 0. */
    long controlId() {
        return controlId;
    }

    void closeCounters() {
        counters.close();
    }

    // Sender: what the transfer tells

    @Override
    public void onOffer() {
        fanOut.join(this);
        position = stream.senderPosition();
        if (!isPinned) {
            need = position;
        }
        isLapsed = false;
        isHeld = wasStale;
        fanOut.update();
    }

    @Override
    public void onDelivered() {
        if (isPinned) {
            isPinned = false;
            need = position;
            fanOut.update();
        }
    }

    @Override
    public void onOfferOver() {
        if (isHeld) {
            isHeld = false;
            fanOut.update();
        }
    }

    /**
     * Whether the log is kept for it though it takes part in nothing: for the answer to an offer,
     * or because work requests may read it still.
     */
    boolean isAwaited() {
        return isHeld || isPinned && !isMember();
    }

    @Override
    public void onAccept(Transfer accepted, boolean hasTag, long tag) {
        fanOut.join(this); // one that was dropped meanwhile is read for, until it has ended
        transfer = accepted;
        isTagged = hasTag && fanOut.isTag(tag);
        isPinned = true;
        isHeld = false;
        isMember = true;
        isCatchingUp = true;
        isLapsed = false;
        wasStale = false;
    }

    @Override
    public boolean isCatchingUp() {
        return isCatchingUp;
    }

    @Override
    public void onCatchUpOver() {
        isCatchingUp = false;
        fanOut.update();
    }

    /** It is near enough to the others. */
    void caughtUp() {
        isCatchingUp = false;
    }

    @Override
    public void onStaleAccept(Transfer accepted) {
        transfer = accepted;
        wasStale = true;
        isHeld = false;
        fanOut.update();
    }

    @Override
    public void onDisconnect() {
        transfer = null;
        isCatchingUp = false;
    }

    @Override
    public void onUnread(boolean isOver) {
        transfer = null;
        isPinned = false;
        if (isOver || isLapsed || isDropped) {
            need = NOTHING;
        }
        fanOut.update();
    }

    @Override
    public boolean isLapsed() {
        return isLapsed;
    }

    /** The conductor removes the destination. */
    void drop() {
        isDropped = true;
        isMember = false;
        isHeld = false;
        isCatchingUp = false;
        if (!isPinned) {
            need = NOTHING;
        }
        fanOut.update();
    }

    @Override
    public boolean isDropped() {
        return isDropped;
    }

    // Sender: what the fan-out asks

    boolean isMember() {
        return isMember && !isDropped;
    }

    boolean isTagged() {
        return isTagged;
    }

    /** Position from which on the log is needed, or {@link #NOTHING}. */
    long need() {
        return need;
    }

    @Override
    public boolean isKept() {
        return isPinned || isHeld;
    }

    /** Bytes past what it has released that it takes. */
    long window() {
        return window;
    }

    /** It is so far behind that the log will be reused. */
    void fallBehind() {
        if (isDropped) {
            return; // it ends as soon as its connection allows
        }
        if (transfer != null) {
            if (transfer.leave()) {
                onLeft();
            }
            return;
        }
        if (!isLapsed) {
            isLapsed = true;
            if (isMember) {
                isMember = false;
                onLeft();
            }
        }
        if (!isKept()) {
            need = NOTHING;
        }
    }

    private void onLeft() {
        counters.left.incrementRelease();
        fanOut.tell(new SenderEvent.Left(this));
    }

    // What the transfer takes for its stream

    @Override
    public long registrationId() {
        return wireId;
    }

    @Override
    public ChannelUri channel() {
        return destination;
    }

    @Override
    public OptionalInt sendTimestamp() {
        return stream.sendTimestamp();
    }

    @Override
    public LogBuffers log() {
        return stream.log();
    }

    @Override
    public long senderPosition() {
        return position;
    }

    @Override
    public void senderPosition(long newPosition) {
        position = newPosition;
        counters.sent.setRelease(newPosition);
        if (newPosition > stream.senderPosition()) {
            stream.senderPosition(newPosition);
        }
    }

    @Override
    public long releasedPosition() {
        return fanOut.floor();
    }

    @Override
    public void onReleased(long newNeed, long newWindow) {
        need = newNeed;
        window = newWindow;
        counters.released.setRelease(newNeed);
        fanOut.update();
    }

    @Override
    public void onConnected(boolean nowConnected) {
        isMember = nowConnected;
        counters.connected.setRelease(nowConnected ? 1 : 0);
        fanOut.update();
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return stream.goesOnWithoutReceivers();
    }

    @Override
    public void onCreditStall() {
        stream.onCreditStall();
    }

    @Override
    public void onNak() {
        stream.onNak();
    }

    /** One that is removed ends behind what was sent. */
    @Override
    public long finalPosition() {
        return isDropped ? position : stream.finalPosition();
    }

    @Override
    public boolean isRevoked() {
        return !isDropped && stream.isRevoked();
    }
}
