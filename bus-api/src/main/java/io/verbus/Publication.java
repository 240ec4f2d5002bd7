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
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * Where messages of one stream are sent from. Made by {@link Bus#addPublication}, for any number of
 * threads, or by {@link Bus#addExclusivePublication}, for one thread at a time.
 *
 * <p>{@link #offer} and {@link #tryClaim} never block. They return the stream's new position, which
 * is positive, or one of the negative constants here.
 *
 * <p>Another thread may close a publication while this one is offering. A claim that is committed
 * when the publication was closed and the linger interval of the bus has passed is lost.
 */
public abstract sealed class Publication extends ChannelResource implements AutoCloseable
        permits ConcurrentPublication, ExclusivePublication {
    /** No subscriber receives the stream, or there is no driver, now: offer again later. */
    public static final long NOT_CONNECTED = AppendResult.NOT_CONNECTED;

    /** Subscribers, or the way to them, are too far behind: try again when they have moved on. */
    public static final long BACK_PRESSURED = AppendResult.BACK_PRESSURED;

    /** The log has begun its next term: try again at once. */
    public static final long ADMIN_ACTION = AppendResult.ADMIN_ACTION;

    /** The publication, or its bus, is closed, or the driver is lost for good. */
    public static final long CLOSED = AppendResult.CLOSED;

    /** The stream has no positions left: close the publication and add a new one. */
    public static final long MAX_POSITION_EXCEEDED = AppendResult.MAX_POSITION_EXCEEDED;

    // Under this object's monitor where they are written, by the conductor: of the driver that is
    // there, or was last.
    private volatile LogBuffers log;
    private volatile ReadablePosition limit;

    // Under this object's monitor where they are written, by the conductor or by close. What sends
    // a message looks at the appender instead, which is there while neither is set.
    private volatile boolean isClosed;
    private volatile boolean isAdrift;

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

    /**
     * Has calls append to a log from now on; to none if it is null. Under this object's monitor.
     */
    abstract void append(LogBuffers log, ReadablePosition limit);

    /**
     * Sends all of a buffer, as {@link #offer(DirectBuffer, int, int, long)} with a reserved value
     * of 0.
     */
    public final long offer(DirectBuffer buffer) {
        return offer(buffer, 0, buffer.capacity(), 0);
    }

    /** As {@link #offer(DirectBuffer, int, int, long)} with a reserved value of 0. */
    public final long offer(DirectBuffer buffer, int offset, int length) {
        return offer(buffer, offset, length, 0);
    }

    /**
     * Sends a message. It is copied; one that is longer than {@link #maxPayloadLength()} is sent in
     * fragments, which a {@link FragmentAssembler} puts together again.
     *
     * @param buffer that holds the message.
     * @param offset at which it begins.
     * @param length in bytes, 0 or more.
     * @param reservedValue that subscribers find in the header of each fragment.
     * @return the stream's position behind the message, or a negative constant.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public abstract long offer(DirectBuffer buffer, int offset, int length, long reservedValue);

    /**
     * Sends a message, as {@link #offer(DirectBuffer, int, int, long)}, whose reserved values are
     * chosen once the rest of it is written.
     *
     * @param buffer that holds the message.
     * @param offset at which it begins.
     * @param length in bytes, 0 or more.
     * @param supplier of the reserved value of each fragment; null for 0.
     * @return the stream's position behind the message, or a negative constant.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public final long offer(
            DirectBuffer buffer, int offset, int length, ReservedValueSupplier supplier) {
        return offer(buffer, offset, length, null, 0, 0, supplier);
    }

    /**
     * Sends a message of two parts, as {@link #offer(DirectBuffer, int, int, DirectBuffer, int,
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
     * Sends a message of two parts, such as a header and a body, whose reserved values are chosen
     * once the rest is written.
     *
     * @param first buffer that holds the first part.
     * @param firstOffset at which it begins.
     * @param firstLength in bytes, 0 or more.
     * @param second buffer that holds the second part.
     * @param secondOffset at which it begins.
     * @param secondLength in bytes, 0 or more.
     * @param supplier of the reserved value of each fragment; null for 0.
     * @return the stream's position behind the message, or a negative constant.
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
     * Sends a message of any number of parts, as {@link #offer(DirectBufferVector[],
     * ReservedValueSupplier)} with a reserved value of 0.
     */
    public final long offer(DirectBufferVector[] vectors) {
        return offer(vectors, null);
    }

    /**
     * Sends a message of any number of parts, whose reserved values are chosen once the rest is
     * written.
     *
     * @param vectors the parts, first to last.
     * @param supplier of the reserved value of each fragment; null for 0.
     * @return the stream's position behind the message, or a negative constant.
     * @throws IllegalArgumentException if the message is longer than {@link #maxMessageLength()}.
     */
    public abstract long offer(DirectBufferVector[] vectors, ReservedValueSupplier supplier);

    /**
     * Claims room in the log, in which the caller then writes a message without a copy. It must be
     * committed or aborted soon: what is published later is not seen before. A message of up to 4
     * KiB that is ready elsewhere comes there sooner by {@link #offer}, of an exclusive
     * publication.
     *
     * @param length of the message in bytes, at most {@link #maxPayloadLength()}.
     * @param claim to be set to the room; unchanged if the result is negative.
     * @return the stream's position behind the message, or a negative constant.
     * @throws IllegalArgumentException if the message is longer than that.
     */
    public abstract long tryClaim(int length, BufferClaim claim);

    /**
     * The stream's position behind the last message; {@link #CLOSED} once the publication is
     * closed.
     */
    public abstract long position();

    /**
     * Position at which the publication is back-pressured; {@link #CLOSED} once it is closed. Any
     * thread.
     */
    public final long positionLimit() {
        return isClosed || isAdrift ? absent() : limit.getAcquire();
    }

    /**
     * Bytes of log, headers and padding included, that can be offered before the publication is
     * back-pressured; none if not positive. {@link #CLOSED} once it is closed.
     */
    public final long availableWindow() {
        long limit = positionLimit();
        long position = position();
        return limit < 0 || position < 0 ? absent() : limit - position;
    }

    /** Counter that holds {@link #positionLimit()}; the driver's. */
    public final int positionLimitId() {
        return limit.id();
    }

    /** Position at which the stream has no positions left. */
    public final long maxPossiblePosition() {
        return LogLayout.maxPosition(termLength());
    }

    /** Whether a subscriber receives the stream now. Any thread. */
    public final boolean isConnected() {
        return !isClosed && !isAdrift && isConnectedFlagSet();
    }

    private boolean isConnectedFlagSet() {
        return log.metadata().getIntVolatile(LogLayout.CONNECTED) == 1;
    }

    /** Why a call has not gone through, once an appender has refused it for the given reason. */
    final long refused(long result) {
        return result == BACK_PRESSURED && !isConnectedFlagSet() ? NOT_CONNECTED : result;
    }

    /** What a call returns that has found no appender. */
    final long absent() {
        return isClosed ? CLOSED : NOT_CONNECTED;
    }

    @Override
    public final boolean isClosed() {
        return isClosed;
    }

    /**
     * Adds a destination to a publication whose channel has {@code control-mode=manual}. What is
     * offered from then on goes there too, once there is a subscriber. Any thread but one of the
     * bus's handlers; waits for the driver.
     *
     * @param destination such as {@code verbus:rdma?endpoint=10.0.0.2:7400}, of the publication's
     *     media.
     * @throws RegistrationException if the driver refuses: the publication is not manual, has the
     *     destination already, or the transport cannot use it.
     * @throws BusException if it is no destination, or the publication is closed.
     */
    public final void addDestination(String destination) {
        addDestination(ChannelUri.parse(destination));
    }

    /** As {@link #addDestination(String)}. */
    public final void addDestination(ChannelUri destination) {
        owner.change(new DestinationChange.Add(registrationId(), checkedDestination(destination)));
    }

    /**
     * Removes a destination. Its image at the subscribing driver ends behind what was sent. Any
     * thread but one of the bus's handlers; waits for the driver.
     *
     * @param destination as it was added.
     * @throws RegistrationException if the publication has no such destination.
     * @throws BusException if it is no destination, or the publication is closed.
     */
    public final void removeDestination(String destination) {
        removeDestination(ChannelUri.parse(destination));
    }

    /** As {@link #removeDestination(String)}. */
    public final void removeDestination(ChannelUri destination) {
        owner.change(
                new DestinationChange.Remove(registrationId(), checkedDestination(destination)));
    }

    /**
     * Removes a destination by the id that {@link #asyncAddDestination} has returned, as {@link
     * #removeDestination(String)}.
     *
     * @param destinationId of the destination.
     * @throws RegistrationException if the driver refuses.
     * @throws BusException if the publication is closed.
     */
    public final void removeDestination(long destinationId) {
        checkOpen();
        owner.change(new DestinationChange.RemoveById(registrationId(), destinationId));
    }

    /**
     * As {@link #addDestination(String)}, without waiting: what fails is told to the error handler.
     * Any thread, handlers included.
     *
     * @param destination of the publication's media.
     * @return id of the destination, and of the command, see {@link Bus#isCommandActive}.
     * @throws BusException if it is no destination, or the publication is closed.
     */
    public final long asyncAddDestination(String destination) {
        ChannelUri channel = checkedDestination(ChannelUri.parse(destination));
        return owner.changeLater(new DestinationChange.Add(registrationId(), channel));
    }

    /** As {@link #removeDestination(String)}, without waiting, see {@link #asyncAddDestination}. */
    public final long asyncRemoveDestination(String destination) {
        ChannelUri channel = checkedDestination(ChannelUri.parse(destination));
        return owner.changeLater(new DestinationChange.Remove(registrationId(), channel));
    }

    /** As {@link #removeDestination(long)}, without waiting, see {@link #asyncAddDestination}. */
    public final long asyncRemoveDestination(long destinationId) {
        checkOpen();
        return owner.changeLater(new DestinationChange.RemoveById(registrationId(), destinationId));
    }

    private ChannelUri checkedDestination(ChannelUri destination) {
        destination.checkDestination();
        checkOpen();
        return destination;
    }

    /** The stream id. */
    public final int streamId() {
        return log.spec().streamId();
    }

    /** The session id, which tells this stream's publishers apart. */
    public final int sessionId() {
        return log.spec().sessionId();
    }

    /** Identity at the driver of the publication that was the first to use the log. */
    public final long originalRegistrationId() {
        return log.spec().registrationId();
    }

    /** Whether this publication was the first to use the log. */
    public final boolean isOriginal() {
        return originalRegistrationId() == registrationId();
    }

    /** Id of the stream's first term. */
    public final int initialTermId() {
        return log.spec().initialTermId();
    }

    /** How far to shift a position to count terms. */
    public final int positionBitsToShift() {
        return LogLayout.positionBitsToShift(termLength());
    }

    /** Bytes of a term of the log. */
    public final int termLength() {
        return log.spec().termLength();
    }

    /** Bytes of the longest message that is sent in one piece, and of the longest claim. */
    public final int maxPayloadLength() {
        return log.spec().mtu() - FrameHeader.LENGTH;
    }

    /** Bytes of the longest message that can be offered. */
    public final int maxMessageLength() {
        return LogLayout.maxMessageLength(log.spec().termLength());
    }

    /**
     * Closes the publication. What was offered is still delivered; the stream ends behind it,
     * unless other publications share it. Any thread; does not wait; closing again does nothing.
     */
    @Override
    public final void close() {
        if (markClosed()) {
            owner.release(this);
        }
    }

    /** Whether the driver is to take the stream back. */
    boolean isRevokedOnClose() {
        return false;
    }

    /** Keeps all later calls out of the log; false if that was done before. */
    final synchronized boolean markClosed() {
        boolean first = !isClosed;
        isClosed = true;
        append(null, null);
        return first;
    }

    /** The driver is lost: keeps all later calls out of the log. Conductor's thread. */
    final synchronized void detach() {
        isAdrift = true;
        append(null, null);
        status(ChannelStatus.UNKNOWN);
    }

    /**
     * The next driver has the publication; false if it was closed meanwhile. Conductor's thread.
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
        isAdrift = false;
        append(log, limit);
        return true;
    }

    /**
     * Names what an offer has returned, for people.
     *
     * @param result of an offer or a claim.
     * @return the name of the constant; a position as it is.
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
