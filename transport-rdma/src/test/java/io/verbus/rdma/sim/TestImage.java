// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogReader;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

/** An image with its subscriber, which checks every message. */
final class TestImage implements InboundImage {
    final ImageSetup setup;
    String lost;
    long endingAt = -1;
    boolean released;
    long granted;

    /** Number of the next message, or -1 before the first. */
    long next = -1;

    long received;

    /** Times that the receiver looked how far it is. */
    long looks;

    private final long id;
    private final LogBuffers log;
    private final AtomicLongPosition position = new AtomicLongPosition();
    private final LogReader reader;
    private final FragmentHandler handler = this::onFragment;

    TestImage(long id, ImageSetup setup, LogBuffers log) {
        this.id = id;
        this.setup = setup;
        this.log = log;
        position.set(setup.position());
        reader = new LogReader(log, position, true);
    }

    int poll(int limit) {
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

    boolean isEndOfStream() {
        return position.get() >= log.metadata().getLongAcquire(LogLayout.END_OF_STREAM);
    }

    long position() {
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
    public void grantedPosition(long newPosition) {
        if (newPosition < granted) {
            throw new AssertionError("credit goes back");
        }
        granted = newPosition;
    }
}
