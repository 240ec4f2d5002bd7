// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ReceivedPosition;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogMerger;
import io.verbus.transport.InboundEndpoint;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.agrona.concurrent.status.Position;

import java.util.function.Consumer;

/**
 * The image of a publication that comes from several sources, such as a replay and the live stream.
 * Each source has an image of its own, which no client sees; the receiver copies from there what
 * comes next. Conductor's thread but where it says otherwise.
 */
final class MergedImage implements Subscribable {
    /** Bytes that a turn copies of one source. */
    private static final int MAX_COPIED = 64 * 1024;

    private static final Source[] NONE = {};

    /** A source: its image, and how far that was merged. */
    private static final class Source {
        final NetworkImage image;
        final LogMerger.Source frames;

        /** Written by the receiver; the source's sender is granted credit by it. */
        final Position position = new AtomicLongPosition();

        /** Written by the receiver: why nothing more is taken of it. */
        volatile InvalidFrameException defect;

        Source(NetworkImage image) {
            this.image = image;
            long begin = image.log().spec().position();
            frames = new LogMerger.Source(image.log(), begin);
            image.subscribers().positions().join(position, () -> begin);
        }
    }

    /** A source that the receiver may still be busy with. */
    private record Leaving(Source source, long removal) {}

    private enum State {
        ACTIVE,
        DRAINING,
        CLOSED
    }

    private final ManualEndpoint endpoint;
    private final ChannelUri channel;
    private final LogBuffers log;
    private final String description;
    private final ReceivedPosition received;
    private final Subscribers subscribers;
    private final LogMerger merger;
    private final Mergers mergers;
    private final long livenessTimeoutNs;

    /** Written by the conductor, a new array each time; read by the receiver once a turn. */
    private volatile Source[] sources = NONE;

    private Leaving[] leaving = {};
    private State state = State.ACTIVE;
    private long finalPosition = LogLayout.NOT_ENDED;
    private String endReason = "end of stream";
    private int transports = -1;
    private boolean hasEnded;
    private boolean isForsaken;
    private long aloneSinceNs;
    private long removal;

    MergedImage(
            ManualEndpoint endpoint,
            ChannelUri channel,
            LogBuffers log,
            String description,
            ReceivedPosition received,
            Mergers mergers,
            long livenessTimeoutNs,
            long nowNs,
            UntetheredTimeouts timeouts,
            DriverCounters counters,
            EventEncoder events) {
        this.endpoint = endpoint;
        this.channel = channel;
        this.log = log;
        this.description = description;
        this.received = received;
        this.mergers = mergers;
        this.livenessTimeoutNs = livenessTimeoutNs;
        this.aloneSinceNs = nowNs;
        this.merger = new LogMerger(log);
        this.subscribers =
                new Subscribers(
                        this,
                        log.spec().termLength(),
                        log.spec().position(),
                        timeouts,
                        counters,
                        events);
        mergers.add(this);
    }

    // Receiver

    /** One turn: takes from each source what comes next. Returns the amount of work done. */
    int merge() {
        Source[] all = sources;
        int work = 0;
        for (int i = 0; i < all.length; i++) {
            work += merge(all[i]);
        }
        return work;
    }

    private int merge(Source source) {
        if (source.defect != null) {
            return 0;
        }
        long released = subscribers.positions().release(subscribers.positions().least());
        try {
            int taken = merger.merge(source.frames, released + log.spec().termLength(), MAX_COPIED);
            if (taken > 0) {
                source.position.setRelease(source.frames.position());
            }
            return taken;
        } catch (InvalidFrameException e) {
            source.defect = e;
            return 1;
        }
    }

    // Conductor

    /** Takes in one more source, whose stream is this one. */
    void add(NetworkImage image) {
        sources = ArrayUtil.add(sources, new Source(image));
    }

    /** Lets go of what comes to a destination that was removed. */
    void removeFrom(InboundEndpoint destination) {
        for (Source source : sources) {
            if (source.image.endpoint() == destination) {
                leave(source);
            }
        }
    }

    private void leave(Source source) {
        Source[] rest = ArrayUtil.remove(sources, source);
        sources = rest.length == 0 ? NONE : rest;
        leaving = ArrayUtil.add(leaving, new Leaving(source, mergers.removed()));
    }

    /** At each of its turns. Returns the amount of work done. */
    int update(long nowNs) {
        int work = subscribers.endImpossible() + letGo();
        if (state == State.ACTIVE) {
            work += lookAtSources(nowNs);
        }
        if (state == State.DRAINING) {
            work += subscribers.drain(finalPosition, endReason);
        }
        if (state != State.CLOSED && subscribers.isDeserted()) {
            isForsaken |= state == State.ACTIVE && subscribers.hasGone();
            close();
            work++;
        }
        return work;
    }

    /** Sources that the receiver has let go of need no image any more. */
    private int letGo() {
        int work = 0;
        for (Leaving each : leaving) {
            if (mergers.isReleased(each.removal)) {
                leaving = ArrayUtil.remove(leaving, each);
                each.source.image.subscribers().positions().leave(each.source.position);
                work++;
            }
        }
        return work;
    }

