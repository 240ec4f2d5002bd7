// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogReader;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

/** Reads an image, and checks every message. */
public class TestSubscriber {
    public final ImageSetup setup;

    /** Number of the next message, or -1 to accept any first one. */
    public long next;

    /** Number of messages read. */
    public long received;

    private final LogBuffers log;
    private final AtomicLongPosition position = new AtomicLongPosition();
    private final FragmentHandler handler = this::onFragment;

    /** Created at the first poll, at the current position. */
    private LogReader reader;

    /**
     * @param setup stream of the image.
     * @param log log of the image.
     * @param joinPosition position at which to start reading.
     */
    public TestSubscriber(ImageSetup setup, LogBuffers log, long joinPosition) {
        this.setup = setup;
        this.log = log;
        position.set(joinPosition);
        next = joinPosition == 0 ? 0 : -1;
    }

    /** Reads up to a number of messages; fails on one that is not the next. */
    public int poll(int limit) {
        if (reader == null) {
            reader = new LogReader(log, position, true);
        }
        return reader.poll(handler, limit);
    }

    private void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        long n = buffer.getLong(offset);
        boolean right =
                (next < 0 || n == next)
                        && n >= 0
                        && length == TestStream.length(n, setup.mtu())
                        && header.streamId() == setup.streamId()
                        && header.sessionId() == setup.sessionId();
        for (int i = Long.BYTES; right && i < length; i++) {
            right = buffer.getByte(offset + i) == TestStream.content(n, i);
        }
        if (!right) {
            throw new AssertionError("message " + n + " of " + length + " bytes after " + next);
        }
        next = n + 1;
        received++;
    }

    /** Returns whether a stream that has ended was read completely. */
    public boolean isEndOfStream() {
        return position.get() >= log.metadata().getLongAcquire(LogLayout.END_OF_STREAM);
    }

    /** Returns the position up to which it was read. */
    public long position() {
        return position.getAcquire();
    }

    /** Skips to a position, before the first poll. */
    public void position(long newPosition) {
        position.set(newPosition);
    }
}
