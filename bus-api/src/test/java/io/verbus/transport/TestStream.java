// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.AppendResult;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.UnsafeBuffer;

/** A publication with its publisher: message n holds n, and bytes that follow from n. */
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
    private long consumed;
    private long limit;

    /** Whether a receiver stands, so that messages are taken. */
    public boolean connected;

    /** Whether another transport carries it, too. */
    public boolean isShared;

    /** Times that the sender waited for credit. */
    public int stalls;

    /** NAKs that were counted. */
    public int naks;

    /** Times that it was not connected any more. */
    public int disconnects;

    /** Times that the sender went back. */
    public int resumes;

    /** Messages that were taken; the number of the next. */
    public long offered;

    /** Times that the sender looked how far it is. */
    public long looks;

    public TestStream(ChannelUri channel, LogBuffers log) {
        this.channel = channel;
        this.log = log;
        appender = new ExclusiveAppender(log);
        cleaner = new LogCleaner(log, 0);
        message = new UnsafeBuffer(new byte[maxMessage(log.spec().mtu())]);
    }

    /** Bytes of message n on a stream of the MTU. */
    public static int length(long n, int mtu) {
        return Long.BYTES + (int) ((n * 0x9E37_79B9L >>> 7) % (maxMessage(mtu) - Long.BYTES));
    }

    private static int maxMessage(int mtu) {
        return mtu >= 8192 ? 8000 : 512;
    }

    /** The byte of message n at an index behind its number. */
    public static byte content(long n, int index) {
        return (byte) (n * 7 + index);
    }

    /** Offers the next message; whether it was taken. */
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

    /** Up to where it was appended. */
    public long position() {
        return appender.position();
    }

    /** The driver's housekeeping. */
    public void clean() {
        cleaner.clean(consumed, 16_384);
        limit = cleaner.limit(consumed, window);
    }

    /** Closes it: no message is taken any more. */
    public void end() {
        finalPosition = appender.position();
    }

    /** Takes it back: no message is taken any more, and what was not sent stays here. */
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
        if (position < consumed || position > senderPosition) {
            throw new AssertionError("released " + position + " after " + consumed);
        }
        consumed = position;
        window = newWindow;
        limit = cleaner.limit(consumed, window);
    }

    @Override
    public void onConnected(boolean nowConnected) {
        disconnects += connected && !nowConnected ? 1 : 0;
        connected = nowConnected;
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return isShared || channel.spiesConnect();
    }

    @Override
    public void onCreditStall() {
        stalls++;
    }

    @Override
    public void onNak() {
        naks++;
    }

    @Override
    public long finalPosition() {
        return finalPosition;
    }
}
