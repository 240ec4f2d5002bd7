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
    // Under this object's monitor where it is written, by the conductor or by close; read once by
    // each call. Null without a log: the publication is closed, or the driver lost.
    private volatile ExclusiveAppender appender;

    // Written before the appender: the one that there is, or was last.
    private ExclusiveAppender latest;

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
        latest = new ExclusiveAppender(log, limit);
        appender = latest;
    }

    @Override
    void append(LogBuffers log, ReadablePosition limit) {
        if (log == null) {
            appender = null;
        } else {
            latest = new ExclusiveAppender(log, limit);
            appender = latest;
        }
    }

    private ExclusiveAppender latest() {
        ExclusiveAppender appender = this.appender;
        return appender == null ? latest : appender;
    }

    @Override
    public long offer(DirectBuffer buffer, int offset, int length, long reservedValue) {
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.append(buffer, offset, length, reservedValue, appender.limit());
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
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
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
                        appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long offer(DirectBufferVector[] vectors, ReservedValueSupplier supplier) {
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.append(vectors, supplier, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long tryClaim(int length, BufferClaim claim) {
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.claim(length, claim, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long position() {
        ExclusiveAppender appender = this.appender;
        return appender == null ? absent() : appender.position();
    }

    /** Id of the term that is published to; of the last one, once the publication is closed. */
    public int termId() {
        return latest().termId();
    }

    /**
     * Offset in that term of the next frame; the term's length where the next term is due. One
     * thread at a time.
     */
    public int termOffset() {
        return latest().termOffset();
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
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.appendPadding(length, appender.limit());
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
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.appendBlock(buffer, offset, length, appender.limit());
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
