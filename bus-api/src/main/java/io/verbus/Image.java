// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.CommandEncoder;
import io.verbus.logbuffer.BlockHandler;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBlocks;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogPeek;
import io.verbus.logbuffer.LogReader;
import io.verbus.logbuffer.MisuseException;
import io.verbus.logbuffer.RawBlockHandler;
import io.verbus.logbuffer.SubscriberLease;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.Position;

/**
 * One publisher's stream as received by a subscription. Only one thread at a time may poll an image
 * or its subscription; all other methods are thread-safe.
 *
 * <p>Most applications poll the {@link Subscription}. An application may also poll a single image,
 * for example to read one stream up to a position:
 *
 * <pre>{@code
 * Image image = subscription.imageBySessionId(sessionId);
 * while (!image.isClosed() && image.position() < endPosition) {
 *     idleStrategy.idle(image.boundedPoll(handler, endPosition, 10));
 * }
 * }</pre>
 *
 * <p>An exception from a fragment handler is passed to the bus's error handler, and the fragment
 * counts as consumed; an {@link Error} propagates to the caller of poll. An invalid frame closes
 * the image for all its subscribers, and is reported to the error handler.
 *
 * <p>With the system property {@code verbus.checks}, a poll of an image by two threads at the same
 * time, or by its own handler, throws an {@link IllegalStateException}.
 *
 * <p>An image may be closed while its handler runs: by another thread, or because the driver has
 * ended it. The handler's fragment stays readable until the handler returns; nothing more is
 * delivered.
 *
 * <p>If a subscription with {@code tether=false} falls too far behind, the driver closes the image.
 * When the subscription has rejoined, a new image with the same id becomes available; the messages
 * in between are lost. A handler that takes longer than the {@code untethered-linger-timeout} may
 * see its fragment overwritten, but no later fragment is delivered.
 *
 * <p>Over IPC and for spies, a poll of a fast stream (more than 64 KiB in 200 microseconds) waits
 * briefly until the publisher is a few KiB ahead, because a reader that follows a writer closely
 * slows both down. The wait ends as soon as the publisher pauses.
 */
public final class Image {
    /** Handles an image that was closed because of an invalid frame. Thread-safe. */
    interface FaultHandler {
        void onInvalidFrame(Image image, InvalidFrameException fault);
    }

    private final long imageId;
    private final Subscription subscription;
    private final LogBuffers log;
    private final long joinPosition;
    private final Position position;

    /** Null if the subscription is tethered. */
    private final SubscriberLease lease;

    private final String source;
    private final ErrorHandler errorHandler;
    private final FaultHandler faultHandler;
    private final LogReader reader;
    private final LogPeek peek;
    private final LogBlocks blocks;

    /** What stays readable of the stream once the log is unmapped. */
    private record AtClose(long position, long endOfStream, boolean isRevoked) {}

    // Written once by the closing thread, before it closes the reader; null until then.
    private AtClose atClose;

    /**
     * @param position the subscriber's counter, which holds the join position.
     * @param lease lease through which an untethered subscriber detects that the driver has
     *     detached it; null if the subscription is tethered.
     */
    Image(
            long imageId,
            Subscription subscription,
            LogBuffers log,
            Position position,
            SubscriberLease lease,
            String source,
            ErrorHandler errorHandler,
            FaultHandler faultHandler) {
        this.imageId = imageId;
        this.subscription = subscription;
        this.log = log;
        this.position = position;
        this.lease = lease;
        this.joinPosition = position.getAcquire();
        this.source = source;
        this.errorHandler = errorHandler;
        this.faultHandler = faultHandler;
        // IPC subscribers and spies read the publication's own log, in which claims are visible
        // while they are being filled.
        ChannelUri channel = subscription.channel();
        reader = new LogReader(log, position, !channel.isIpc() && !channel.isSpy(), lease, this);
        peek = new LogPeek(log, reader);
        blocks = new LogBlocks(log, reader);
    }

