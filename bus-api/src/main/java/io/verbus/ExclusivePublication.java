// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * A publication with a session of its own. {@link #offer}, {@link #tryClaim}, {@link #position} and
 * what says so are for one thread at a time; the rest is for any.
 */
public final class ExclusivePublication extends Publication {
    private final ExclusiveAppender appender;

    // Written by any thread before the publication is closed, read by the client conductor.
    private volatile boolean isRevokedOnClose;

    ExclusivePublication(
            ChannelUri channel,
            long registrationId,
            LogBuffers log,
            ReadablePosition limit,
            ChannelStatus status,
            Owner owner) {
        super(channel, registrationId, log, limit, status, owner);
        appender = new ExclusiveAppender(log);
    }

    @Override
    public long offer(DirectBuffer buffer, int offset, int length, long reservedValue) {
        if (isClosed()) {
            return CLOSED;
        }
        long result = appender.append(buffer, offset, length, reservedValue, limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long offer(
            DirectBuffer first,
            int firstOffset,
            int firstLength,
            DirectBuffer second,
            int secondOffset,
            int secondLength,
            ReservedValueSupplier supplier) {
        if (isClosed()) {
            return CLOSED;
        }
        long result =
                appender.append(
                        first,
                        firstOffset,
                        firstLength,
                        second,
                        secondOffset,
                        secondLength,
                        supplier,
                        limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long offer(DirectBufferVector[] vectors, ReservedValueSupplier supplier) {
        if (isClosed()) {
            return CLOSED;
        }
        long result = appender.append(vectors, supplier, limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long tryClaim(int length, BufferClaim claim) {
        if (isClosed()) {
            return CLOSED;
        }
        long result = appender.claim(length, claim, limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long position() {
        return isClosed() ? CLOSED : appender.position();
    }

    /** Id of the term that is published to; of the last one, once the publication is closed. */
    public int termId() {
        return appender.termId();
    }

    /**
     * Offset in that term of the next frame; the term's length where the next term is due. One
     * thread at a time.
     */
    public int termOffset() {
        return appender.termOffset();
    }

    /**
     * Appends padding, which subscribers skip: so a stream comes to a position that it had
     * elsewhere. One thread at a time.
     *
     * @param length in bytes, without the header of 32 that is added; at most {@link
     *     #maxMessageLength()}.
     * @return the stream's position behind the padding, or a negative constant.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public long appendPadding(int length) {
        if (isClosed()) {
            return CLOSED;
        }
        long result = appender.appendPadding(length, limit());
        return result > 0 ? result : refused(result);
    }

    /**
     * Sends whole frames that were read elsewhere, such as by {@link Image#blockPoll}, as they are.
     * They are of this session, stream and place: the first one begins at {@link #position()}. One
     * thread at a time.
     *
     * @param buffer that holds frames of data, one behind the other.
     * @param offset at which the first one begins.
     * @param length of all in bytes, at most what is left of the term.
     * @return the stream's position behind the block, or a negative constant.
     * @throws IllegalArgumentException if a frame is not one, or is of another place.
     */
    public long offerBlock(DirectBuffer buffer, int offset, int length) {
        if (isClosed()) {
            return CLOSED;
        }
        long result = appender.appendBlock(buffer, offset, length, limit());
        return result > 0 ? result : refused(result);
    }

    /**
     * Has {@link #close()} take the stream back: its images end at once, wherever they are, without
     * what is unread. Any thread.
     */
    public void revokeOnClose() {
        isRevokedOnClose = true;
    }

    /** Closes the publication and takes the stream back, see {@link #revokeOnClose}. Any thread. */
    public void revoke() {
        revokeOnClose();
        close();
    }

    @Override
    boolean isRevokedOnClose() {
        return isRevokedOnClose;
    }
}
