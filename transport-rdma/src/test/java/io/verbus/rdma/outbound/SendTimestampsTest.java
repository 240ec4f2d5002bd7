// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.TestLogs;
import io.verbus.transport.TestStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SendTimestampsTest {
    private static final int LENGTH = 64;
    private static final String CHANNEL = "verbus:rdma?endpoint=10.0.0.1:1";

    private final LogBuffers log = TestLogs.create(64 * 1024, 1408);

    @AfterEach
    void close() {
        log.close();
    }

    private long time(int frame) {
        return log.term(0).getLong(frame * 2 * LENGTH + FrameHeader.LENGTH);
    }

    @Test
    void stampsFrameOnlyOnce() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        UnsafeBuffer message = new UnsafeBuffer(new byte[2 * LENGTH - FrameHeader.LENGTH]);
        for (int i = 0; i < 3; i++) {
            appender.append(message, 0, message.capacity(), 0, Long.MAX_VALUE);
        }
        ChannelUri channel = ChannelUri.parse(CHANNEL + "|channel-snd-ts-offset=0");
        SendTimestamps timestamps = SendTimestamps.of(new TestStream(channel, log));
        timestamps.stamp(0, 4 * LENGTH);
        long first = time(0);
        assertNotEquals(0, first);
        assertEquals(first, time(1));
        assertEquals(0, time(2));
        timestamps.stamp(2 * LENGTH, 4 * LENGTH);
        timestamps.stamp(0, 6 * LENGTH);
        assertEquals(first, time(1), "was sent before");
        assertNotEquals(0, time(2));
    }

    @Test
    void isNullIfChannelRequestsNoTimestamps() {
        assertNull(SendTimestamps.of(new TestStream(ChannelUri.parse(CHANNEL), log)));
    }
}
