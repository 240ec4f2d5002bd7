// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ConcurrentAppender;
import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.MessageBatch;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/** A publication whose log is shared by any number of threads and processes. */
final class ConcurrentPublication extends Publication {
    // Written under this object's monitor, by the conductor or by close; read once by each call.
    // Null while the publication is closed or the driver is lost.
    private volatile ConcurrentAppender appender;

    ConcurrentPublication(
            ChannelUri channel,
            long registrationId,
            LogBuffers log,
            ReadablePosition limit,
            ChannelStatus status,
            Owner owner) {
        super(channel, registrationId, log, limit, status, owner);
        appender = new ConcurrentAppender(log, limit);
    }

    @Override
    void attach(LogBuffers log, ReadablePosition limit) {
        appender = log == null ? null : new ConcurrentAppender(log, limit);
    }

    @Override
    public long offer(DirectBuffer buffer, int offset, int length, long reservedValue) {
        ConcurrentAppender appender = this.appender;
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
        ConcurrentAppender appender = this.appender;
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
        ConcurrentAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.append(vectors, supplier, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long offerBatch(MessageBatch batch) {
        ConcurrentAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.appendBatch(batch, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long tryClaim(int length, BufferClaim claim) {
        ConcurrentAppender appender = this.appender;
        if (appender == null) {
            return absent();
        }
        long result = appender.claim(length, claim, appender.limit());
        return result > 0 ? result : refused(result);
    }

    @Override
    public long position() {
        ConcurrentAppender appender = this.appender;
        return appender == null ? absent() : appender.position();
    }
}