    /**
     * A source that is revoked is read like one that has ended, while another goes on, or may come
     * to another destination: who stops a replay does not know whether the live stream has come.
     */
    private int lookAtSources(long nowNs) {
        int work = 0;
        int active = 0;
        boolean goesOn = false;
        NetworkImage revoked = null;
        for (Source source : sources) {
            goesOn |= source.defect == null && source.position.getAcquire() <= merger.frontier();
            if (source.image.isActive() && source.defect == null) {
                active++;
            } else if (source.image.isRevoked()) {
                revoked = source.image;
            }
        }
        if (revoked != null && active == 0 && endpoint.hasOnly(revoked.endpoint())) {
            revoke(revoked.finalPosition());
            return 1;
        }
        for (Source source : sources) {
            if (!source.image.isActive() && isOver(source) || source.defect != null) {
                hasEnded |= source.image.hasEnded() && source.defect == null;
                leave(source);
                work++;
            }
        }
        if (active != transports) {
            transports = active;
            log.metadata().putIntRelease(LogLayout.ACTIVE_TRANSPORT_COUNT, active);
        }
        if (goesOn) {
            aloneSinceNs = nowNs;
        } else if (hasEnded && sources.length == 0 || nowNs - aloneSinceNs >= livenessTimeoutNs) {
            endReason = hasEnded ? endReason : "no source has what comes next";
            isForsaken = !hasEnded;
            drainTo(merger.frontier());
            work++;
        }
        return work;
    }

    /** Whether nothing more can be taken of a source that brings nothing more. */
    private boolean isOver(Source source) {
        long position = source.position.getAcquire();
        return source.defect != null
                || position >= source.image.finalPosition()
                || position > merger.frontier();
    }

    private void revoke(long position) {
        log.metadata().putByte(LogLayout.REVOKED, (byte) 1);
        drainTo(position);
        subscribers.endAll("the publication was revoked");
    }

    private void drainTo(long position) {
        finalPosition = position;
        log.metadata().putLongRelease(LogLayout.END_OF_STREAM, position);
        state = State.DRAINING;
    }

    /**
     * Ends the image for all its subscribers, because one of them has rejected it.
     *
     * @param rejection of the image of each source.
     */
    void reject(String why, Consumer<NetworkImage> rejection) {
        subscribers.endAll(why);
        isForsaken = true;
        for (Source source : sources) {
            rejection.accept(source.image);
        }
    }

    /** Defects of sources that were found since this was last asked, or null. */
    InvalidFrameException defect() {
        for (Source source : sources) {
            if (source.defect != null) {
                return source.defect;
            }
        }
        return null;
    }

    private void close() {
        state = State.CLOSED;
        for (Source source : sources) {
            leave(source);
        }
        log.metadata().putIntRelease(LogLayout.ACTIVE_TRANSPORT_COUNT, 0);
        mergers.remove(this);
        removal = mergers.removed();
    }

    /** At a slow pace: lets those go that are too slow and do not hold the stream back. */
    void watch(long nowNs) {
        if (state == State.ACTIVE) {
            subscribers.watch(nowNs);
        }
    }

    /** Whether it has come to an end that was not the stream's; true once. */
    boolean takeForsaken() {
        boolean wasForsaken = isForsaken;
        isForsaken = false;
        return wasForsaken;
    }

    /** Whether neither subscribers nor the receiver need it any more. */
    boolean isReleased() {
        return state == State.CLOSED && leaving.length == 0 && mergers.isReleased(removal);
    }

    boolean isActive() {
        return state == State.ACTIVE;
    }

    /** At a slow pace: tells operators what has arrived. */
    void count() {
        received.update(log, subscribers.positions().furthest());
    }

    void free() {
        received.close();
    }

    /** Channel of the subscription that it was made for. */
    ChannelUri channel() {
        return channel;
    }

    ManualEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public long id() {
        return log.spec().registrationId();
    }

    @Override
    public LogBuffers log() {
        return log;
    }

    @Override
    public int sessionId() {
        return log.spec().sessionId();
    }

    @Override
    public int streamId() {
        return log.spec().streamId();
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public long tail() {
        return Long.MAX_VALUE;
    }

    @Override
    public long releasable() {
        return Long.MAX_VALUE;
    }

    @Override
    public Subscribers subscribers() {
        return subscribers;
    }

    /** The receiver copies up to a term past the slowest. */
    @Override
    public long untetheredLimit() {
        return Subscribable.untetheredLimit(
                subscribers.positions().furthest(), log.spec().termLength());
    }

    /** Nothing is copied while nobody consumes. */
    @Override
    public boolean waitsForReaders() {
        return true;
    }

    @Override
    public CounterShare counterShare() {
        return CounterShare.IMAGES;
    }

    /** When the stream has ended, others may join while one still reads. */
    @Override
    public boolean serves(Subscription subscription) {
        return (state == State.ACTIVE || isBeingRead())
                && subscription.matches(endpoint, streamId(), sessionId());
    }

    private boolean isBeingRead() {
        return state == State.DRAINING && subscribers.isStillReadBefore(finalPosition);
    }

    @Override
    public void attach(Subscription subscription) {
        subscribers.endImpossibleNow();
        subscribers.addAtLeast(
                subscription,
                () -> FrontierScanner.scan(log, subscribers.positions().released()).position());
    }
}
