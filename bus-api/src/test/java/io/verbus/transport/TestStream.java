// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.AppendResult;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.UnsafeBuffer;

/** A publication with its publisher: message n contains n, and bytes derived from n. */
public final class TestStream implements OutboundStream {
    private final ChannelUri channel;
    private final LogBuffers log;
    private final ExclusiveAppender appender;
    private final LogCleaner cleaner;
    private final UnsafeBuffer message;
    private long window;
    private long senderPosition;
    private long finalPosition = LogLayout.NOT_ENDED;
    private boolean isRevoked;
    private boolean isReleased;
    private long consumed;
    private long limit;
    private long readTo = Long.MAX_VALUE;

    /** Whether the stream has a receiver, so that messages are accepted. */
    public boolean connected;

    /** Whether another transport also carries the stream. */
    public boolean isShared;

    /** Number of times that the sender waited for credit. */
    public int stalls;

    /** Number of NAKs counted. */
    public int naks;

    /** Number of times that the stream was disconnected. */
    public int disconnects;

    /** Number of times that the sender position went back. */
    public int resumes;

    /** Number of messages accepted, and number of the next. */
    public long offered;

    /** Number of times that the sender has read the position. */
    public long looks;

    public TestStream(ChannelUri channel, LogBuffers log) {
        this.channel = channel;
        this.log = log;
        appender = new ExclusiveAppender(log);
        cleaner = new LogCleaner(log, 0);
        message = new UnsafeBuffer(new byte[maxMessage(log.spec().mtu())]);
    }

    /** Returns the length of message n in bytes on a stream with the MTU. */
    public static int length(long n, int mtu) {
        return Long.BYTES + (int) ((n * 0x9E37_79B9L >>> 7) % (maxMessage(mtu) - Long.BYTES));
    }

    private static int maxMessage(int mtu) {
        return mtu >= 8192 ? 8000 : 512;
    }

    /** Returns the byte of message n at an index after its number. */
    public static byte content(long n, int index) {
        return (byte) (n * 7 + index);
    }

    /** Offers the next message; returns whether it was accepted. */
    public boolean offer() {
        if (!connected || isEnding()) {
            return false;
        }
        int length = length(offered, log.spec().mtu());
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

    /** Returns the position up to which the log is appended to. */
    public long position() {
        return appender.position();
    }

    /** Performs the driver's housekeeping. */
    public void clean() {
        cleaner.clean(Math.min(consumed, readTo), 16_384);
        updateLimit();
    }

    /** Called when the transport has released the stream, which it must no longer write. */
    void release() {
        isReleased = true;
    }

    private void requireNotReleased() {
        if (isReleased) {
            throw new AssertionError("a released stream is written");
        }
    }

    /** Ends the stream: no more messages are accepted. */
    public void end() {
        finalPosition = appender.position();
    }

    /** Revokes the stream: no more messages are accepted, and unsent ones are not sent. */
    public void revoke() {
        isRevoked = true;
        end();
    }

    @Override
    public boolean isRevoked() {
        return isRevoked;
    }

    public boolean isEnding() {
        return finalPosition != LogLayout.NOT_ENDED;
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
        looks++;
        return senderPosition;
    }

    @Override
    public void senderPosition(long position) {
        requireNotReleased();
        if (position < senderPosition) {
            if (position < consumed) {
                throw new AssertionError("the sender goes back behind what was released");
            }
            resumes++;
        }
        senderPosition = position;
    }

    @Override
    public long releasedPosition() {
        return consumed;
    }

    @Override
    public void onReleased(long position, long newWindow) {
        requireNotReleased();
        if (position < consumed || position > senderPosition) {
            throw new AssertionError("released " + position + " after " + consumed);
        }
        consumed = position;
        window = newWindow;
        updateLimit();
    }

    private void updateLimit() {
        limit = cleaner.limit(consumed, window);
        long most = 2L * log.spec().termLength();
        if (limit - readTo > most) {
            limit = readTo + most;
        }
    }

    @Override
    public void onLogRead(long position) {
        requireNotReleased();
        readTo = position;
        updateLimit();
    }

    @Override
    public void onConnected(boolean nowConnected) {
        requireNotReleased();
        disconnects += connected && !nowConnected ? 1 : 0;
        connected = nowConnected;
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return isShared || channel.spiesConnect();
    }

    @Override
    public void onCreditStall() {
        requireNotReleased();
        stalls++;
    }

    @Override
    public void onNak() {
        requireNotReleased();
        naks++;
    }

    @Override
    public long finalPosition() {
        return finalPosition;
    }
}