    /**
     * Delivers available fragments, at most to the end of the current term.
     *
     * @param handler handler to call for each fragment.
     * @param fragmentLimit maximum number of fragments to deliver.
     * @return number of fragments delivered; 0 once the image is closed.
     * @throws IllegalArgumentException if the handler is null or the limit is negative.
     */
    public int poll(FragmentHandler handler, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.poll(handler, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments, like {@link #poll}, to a handler whose result controls how the poll
     * continues.
     *
     * @return number of fragments delivered, not counting an aborted one; 0 once the image is
     *     closed.
     */
    public int controlledPoll(ControlledFragmentHandler handler, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.controlledPoll(handler, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers available fragments that start before a position, at most to the end of the current
     * term.
     *
     * @param handler handler to call for each fragment.
     * @param limitPosition position before which a fragment must start to be delivered; the
     *     fragment may end after it.
     * @param fragmentLimit maximum number of fragments to deliver.
     * @return number of fragments delivered; 0 once the image is closed.
     * @throws IllegalArgumentException if the handler is null or the fragment limit is negative.
     */
    public int boundedPoll(FragmentHandler handler, long limitPosition, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.boundedPoll(handler, limitPosition, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments, like {@link #boundedPoll}, to a handler whose result controls how the
     * poll continues.
     *
     * @return number of fragments delivered, not counting an aborted one; 0 once the image is
     *     closed.
     */
    public int boundedControlledPoll(
            ControlledFragmentHandler handler, long limitPosition, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.boundedControlledPoll(handler, limitPosition, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments without consuming them: {@link #position()} does not change. If the
     * handler throws an exception, the peek ends before the handler's fragment.
     *
     * @param initialPosition position at which to start: the image's position or the result of a
     *     peek, but at most the end of the current term.
     * @param handler handler to call for each fragment, of at most one term; {@code COMMIT} acts as
     *     {@code CONTINUE}.
     * @param limitPosition position before which a fragment must start to be delivered.
     * @return the position after the last complete message delivered, to pass to the next peek or
     *     to {@link #position(long)}; the initial position once the image is closed.
     * @throws IllegalArgumentException if the handler is null, or no fragment starts at the initial
     *     position.
     */
    public long controlledPeek(
            long initialPosition, ControlledFragmentHandler handler, long limitPosition) {
        if (handler == null) {
            throw refused(null, 0);
        }
        if (isClosed() || !canGoOnAt(initialPosition)) {
            return initialPosition;
        }
        try {
            peek.deliver(handler, limitPosition);
        } catch (Exception e) {
            failed(e, peek.position());
        }
        return peek.result();
    }

    /**
     * Consumes the stream up to a position without delivering fragments. Does nothing once the
     * image is closed.
     *
     * @param newPosition position at which a fragment starts or the next fragment will start,
     *     between {@link #position()} and the end of the current term.
     * @throws IllegalArgumentException if no fragment starts at the position.
     */
    public void position(long newPosition) {
        if (!isClosed() && canGoOnAt(newPosition)) {
            reader.moveTo(newPosition);
        }
    }

    /**
     * Returns whether the image can continue at a position. If an invalid frame precedes the
     * position, closes the image and returns false.
     */
    private boolean canGoOnAt(long where) {
        try {
            peek.begin(where);
            return true;
        } catch (InvalidFrameException e) {
            failed(e, peek.position());
            return false;
        }
    }

    /**
     * Delivers whole frames in place, at most to the end of the current term. A padding frame is
     * delivered alone; only its header is meaningful. An exception from the handler is passed to
     * the error handler, and the block counts as consumed.
     *
     * @param handler handler to call once, if any frame is available.
     * @param blockLengthLimit maximum length in bytes of a block of data. A longer frame is never
     *     delivered.
     * @return number of bytes delivered, a multiple of 32; 0 once the image is closed.
     * @throws IllegalArgumentException if the handler is null or the limit is negative.
     */
    public int blockPoll(BlockHandler handler, int blockLengthLimit) {
        if (handler == null || blockLengthLimit < 0) {
            throw refused(handler, blockLengthLimit);
        }
        long before = reader.position();
        try {
            return blocks.poll(handler, blockLengthLimit);
        } catch (Exception e) {
            failed(e);
            return (int) (reader.position() - before);
        }
    }

    /**
     * Delivers whole frames, like {@link #blockPoll}, together with the file that contains the
     * block, from which the block can be transferred.
     */
    public int rawPoll(RawBlockHandler handler, int blockLengthLimit) {
        if (handler == null || blockLengthLimit < 0) {
            throw refused(handler, blockLengthLimit);
        }
        long before = reader.position();
        try {
            return blocks.rawPoll(handler, blockLengthLimit);
        } catch (Exception e) {
            failed(e);
            return (int) (reader.position() - before);
        }
    }

    /** Returns an exception that explains which argument of a poll is invalid. */
    static IllegalArgumentException refused(Object handler, int limit) {
        return new IllegalArgumentException(
                handler == null
                        ? "the fragment handler is null: pass a handler"
                        : "the fragment limit "
                                + limit
                                + " is negative: pass a limit of 0 or more, such as 10");
    }

    /**
     * Reports a failed poll. Returns the number of fragments that it consumed: 1 if the handler has
     * thrown, 0 if a frame is invalid. Rethrows a {@link MisuseException} to the caller of the
     * poll.
     */
    private int failed(Exception e) {
        return failed(e, reader.position());
    }

    private int failed(Exception e, long where) {
        if (e instanceof InvalidFrameException fault && fault.position() == where) {
            if (markClosed()) {
                faultHandler.onInvalidFrame(this, fault);
            }
            return 0;
        }
        if (e instanceof MisuseException misuse) {
            throw misuse;
        }
        errorHandler.onError(e);
        return 1;
    }

    /**
     * Makes the driver end the image for all its subscriptions and report the reason to the
     * publisher's client. The stream may return after the driver's image liveness timeout. Waits
     * for the driver. Thread-safe, but must not be called from a handler of the bus.
     *
     * @param reason human-readable reason in ASCII, at most 1,023 bytes; RDMA transfers only the
     *     first 160.
     * @throws IllegalArgumentException if the reason is too long.
     * @throws RegistrationException if the driver rejects the command.
     * @throws BusException if the image is closed or belongs to a spy, which cannot affect its
     *     publisher.
     */
    public void reject(String reason) {
        if (reason.length() > CommandEncoder.MAX_REASON) {
            throw new IllegalArgumentException(
                    "the reason has "
                            + reason.length()
                            + " characters: shorten it to at most "
                            + CommandEncoder.MAX_REASON);
        }
        if (isClosed() || subscription().channel().isSpy()) {
            throw new BusException(
                    this
                            + (isClosed() ? " is closed" : " belongs to a spy")
                            + " and cannot be rejected: reject an open image of a network or IPC"
                            + " subscription");
        }
        subscription().owner.reject(this, reason);
    }

    /** Keeps later calls from accessing the log. Returns false if the image is already closed. */
    synchronized boolean markClosed() {
        if (isClosed()) {
            return false;
        }
        atClose = new AtClose(consumed(), endOfStream(), isRevoked());
        reader.close();
        peek.close();
        return true;
    }

    /** Returns whether a handler may still be reading the log, even after the image was closed. */
    boolean isDelivering() {
        return reader.isDelivering();
    }

    // The stream: readable after the image was closed and its log unmapped

    /** Returns whether the image is closed and delivers nothing more. */
    public boolean isClosed() {
        return reader.isClosed();
    }

    /**
     * Returns the position up to which the image was consumed. Once the image is closed, returns
     * the last such position.
     */
    public long position() {
        return isClosed() ? atClose.position : consumed();
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
        return isClosed() ? atClose.endOfStream : endOfStream();
    }

    private long endOfStream() {
        return log.metadata().getLongVolatile(LogLayout.END_OF_STREAM);
    }

    /**
     * Returns whether the publisher has revoked the stream, which ends the image without delivering
     * unread messages.
     */
    public boolean isPublicationRevoked() {
        return isClosed() ? atClose.isRevoked : isRevoked();
    }

    private boolean isRevoked() {
        return log.metadata().getByteVolatile(LogLayout.REVOKED) != 0;
    }

    /** Returns how many transports have recently delivered the stream; 0 for a closed image. */
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
        return "image %s channel=%s stream=%s session=%s source=%s"
                .formatted(imageId, subscription.channel(), streamId(), sessionId(), source);
    }
}
