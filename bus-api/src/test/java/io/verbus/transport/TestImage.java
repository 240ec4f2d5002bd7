// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogReader;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

/** An image with its subscriber, which checks every message. */
public final class TestImage implements InboundImage {
    public final ImageSetup setup;

    /** Why the peer is lost, or null. */
    public String lost;

    /** Where the stream ends, or -1 while that is not known. */
    public long endingAt = -1;

    public boolean released;

    /** Position up to which credit was granted. */
    public long granted;

    /** Number of the next message, or -1 if any may be the first. */
    public long next;

    /** Messages that were read. */
    public long received;

    /** Times that the receiver looked how far it is. */
    public long looks;

    private final long id;
    private final LogBuffers log;
    private final AtomicLongPosition position = new AtomicLongPosition();
    private final LogReader reader;
    private final FragmentHandler handler = this::onFragment;

    public TestImage(long id, ImageSetup setup, LogBuffers log) {
        this.id = id;
        this.setup = setup;
        this.log = log;
        position.set(setup.position());
        next = setup.position() == 0 ? 0 : -1;
        reader = new LogReader(log, position, true);
    }

    /** Reads at most so many messages; fails on one that is not the next. */
    public int poll(int limit) {
        return released ? 0 : reader.poll(handler, limit);
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

    /** Whether all was read of a stream that has ended. */
    public boolean isEndOfStream() {
        return position.get() >= log.metadata().getLongAcquire(LogLayout.END_OF_STREAM);
    }

    /** Up to where it was read. */
    public long position() {
        return position.get();
    }

    @Override
    public long imageId() {
        return id;
    }

    @Override
    public LogBuffers log() {
        return log;
    }

    @Override
    public long consumedPosition() {
        looks++;
        return position.getAcquire();
    }

    @Override
    public boolean grant(long newPosition) {
        if (newPosition < granted) {
            throw new AssertionError("credit goes back");
        }
        granted = newPosition;
        return position.getAcquire() >= newPosition;
    }
}
