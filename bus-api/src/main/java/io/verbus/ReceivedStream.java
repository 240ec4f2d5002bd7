// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.SubscriberLease;

import org.agrona.concurrent.status.Position;

/**
 * What an image tells of its stream, and goes on to tell once it is closed and its log is gone. Any
 * thread.
 */
abstract sealed class ReceivedStream permits Image {
    private final long imageId;
    private final Subscription subscription;
    private final LogBuffers log;
    private final long joinPosition;
    private final Position position;

    /** Null where the subscription holds its streams back. */
    private final SubscriberLease lease;

    private final String source;

    // Written once by the closing thread, before it closes the reader.
    private long finalPosition;
    private long endOfStreamAtClose;
    private boolean wasRevokedAtClose;

    /**
     * @param position the subscriber's counter, which holds the join position.
     * @param lease tells whether the driver has let the subscriber go; null if it never does.
     */
    ReceivedStream(
            long imageId,
            Subscription subscription,
            LogBuffers log,
            Position position,
            SubscriberLease lease,
            String source) {
        this.imageId = imageId;
        this.subscription = subscription;
        this.log = log;
        this.position = position;
        this.lease = lease;
        this.joinPosition = position.getAcquire();
        this.source = source;
    }

    /**
     * Keeps what is told from now on. Before {@link #isClosed} is true, by the thread that sets it.
     */
    final void keepState() {
        finalPosition = consumed();
        endOfStreamAtClose = endOfStream();
        wasRevokedAtClose = isRevoked();
    }

    /** Whether the image has left its subscription: nothing more will be delivered. */
    public abstract boolean isClosed();

    /** Position up to which the image was consumed; the last one once the image is closed. */
    public long position() {
        return isClosed() ? finalPosition : consumed();
    }

    /** Once a subscriber was let go its counter may hold where it joins anew. */
    private long consumed() {
        return lease == null ? position.getAcquire() : lease.position();
    }

    /** Position at which this subscription joined the stream. */
    public long joinPosition() {
        return joinPosition;
    }

    /** Session id of the publisher. */
    public int sessionId() {
        return log.spec().sessionId();
    }

    /** Stream id. */
    public int streamId() {
        return log.spec().streamId();
    }

    /** Bytes of a term of the log. */
    public int termLength() {
        return log.spec().termLength();
    }

    /** How far to shift a position to count terms. */
    public int positionBitsToShift() {
        return LogLayout.positionBitsToShift(termLength());
    }

    /** Bytes of the longest frame, its header of 32 bytes included. */
    public int mtuLength() {
        return log.spec().mtu();
    }

    /** Id of the stream's first term. */
    public int initialTermId() {
        return log.spec().initialTermId();
    }

    /** Identity of the image at its driver; several subscriptions may share it. */
    public long imageId() {
        return imageId;
    }

    /** The subscription that the image belongs to. */
    public Subscription subscription() {
        return subscription;
    }

    /** Where the stream comes from, for people. */
    public String source() {
        return source;
    }

    /** Counter that holds {@link #position()}; the subscriber's own. */
    public int subscriberPositionId() {
        return position.id();
    }

    /** Whether the publisher has ended the stream and everything was consumed. */
    public boolean isEndOfStream() {
        return position() >= endOfStreamPosition();
    }

    /** Position at which the publisher has ended the stream; {@link Long#MAX_VALUE} until then. */
    public long endOfStreamPosition() {
        return isClosed() ? endOfStreamAtClose : endOfStream();
    }

    private long endOfStream() {
        return log.metadata().getLongVolatile(LogLayout.END_OF_STREAM);
    }

    /** Whether the publisher has taken the stream back: the image ends without what is unread. */
    public boolean isPublicationRevoked() {
        return isClosed() ? wasRevokedAtClose : isRevoked();
    }

    private boolean isRevoked() {
        return log.metadata().getByteVolatile(LogLayout.REVOKED) != 0;
    }

    /** How many transports have delivered the stream of late; 0 once the image is closed. */
    public int activeTransportCount() {
        return isClosed() ? 0 : log.metadata().getIntVolatile(LogLayout.ACTIVE_TRANSPORT_COUNT);
    }

    /** The log, to be unmapped once the image is closed and calls under way have returned. */
    LogBuffers log() {
        return log;
    }

    @Override
    public String toString() {
        return "image "
                + imageId
                + " stream="
                + streamId()
                + " session="
                + sessionId()
                + " source="
                + source;
    }
}
