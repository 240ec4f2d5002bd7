// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.LogBuffers;

import java.util.ArrayList;
import java.util.List;

/** An image with its first subscriber, and others that have joined. */
public final class TestImage extends TestSubscriber implements InboundImage {
    /** Why the peer is lost, or null. */
    public String lost;

    /** Position at which the stream ends, or -1 while unknown. */
    public long endingAt = -1;

    /** Position at which the stream was revoked, or -1 if it was not. */
    public long revokedAt = -1;

    public boolean released;

    /** Position after the last frame that had arrived when the image was released. */
    public long frontier;

    /** Position at which another image replaces this one, or -1. */
    public long movedAt = -1;

    /** The image that this one replaces, until that is read. */
    private TestImage before;

    private TestImage origin;

    /** Position recorded as granted. */
    public long granted;

    /** Subscribers besides the first whose positions count. */
    public final List<TestSubscriber> others = new ArrayList<>();

    /** Action of other threads while the transport reads the subscribers' positions. */
    public Runnable meanwhile = () -> {};

    /** Injects a defect: grants credit without checking the subscribers again. */
    public boolean grantsBlindly;

    /** Number of times that the receiver has read the position. */
    public long looks;

    /** Number of NAKs counted. */
    public int naks;

    private final long id;
    private final ChannelUri channel;
    private final LogBuffers log;

    public TestImage(long id, ChannelUri channel, ImageSetup setup, LogBuffers log) {
        super(setup, log, setup.position());
        this.id = id;
        this.channel = channel;
        this.log = log;
        granted = setup.position();
    }

    /** Makes this image replace another. */
    void goesOnFrom(TestImage other) {
        before = other;
        origin = other;
    }

    @Override
    public int poll(int limit) {
        if (released || isMoved()) {
            return 0;
        }
        if (before != null && !before.isMoved() && !before.released) {
            return 0;
        }
        takeOver();
        return super.poll(limit);
    }

    private void takeOver() {
        if (before != null) {
            before.takeOver();
            next = before.isMoved() ? before.next : -1; // the test has closed it before it was read
            received += before.received;
            before = null;
        }
    }

    /** Returns the image that this one started as. */
    public TestImage first() {
        return origin == null ? this : origin.first();
    }

    /** Returns whether it was read up to where another replaces it. */
    public boolean isMoved() {
        return position() == movedAt && (before == null || before.isMoved() || before.released);
    }

    @Override
    public long imageId() {
        return id;
    }

    @Override
    public ChannelUri channel() {
        return channel;
    }

    @Override
    public void onNak() {
        naks++;
    }

    @Override
    public LogBuffers log() {
        return log;
    }

    @Override
    public long consumedPosition() {
        looks++;
        long consumed = least();
        meanwhile.run();
        return consumed;
    }

    @Override
    public String toString() {
        return "stream "
                + setup.streamId()
                + " session "
                + setup.sessionId()
                + " read up to "
                + position()
                + (endingAt < 0 ? "" : " ends at " + endingAt)
                + (movedAt < 0 ? "" : " moved at " + movedAt)
                + (before == null ? "" : " waits for " + before)
                + (lost == null ? "" : " lost: " + lost);
    }

    /** Records that nothing can write to the log any longer. */
    void release() {
        released = true;
        frontier = FrontierScanner.scan(log, position()).position();
    }

    /** Returns the least of the positions that count. */
    public long least() {
        long least = position();
        for (int i = 0; i < others.size(); i++) {
            least = Math.min(least, others.get(i).position());
        }
        return least;
    }

    /** Number of bytes that the peer may be ahead, as last reported. */
    public int window;

    @Override
    public void window(int bytes) {
        window = bytes;
    }

    /** Position after the last frame that has arrived, as last reported. */
    public long arrived;

    @Override
    public void arrived(long position) {
        arrived = position;
    }

    @Override
    public boolean grant(long position) {
        granted = Math.max(granted, position);
        meanwhile.run();
        return grantsBlindly || least() >= position;
    }
}
