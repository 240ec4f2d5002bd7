// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ConcurrentAppender;
import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/** A publication for any number of threads and processes, which share its log. */
final class ConcurrentPublication extends Publication {
    private final ConcurrentAppender appender;

    ConcurrentPublication(
            ChannelUri channel,
            long registrationId,
            LogBuffers log,
            ReadablePosition limit,
            ChannelStatus status,
            Owner owner) {
        super(channel, registrationId, log, limit, status, owner);
        appender = new ConcurrentAppender(log);
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
}
