// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;
import io.verbus.logbuffer.AppendResult;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.MessageBatch;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * Sends the messages of one stream. Created by {@link Bus#addPublication}, for any number of
 * threads, or by {@link Bus#addExclusivePublication}, for one thread at a time.
 *
 * <p>{@link #offer} and {@link #tryClaim} never block. They return the stream's new position, which
 * is positive, or one of the negative constants of this class.
 *
 * <pre>{@code
 * long result = publication.offer(buffer, 0, length);
 * while (result == Publication.BACK_PRESSURED
 *         || result == Publication.ADMIN_ACTION
 *         || result == Publication.NOT_CONNECTED) {
 *     Thread.onSpinWait();
 *     result = publication.offer(buffer, 0, length);
 * }
 * if (result < 0) {
 *     throw new IllegalStateException(Publication.errorString(result));
 * }
 * }</pre>
 *
 * <p>Another thread may close a publication during an offer. A claim is lost if it is committed
 * after the publication was closed and the bus's linger interval has passed.
 */
public abstract sealed class Publication extends ChannelResource implements AutoCloseable
        permits ConcurrentPublication, ExclusivePublication {
    /** No subscriber receives the stream, or the driver is temporarily lost: try again later. */
    public static final long NOT_CONNECTED = AppendResult.NOT_CONNECTED;

    /** Subscribers or the transport are too far behind: try again once they have caught up. */
    public static final long BACK_PRESSURED = AppendResult.BACK_PRESSURED;

    /** The log has moved to its next term: try again immediately. */
    public static final long ADMIN_ACTION = AppendResult.ADMIN_ACTION;

    /** The publication or its bus is closed, or the driver is permanently lost. */
    public static final long CLOSED = AppendResult.CLOSED;

    /** The stream has reached its highest position: close the publication and add a new one. */
    public static final long MAX_POSITION_EXCEEDED = AppendResult.MAX_POSITION_EXCEEDED;

    // Written by the conductor under this object's monitor. These belong to the current or last
    // driver.
    private volatile LogBuffers log;
    private volatile ReadablePosition limit;

    // Written under this object's monitor, by the conductor or by close. Calls that send a message
    // do not read these flags; they test the appender, which is non-null while neither flag is set.
    private volatile boolean isClosed;
    private volatile boolean isDetached;

    Publication(
            ChannelUri channel,
            long registrationId,
            LogBuffers log,
            ReadablePosition limit,
            ChannelStatus status,
            Owner owner) {
        super(channel, registrationId, status, owner);
        this.log = log;
        this.limit = limit;
    }

    /** Attaches the log, or detaches it if null. Called under this object's monitor. */
    abstract void attach(LogBuffers log, ReadablePosition limit);

    /**
     * Sends a whole buffer as one message, like {@link #offer(DirectBuffer, int, int, long)} with a
     * reserved value of 0.
     */
    public final long offer(DirectBuffer buffer) {
        return offer(buffer, 0, buffer.capacity(), 0);
    }

    /**
     * Sends a message, like {@link #offer(DirectBuffer, int, int, long)} with a reserved value of
     * 0.
     */
    public final long offer(DirectBuffer buffer, int offset, int length) {
        return offer(buffer, offset, length, 0);
    }

    /**
     * Sends a message by copying it into the log. A message longer than {@link #maxPayloadLength()}
     * is sent as several fragments, which a {@link FragmentAssembler} reassembles.
     *
     * @param buffer buffer with the message.
     * @param offset offset of the message in the buffer.
     * @param length length of the message in bytes, 0 or more.
     * @param reservedValue value to store in the header of each fragment.
     * @return the stream's position after the message, or a negative constant of this class.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public abstract long offer(DirectBuffer buffer, int offset, int length, long reservedValue);

    /**
     * Sends a message, like {@link #offer(DirectBuffer, int, int, long)}. The supplier computes the
     * reserved value of each fragment once the rest of the fragment is written.
     *
     * @param buffer buffer with the message.
     * @param offset offset of the message in the buffer.
     * @param length length of the message in bytes, 0 or more.
     * @param supplier supplier of the reserved value of each fragment; null for 0.
     * @return the stream's position after the message, or a negative constant of this class.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public final long offer(
            DirectBuffer buffer, int offset, int length, ReservedValueSupplier supplier) {
        return offer(buffer, offset, length, null, 0, 0, supplier);
    }

    /**
     * Sends a message of two parts, like {@link #offer(DirectBuffer, int, int, DirectBuffer, int,
     * int, ReservedValueSupplier)} with a reserved value of 0.
     */
    public final long offer(
            DirectBuffer first,
            int firstOffset,
            int firstLength,
            DirectBuffer second,
            int secondOffset,
            int secondLength) {
        return offer(first, firstOffset, firstLength, second, secondOffset, secondLength, null);
    }

    /**
     * Sends a message of two parts, such as a header and a body.
     *
     * @param first buffer with the first part.
     * @param firstOffset offset of the first part in its buffer.
     * @param firstLength length of the first part in bytes, 0 or more.
     * @param second buffer with the second part.
     * @param secondOffset offset of the second part in its buffer.
     * @param secondLength length of the second part in bytes, 0 or more.
     * @param supplier supplier of the reserved value of each fragment, called after the rest of the
     *     fragment is written; null if that value is 0.
     * @return the stream's position after the message, or a negative constant of this class.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public abstract long offer(
            DirectBuffer first,
            int firstOffset,
            int firstLength,
            DirectBuffer second,
            int secondOffset,
            int secondLength,
            ReservedValueSupplier supplier);

    /**
     * Sends a message of any number of parts, like {@link #offer(DirectBufferVector[],
     * ReservedValueSupplier)} with a reserved value of 0.
     */
    public final long offer(DirectBufferVector[] vectors) {
        return offer(vectors, null);
    }

    /**
     * Sends a message of any number of parts.
     *
     * @param vectors parts of the message, in order.
     * @param supplier supplier of the reserved value of each fragment, called after the rest of the
     *     fragment is written; null if that value is 0.
     * @return the stream's position after the message, or a negative constant of this class.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public abstract long offer(DirectBufferVector[] vectors, ReservedValueSupplier supplier);

    /**
     * Sends a batch of messages, either all or none, with one claim and one commit. The messages
     * are contiguous in the stream, and a subscriber receives the first only once all of them are
     * in the log.
     *
     * @param batch one or more messages. Each is at most {@link #maxPayloadLength()} long, and all
     *     of them together, with headers of 32 bytes each, at most {@link #maxMessageLength()}.
     * @return the stream's position after the last message, or a negative constant of this class.
     * @throws IllegalArgumentException if the batch is empty, or a single message or the batch as a
     *     whole is too long.
     */
    public abstract long offerBatch(MessageBatch batch);

    /**
     * Claims space in the log, into which the caller then writes a message without copying. The
     * claim must be committed or aborted soon, because until then subscribers receive no later
     * message. If the message is already in a buffer and at most 4 KiB long, {@link
     * ExclusivePublication#offer} is faster. See {@link BufferClaim} for an example.
     *
     * @param length length of the message in bytes, at most {@link #maxPayloadLength()}.
     * @param claim claim to set to the space; unchanged if the result is negative.
     * @return the stream's position after the message, or a negative constant of this class.
     * @throws IllegalArgumentException if the message is longer than {@link #maxPayloadLength()}.
     */
    public abstract long tryClaim(int length, BufferClaim claim);

    /**
     * Returns the stream's position after the last message, {@link #CLOSED} once the publication is
     * closed, or {@link #NOT_CONNECTED} while the driver is lost.
     */
    public abstract long position();

    /**
     * Returns the position at which the publication is back-pressured, {@link #CLOSED} once the
     * publication is closed, or {@link #NOT_CONNECTED} while the driver is lost. Thread-safe.
     */
    public final long positionLimit() {
        return isClosed || isDetached ? absent() : limit.getAcquire();
    }

    /**
     * Returns how many bytes, including headers and padding, can be written to the log before the
     * publication is back-pressured; zero or negative if none. Returns {@link #CLOSED} once the
     * publication is closed, or {@link #NOT_CONNECTED} while the driver is lost.
     */
    public final long availableWindow() {
        long limit = positionLimit();
        long position = position();
        return limit < 0 || position < 0 ? absent() : limit - position;
    }

    /** Returns the id of the driver's counter that holds {@link #positionLimit()}. */
    public final int positionLimitId() {
        return limit.id();
    }

    /** Returns the highest position that the stream can reach. */
    public final long maxPossiblePosition() {
        return LogLayout.maxPosition(termLength());
    }

    /** Returns whether a subscriber currently receives the stream. Thread-safe. */
    public final boolean isConnected() {
        return !isClosed && !isDetached && isConnectedFlagSet();
    }

    private boolean isConnectedFlagSet() {
        return log.metadata().getIntVolatile(LogLayout.CONNECTED) == 1;
    }

    /** Converts an appender's negative result into the result of the call. */
    final long refused(long result) {
        return result == BACK_PRESSURED && !isConnectedFlagSet() ? NOT_CONNECTED : result;
    }

    /** Returns the result of a call that finds no appender. */
    final long absent() {
        return isClosed ? CLOSED : NOT_CONNECTED;
    }

    @Override
    public final boolean isClosed() {
        return isClosed;
    }

    /**
     * Adds a destination to a publication whose channel has {@code control-mode=manual}. Messages
     * offered from then on are also sent to the destination, once it has a subscriber. Waits for
     * the driver. Thread-safe, but must not be called from a handler of the bus.
     *
     * @param destination destination channel with the publication's media, such as {@code
     *     verbus:rdma?endpoint=10.0.0.2:7400}.
     * @throws RegistrationException if the driver rejects the destination because the publication
     *     is not manual, it already has the destination, or the transport cannot use the
     *     destination.
     * @throws BusException if the destination is invalid, or the publication is closed.
     */
    public final void addDestination(String destination) {
        addDestination(ChannelUri.parse(destination));
    }

    /** Adds a destination, like {@link #addDestination(String)}. */
    public final void addDestination(ChannelUri destination) {
        owner.change(new DestinationChange.Add(registrationId(), checkedDestination(destination)));
    }

    /**
     * Removes a destination. Its image at the subscribing driver ends after the messages already
     * sent. Removing a destination that the publication does not have has no effect. Blocks until
     * the driver has answered. Thread-safe, but must not be called from a handler of the bus.
     *
     * @param destination destination channel, as it was added.
     * @throws RegistrationException if the driver rejects the command, such as for a publication
     *     that is not manual.
     * @throws BusException if the destination is invalid, or the publication is closed.
     */
    public final void removeDestination(String destination) {
        removeDestination(ChannelUri.parse(destination));
    }

    /** Removes a destination, like {@link #removeDestination(String)}. */
    public final void removeDestination(ChannelUri destination) {
        owner.change(
                new DestinationChange.Remove(registrationId(), checkedDestination(destination)));
    }

    /**
     * Removes a destination by its id, like {@link #removeDestination(String)}. Removing an id that
     * the publication does not have has no effect.
     *
     * @param destinationId id that {@link #asyncAddDestination} has returned.
     * @throws RegistrationException if the driver rejects the command.
     * @throws BusException if the publication is closed.
     */
    public final void removeDestination(long destinationId) {
        checkOpen();
        owner.change(new DestinationChange.RemoveById(registrationId(), destinationId));
    }

    /**
     * Adds a destination, like {@link #addDestination(String)}, without waiting; failures are
     * reported to the error handler. Thread-safe; may be called from handlers.
     *
     * @param destination destination channel with the publication's media.
     * @return id of the destination, also usable with {@link AsyncCommands#isActive}.
     * @throws BusException if the destination is invalid, or the publication is closed.
     */
    public final long asyncAddDestination(String destination) {
        ChannelUri channel = checkedDestination(ChannelUri.parse(destination));
        return owner.changeLater(new DestinationChange.Add(registrationId(), channel));
    }

    /**
     * Removes a destination, like {@link #removeDestination(String)}, without waiting; see {@link
     * #asyncAddDestination}.
     */
    public final long asyncRemoveDestination(String destination) {
        ChannelUri channel = checkedDestination(ChannelUri.parse(destination));
        return owner.changeLater(new DestinationChange.Remove(registrationId(), channel));
    }

    /**
     * Removes a destination, like {@link #removeDestination(long)}, without waiting; see {@link
     * #asyncAddDestination}.
     */
    public final long asyncRemoveDestination(long destinationId) {
        checkOpen();
        return owner.changeLater(new DestinationChange.RemoveById(registrationId(), destinationId));
    }

    private ChannelUri checkedDestination(ChannelUri destination) {
        destination.checkDestination();
        checkOpen();
        return destination;
    }

    /** Returns the stream id. */
    public final int streamId() {
        return log.spec().streamId();
    }

    /** Returns the session id, which distinguishes the publishers of a stream. */
    public final int sessionId() {
        return log.spec().sessionId();
    }

    /** Returns the registration id of the publication for which the driver created the log. */
    public final long originalRegistrationId() {
        return log.spec().registrationId();
    }

    /** Returns whether the driver created the log for this publication. */
    public final boolean isOriginal() {
        return originalRegistrationId() == registrationId();
    }

    /** Returns the id of the stream's first term. */
    public final int initialTermId() {
        return log.spec().initialTermId();
    }

    /** Returns the number of bits by which to shift a position right to get a term count. */
    public final int positionBitsToShift() {
        return LogLayout.positionBitsToShift(termLength());
    }

    /** Returns the length of a term in bytes. */
    public final int termLength() {
        return log.spec().termLength();
    }

    /**
     * Returns the length in bytes of the longest message that is sent as one fragment, which is
     * also the length of the longest claim.
     */
    public final int maxPayloadLength() {
        return log.spec().mtu() - FrameHeader.LENGTH;
    }

    /** Returns the length in bytes of the longest message that can be offered. */
    public final int maxMessageLength() {
        return LogLayout.maxMessageLength(log.spec().termLength());
    }

    /**
     * Closes the publication. Messages that were already offered are still delivered. The stream
     * ends after them, unless other publications share the stream. Thread-safe and idempotent; does
     * not wait.
     */
    @Override
    public final void close() {
        if (markClosed()) {
            owner.release(this);
        }
    }

    /** Returns whether the driver should revoke the stream when the publication is closed. */
    boolean isRevokedOnClose() {
        return false;
    }

    /**
     * Keeps later calls from accessing the log. Returns false if the publication is already closed.
     */
    final synchronized boolean markClosed() {
        boolean first = !isClosed;
        isClosed = true;
        attach(null, null);
        return first;
    }

    /**
     * Keeps later calls from accessing the log, because the driver is lost. Called on the
     * conductor's thread.
     */
    final synchronized void detach() {
        isDetached = true;
        attach(null, null);
        status(ChannelStatus.UNKNOWN);
    }

    /**
     * Attaches the publication to the next driver. Returns false if the publication was closed in
     * the meantime. Called on the conductor's thread.
     */
    final synchronized boolean attach(
            long registrationId, LogBuffers log, ReadablePosition limit, ChannelStatus status) {
        if (isClosed) {
            return false;
        }
        registrationId(registrationId);
        status(status);
        this.log = log;
        this.limit = limit;
        isDetached = false;
        attach(log, limit);
        return true;
    }

    /**
     * Returns a human-readable text for the result of an offer or a claim.
     *
     * @param result result of an offer or a claim.
     * @return the constant's name, or the position as a number.
     */
    public static String errorString(long result) {
        return AppendResult.name(result);
    }

    @Override
    public final String toString() {
        return "publication "
                + registrationId()
                + " channel="
                + channel()
                + " stream="
                + streamId()
                + " session="
                + sessionId();
    }
}
