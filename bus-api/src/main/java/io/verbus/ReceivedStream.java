// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.SubscriberLease;

import org.agrona.concurrent.status.Position;

/**
 * The state of an image's stream. It remains readable after the image was closed and its log
 * unmapped. Thread-safe.
 */
abstract sealed class ReceivedStream permits Image {
    private final long imageId;
    private final Subscription subscription;
    private final LogBuffers log;
    private final long joinPosition;
    private final Position position;

    /** Null if the subscription is tethered. */
    private final SubscriberLease lease;

    private final String source;

    // Written once by the closing thread, before it closes the reader.
    private long finalPosition;
    private long endOfStreamAtClose;
    private boolean wasRevokedAtClose;

    /**
     * @param position the subscriber's counter, which holds the join position.
     * @param lease lease through which an untethered subscriber detects that the driver has
     *     detached it; null if the subscription is tethered.
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
     * Saves the final state. Called before {@link #isClosed} becomes true, by the thread that
     * closes the image.
     */
    final void keepState() {
        finalPosition = consumed();
        endOfStreamAtClose = endOfStream();
        wasRevokedAtClose = isRevoked();
    }

    /** Returns whether the image is closed and delivers nothing more. */
    public abstract boolean isClosed();

    /**
     * Returns the position up to which the image was consumed. Once the image is closed, returns
     * the last such position.
     */
    public long position() {
        return isClosed() ? finalPosition : consumed();
    }

    /**
     * Returns the consumed position. If there is a lease, the position is read from it, because
     * once the subscriber was detached, the counter may already hold the position at which the
     * subscriber rejoins.
     */
    private long consumed() {
        return lease == null ? position.getAcquire() : lease.position();
    }

    /** Returns the position at which this subscription joined the stream. */
    public long joinPosition() {
        return joinPosition;
    }

    /** Returns the publisher's session id. */
    public int sessionId() {
        return log.spec().sessionId();
    }

    /** Returns the stream id. */
    public int streamId() {
        return log.spec().streamId();
    }

    /** Returns the length of a term in bytes. */
    public int termLength() {
        return log.spec().termLength();
    }

    /** Returns the number of bits by which to shift a position right to get a term count. */
    public int positionBitsToShift() {
        return LogLayout.positionBitsToShift(termLength());
    }

    /** Returns the length in bytes of the longest frame, including its header of 32 bytes. */
    public int mtuLength() {
        return log.spec().mtu();
    }

    /** Returns the id of the stream's first term. */
    public int initialTermId() {
        return log.spec().initialTermId();
    }

    /** Returns the id of the image at its driver; several subscriptions may share the image. */
    public long imageId() {
        return imageId;
    }

    /** Returns the subscription to which the image belongs. */
    public Subscription subscription() {
        return subscription;
    }

    /** Returns a human-readable description of the stream's source. */
    public String source() {
        return source;
    }

    /** Returns the id of the subscriber's own counter, which holds {@link #position()}. */
    public int subscriberPositionId() {
        return position.id();
    }

    /** Returns whether the publisher has ended the stream and everything was consumed. */
    public boolean isEndOfStream() {
        return position() >= endOfStreamPosition();
    }

    /**
     * Returns the position at which the publisher ended the stream, or {@link Long#MAX_VALUE} until
     * then.
     */
    public long endOfStreamPosition() {
        return isClosed() ? endOfStreamAtClose : endOfStream();
    }

    private long endOfStream() {
        return log.metadata().getLongVolatile(LogLayout.END_OF_STREAM);
    }

    /**
     * Returns whether the publisher has revoked the stream, which ends the image without delivering
     * unread messages.
     */
    public boolean isPublicationRevoked() {
        return isClosed() ? wasRevokedAtClose : isRevoked();
    }

    private boolean isRevoked() {
        return log.metadata().getByteVolatile(LogLayout.REVOKED) != 0;
    }

    /**
     * Returns how many transports have recently delivered the stream, or 0 once the image is
     * closed.
     */
    public int activeTransportCount() {
        return isClosed() ? 0 : log.metadata().getIntVolatile(LogLayout.ACTIVE_TRANSPORT_COUNT);
    }

    /**
     * Returns the log, which must be unmapped once the image is closed and calls in progress have
     * returned.
     */
    LogBuffers log() {
        return log;
    }

    @Override
    public String toString() {
        return "image "
                + imageId
                + " channel="
                + subscription.channel()
                + " stream="
                + streamId()
                + " session="
                + sessionId()
                + " source="
                + source;
    }
}
