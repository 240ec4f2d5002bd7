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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SendTimestampsTest {
    private static final int LENGTH = 64;
    private static final String CHANNEL = "verbus:rdma?endpoint=10.0.0.1:1";

    private final LogBuffers log = TestLogs.create(64 * 1024, 1408);
    private final SendTimestamps timestamps = of(CHANNEL + "|channel-snd-ts-offset=0");

    private SendTimestamps of(String channel) {
        return SendTimestamps.of(new TestStream(ChannelUri.parse(channel), log));
    }

    @BeforeEach
    void append() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        UnsafeBuffer message = new UnsafeBuffer(new byte[2 * LENGTH - FrameHeader.LENGTH]);
        for (int i = 0; i < 3; i++) {
            appender.append(message, 0, message.capacity(), 0, Long.MAX_VALUE);
        }
    }

    @AfterEach
    void close() {
        log.close();
    }

    private long time(int frame) {
        return log.term(0).getLong(frame * 2 * LENGTH + FrameHeader.LENGTH);
    }

    private void send(int frame, int count) {
        long position = frame * 2L * LENGTH;
        timestamps.stamp(position, count * 2 * LENGTH);
        timestamps.sent(position, position + count * 2L * LENGTH);
    }

    @Test
    void stampsFrameOnlyOnce() {
        send(0, 2);
        long first = time(0);
        assertNotEquals(0, first);
        assertEquals(first, time(1));
        assertEquals(0, time(2));
        send(1, 2);
        send(0, 3);
        assertEquals(first, time(1), "was sent before");
        assertNotEquals(0, time(2));
    }

    @Test
    void stampsSkippedFrameThatIsSentLater() {
        send(0, 1);
        send(2, 1);
        long last = time(2);
        assertEquals(0, time(1));
        send(1, 2);
        assertNotEquals(0, time(1));
        assertEquals(last, time(2), "was sent before");
    }

    @Test
    void stampsFrameAgainThatCouldNotBeSent() {
        timestamps.stamp(0, 2 * LENGTH);
        long tried = time(0);
        send(0, 1);
        assertNotEquals(tried, time(0));
    }

    @Test
    void isNullIfChannelRequestsNoTimestamps() {
        assertNull(of(CHANNEL));
    }
}
