// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.ChannelUri;
import io.verbus.logbuffer.AppendResult;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.OutboundStream;

import org.agrona.concurrent.UnsafeBuffer;

/** A publication with its publisher: message n holds n, and bytes that follow from n. */
final class TestStream implements OutboundStream {
    private static final int MAX_MESSAGE = 512;

    private final ChannelUri channel;
    private final LogBuffers log;
    private final ExclusiveAppender appender;
    private final LogCleaner cleaner;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[MAX_MESSAGE]);
    private int window;
    private long senderPosition;
    private long finalPosition = LogLayout.NOT_ENDED;
    private long consumed;
    private long limit;

    boolean connected;
    long offered;

    TestStream(ChannelUri channel, LogBuffers log) {
        this.channel = channel;
        this.log = log;
        appender = new ExclusiveAppender(log);
        cleaner = new LogCleaner(log, 0);
    }

    static int length(long n) {
        return Long.BYTES + (int) ((n * 0x9E37_79B9L >>> 7) % (MAX_MESSAGE - Long.BYTES));
    }

    static byte content(long n, int index) {
        return (byte) (n * 7 + index);
    }

    /** Offers the next message; whether it was taken. */
    boolean offer() {
        if (!connected || finalPosition != LogLayout.NOT_ENDED) {
            return false;
        }
        int length = length(offered);
        message.putLong(0, offered);
        for (int i = Long.BYTES; i < length; i++) {
            message.putByte(i, content(offered, i));
        }
        long result = appender.append(message, 0, length, 0, limit);
        if (result == AppendResult.ADMIN_ACTION) {
            result = appender.append(message, 0, length, 0, limit);
        }
        if (result > 0) {
            offered++;
        }
        return result > 0;
    }

    long position() {
        return appender.position();
    }

    /** The driver's housekeeping. */
    void clean() {
        cleaner.clean(consumed, 16_384);
        limit = cleaner.limit(consumed, window);
    }

    void end() {
        finalPosition = appender.position();
    }

    @Override
    public long registrationId() {
        return log.spec().registrationId();
    }

    @Override
    public ChannelUri channel() {
        return channel;
    }

    @Override
    public LogBuffers log() {
        return log;
    }

    @Override
    public long senderPosition() {
        return senderPosition;
    }

    @Override
    public void senderPosition(long position) {
        if (position < senderPosition) {
            throw new AssertionError("the sender goes back");
        }
        senderPosition = position;
    }

    @Override
    public long releasedPosition() {
        return consumed;
    }

    @Override
    public void onReleased(long position, int newWindow) {
        if (position < consumed || position > senderPosition) {
            throw new AssertionError("released " + position + " after " + consumed);
        }
        consumed = position;
        window = newWindow;
        limit = cleaner.limit(consumed, window);
    }

    @Override
    public void onConnected(boolean nowConnected) {
        connected = nowConnected;
    }

    @Override
    public void onCreditStall() {
        // Of no interest here.
    }

    @Override
    public long finalPosition() {
        return finalPosition;
    }
}
