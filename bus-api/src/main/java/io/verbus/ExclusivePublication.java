// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.MessageBatch;
import io.verbus.logbuffer.MisuseChecks;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * A publication with its own session. {@link #offer}, {@link #offerBatch}, {@link #tryClaim},
 * {@link #position} and the methods marked "one thread at a time" are not thread-safe; all other
 * methods are.
 */
public final class ExclusivePublication extends Publication {
    // Written under this object's monitor, by the conductor or by close; read once by each call.
    // Null while the publication is closed or the driver is lost.
    private volatile ExclusiveAppender appender;

    private final MisuseChecks checks = new MisuseChecks();

    // The current or last appender. Written before the field appender.
    private ExclusiveAppender latest;

    // Written by any thread before the publication is closed; read by the client conductor.
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
    void attach(LogBuffers log, ReadablePosition limit) {
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
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(this, () -> offer(buffer, offset, length, reservedValue));
        }
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
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(
                    this,
                    () ->
                            offer(
                                    first,
                                    firstOffset,
                                    firstLength,
                                    second,
                                    secondOffset,
                                    secondLength,
                                    supplier));
        }
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
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(this, () -> offer(vectors, supplier));
        }
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.append(vectors, supplier, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long offerBatch(MessageBatch batch) {
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(this, () -> offerBatch(batch));
        }
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.appendBatch(batch, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long tryClaim(int length, BufferClaim claim) {
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(this, () -> tryClaim(length, claim));
        }
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

    /** Returns the id of the current term, or of the last term once the publication is closed. */
    public int termId() {
        return latest().termId();
    }

    /**
     * Returns the offset of the next frame in the current term, or the term length if the next
     * frame starts a new term. Must be called by one thread at a time.
     */
    public int termOffset() {
        return latest().termOffset();
    }

    /**
     * Appends padding, which subscribers skip, to move the stream to a required position. Must be
     * called by one thread at a time.
     *
     * @param length length in bytes, at most {@link #maxMessageLength()}, excluding the header of
     *     32 bytes that is added.
     * @return the stream's position after the padding, or a negative constant of {@link
     *     Publication}.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public long appendPadding(int length) {
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(this, () -> appendPadding(length));
        }
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.appendPadding(length, appender.limit());
        return result > 0 ? result : refused(result);
    }

    /**
     * Sends, unchanged, complete frames that were read elsewhere, such as by {@link
     * Image#blockPoll}. The frames must belong to this session and stream, and the first frame must
     * start at {@link #position()}. Must be called by one thread at a time.
     *
     * @param buffer buffer with contiguous data frames.
     * @param offset offset of the first frame in the buffer.
     * @param length length of all frames in bytes, at most the rest of the term.
     * @return the stream's position after the block, or a negative constant of {@link Publication}.
     * @throws IllegalArgumentException if a frame is invalid, or belongs at another position or to
     *     another stream.
     */
    public long offerBlock(DirectBuffer buffer, int offset, int length) {
        if (MisuseChecks.ON && !checks.isUser()) {
            return checks.alone(this, () -> offerBlock(buffer, offset, length));
        }
        ExclusiveAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.appendBlock(buffer, offset, length, appender.limit());
        return result > 0 ? result : refused(result);
    }

    /**
     * Makes {@link #close()} revoke the stream, so that its images end immediately at all
     * receivers, without delivering unread messages. Thread-safe.
     */
    public void revokeOnClose() {
        isRevokedOnClose = true;
    }

    /** Closes the publication and revokes the stream; see {@link #revokeOnClose}. Thread-safe. */
    public void revoke() {
        revokeOnClose();
        close();
    }

    @Override
    boolean isRevokedOnClose() {
        return isRevokedOnClose;
    }
}
