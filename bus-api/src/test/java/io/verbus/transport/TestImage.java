// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;

import java.util.ArrayList;
import java.util.List;

/** An image with its first subscriber, and others that have joined. */
public final class TestImage extends TestSubscriber implements InboundImage {
    /** Why the peer is lost, or null. */
    public String lost;

    /** Where the stream ends, or -1 while that is not known. */
    public long endingAt = -1;

    /** Where the stream was taken back, or -1 while it is not. */
    public long revokedAt = -1;

    public boolean released;

    /** Where another image takes the place of this one, or -1. */
    public long movedAt = -1;

    /** The image that this one takes the place of, until that is read. */
    private TestImage before;

    private TestImage origin;

    /** Position that was noted to be granted. */
    public long granted;

    /** Subscribers whose positions count, beside the first. */
    public final List<TestSubscriber> others = new ArrayList<>();

    /** What other threads do while the transport looks at the subscribers. */
    public Runnable meanwhile = () -> {};

    /** Defect: credit is granted without another look at the subscribers. */
    public boolean grantsBlindly;

    /** Times that the receiver looked how far it is. */
    public long looks;

    /** NAKs that were counted. */
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

    /** It takes the place of another. */
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
            next = before.isMoved() ? before.next : -1; // closed by the test before it was read
            received += before.received;
            before = null;
        }
    }

    /** The image that it began as. */
    public TestImage first() {
        return origin == null ? this : origin.first();
    }

    /** Whether it was read up to where another takes its place. */
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

    /** The least of the positions that count. */
    public long least() {
        long least = position();
        for (int i = 0; i < others.size(); i++) {
            least = Math.min(least, others.get(i).position());
        }
        return least;
    }

    /** Bytes that the peer may be ahead, as far as it was told. */
    public int window;

    @Override
    public void window(int bytes) {
        window = bytes;
    }

    /** Position behind the last frame that has arrived, as far as it was told. */
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
