// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * A publication with a session of its own. {@link #offer}, {@link #tryClaim} and {@link #position}
 * are for one thread at a time; the rest is for any.
 */
public final class ExclusivePublication extends Publication {
    private final ExclusiveAppender appender;

    ExclusivePublication(
            ChannelUri channel,
            long registrationId,
            LogBuffers log,
            ReadablePosition limit,
            Owner owner) {
        super(channel, registrationId, log, limit, owner);
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
