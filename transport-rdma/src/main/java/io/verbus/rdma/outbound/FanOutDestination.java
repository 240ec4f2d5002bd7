// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

/**
 * One destination of a publication, which acts as the stream of a {@link Transfer}. The destination
 * has its own sent and released positions; {@link FanOut} combines those of all destinations into
 * the publication's. Created by the conductor, then used by the sender, except for the counters,
 * which the conductor closes.
 *
 * <p>The part of the log that the destination needs:
 *
 * <pre>
 *   nothing ─Setup─▶ from the offered position ─Accept─▶ from what it has released
 *      ▲                                                          │ connection lost
 *      ├────── read no more ◀── left, removed, ended ◀────────────┤
 *      └────── the log is wanted by others ◀── not in time ◀──────┘ may resume
 * </pre>
 *
 * <p>While work requests may read the log for the destination, it is pinned: under no strategy is
 * the log then reused. A destination that was removed while its acceptance was in flight is also
 * pinned.
 */
final class FanOutDestination implements OutboundStream, Retention {
    /** Returned by {@link #need} for a destination that needs nothing from the log. */
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
    private long readTo = NOTHING;
    private boolean isMember;
    private boolean isTagged;
    private boolean isPinned;
    private boolean isHeld;
    private boolean isCatchingUp;
    private boolean isLapsed;
    private boolean isDropped;
    private boolean wasStale;

    /**
     * @param stream stream of the publication.
     * @param wireId id on the wire. Differs from the ids of publications and of other destinations,
     *     because a removed destination may still be ending when it is added again.
     * @param destination channel of the destination.
     * @param controlId id of the control address at which the receiver announced itself, or 0.
     * @param fanOut fan-out of the publication.
     * @param host driver that publishes the counters.
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

    /** Returns the publication. */
    OutboundStream stream() {
        return stream;
    }

    /** Returns the id of the control address at which the receiver announced itself, or 0. */
    long controlId() {
        return controlId;
    }

    void closeCounters() {
        counters.close();
    }

    // Sender: events of the transfer

    @Override
    public void onUnsubscribed() {
        fanOut.onUnsubscribed();
    }

    @Override
    public int maxBatch() {
        return fanOut.maxBatch();
    }

    @Override
    public void onOffer() {
        fanOut.join(this);
        position = fanOut.offerPosition();
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
     * Returns whether the log is kept although the destination is not a member: while the answer to
     * an offer is awaited, or because work requests may still read the log.
     */
    boolean isAwaited() {
        return isHeld || isPinned && !isMember();
    }

    @Override
    public void onAccept(Transfer accepted, boolean hasTag, long tag) {
        fanOut.join(this); // if dropped in the meantime: stays pinned until ended
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

    /** Records that the destination has caught up with the others. */
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

    /** Removes the destination at the conductor's request. */
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

    // Sender: queries from the fan-out

    boolean isMember() {
        return isMember && !isDropped;
    }

    boolean isTagged() {
        return isTagged;
    }

    /** Returns the position from which the log is needed, or {@link #NOTHING}. */
    long need() {
        return need;
    }

    @Override
    public boolean isKept() {
        return isPinned || isHeld;
    }

    /** Returns the number of bytes that the destination accepts beyond its released position. */
    long window() {
        return window;
    }

    /** Drops the destination, because the log will be reused beyond its position. */
    void fallBehind() {
        if (isDropped) {
            return; // the destination ends as soon as its connection permits
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

    // The stream that the transfer sends

    @Override
    public long registrationId() {
        return wireId;
    }

    @Override
    public ChannelUri channel() {
        return destination;
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
            fanOut.sent(newPosition);
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
    public void onLogRead(long newReadTo) {
        if (newReadTo != readTo) {
            readTo = newReadTo;
            fanOut.updateReads();
        }
    }

    /** Returns the position from which work requests may read the log, or {@link #NOTHING}. */
    long readTo() {
        return isPinned ? readTo : NOTHING;
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

    /** Returns the sent position if the destination was removed, because its stream ends there. */
    @Override
    public long finalPosition() {
        return isDropped ? position : stream.finalPosition();
    }

    @Override
    public boolean isRevoked() {
        return !isDropped && stream.isRevoked();
    }
}
