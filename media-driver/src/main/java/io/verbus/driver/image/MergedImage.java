// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.agent.Mergers;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ReceivedPosition;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscribers;
import io.verbus.driver.subscription.Subscription;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogMerger;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;

import org.agrona.collections.ArrayUtil;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Image of a stream that arrives from several sources, such as a replay and the live stream. Each
 * source has its own image, which clients do not see; the receiver merges the sources' frames into
 * this image's log. If the subscription has one destination, and the stream a single source, that
 * source's peer may write the log directly. Used by the conductor's thread except where noted.
 */
public final class MergedImage implements Subscribable, Mergers.Merger {
    /** Maximum number of bytes copied from one source per duty cycle. */
    private static final int MAX_COPIED = 64 * 1024;

    private static final MergedSource[] NONE = {};

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

    /**
     * Replaced by the conductor with a new array on each change; read by the receiver once per duty
     * cycle.
     */
    private volatile MergedSource[] sources = NONE;

    private final LeavingSources leaving;

    /**
     * Pending move of a source, whose peer has stopped writing, to another log; null if there is
     * none.
     */
    private MergedSource.Move move;

    /**
     * Whether the direct source keeps writing to the merged log, because there is no space for a
     * log of its own.
     */
    private boolean isDirectKept;

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
        this.leaving = new LeavingSources(mergers);
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

    /**
     * Runs the receiver's part of a duty cycle: copies the next frames of each source, unless a
     * peer writes the log directly. Returns the work count.
     */
    @Override
    public int merge() {
        MergedSource[] all = sources;
        if (all.length == 0) {
            return 0;
        }
        long released = subscribers.positions().release(subscribers.positions().least());
        int work = 0;
        if (direct(all) == null) {
            for (int i = 0; i < all.length; i++) {
                work += all[i].merge(merger, released + log.spec().termLength(), MAX_COPIED);
            }
        }
        for (int i = 0; i < all.length; i++) {
            all[i].release(released);
        }
        return work;
    }

    /** Returns the source whose peer writes the log, or null. Thread-safe. */
    private static MergedSource direct(MergedSource[] all) {
        for (int i = 0; i < all.length; i++) {
            if (all[i].isDirect()) {
                return all[i];
            }
        }
        return null;
    }

    // Conductor

    /** Adds a source of this stream. */
    void add(MergedSource source) {
        sources = ArrayUtil.add(sources, source);
        isDirectKept = false; // space may have become available
        askToMove();
    }

    /** Replaces a source's image. */
    void replace(MergedSource before, MergedSource next) {
        MergedSource[] all = sources.clone();
        for (int i = 0; i < all.length; i++) {
            all[i] = all[i] == before ? next : all[i];
        }
        sources = all;
        leaving.add(before, true);
    }

    /** Resumes merging at a position, after the peer has stopped writing to the log. */
    void mergeFrom(long position) {
        merger.goOnFrom(position);
    }

    boolean has(MergedSource source) {
        return List.of(sources).contains(source);
    }

    boolean hasOnly(MergedSource source) {
        MergedSource[] all = sources;
        return all.length == 1 && all[0] == source;
    }

    /**
     * Keeps the direct source, because there is no space for a log of its own. Other sources wait
     * until it ends.
     */
    void keepDirect() {
        isDirectKept = true;
    }

    /**
     * Asks a source's peer to move to another log. A source moves to the merged log if it is the
     * only source, can write to that log, and no other destination may bring another source. It
     * moves to a log of its own once other sources have arrived. A stream that arrives at two
     * destinations therefore does not pause for a move when one of the destinations fails.
     */
    private void askToMove() {
        MergedSource[] all = sources;
        MergedSource direct = direct(all);
        MergedSource moving = null;
        if (direct != null) {
            moving = all.length > 1 && !isDirectKept && direct.isActive() ? direct : null;
        } else if (all.length == 1
                && endpoint.hasOnly(all[0].image().endpoint())
                && all[0].canBeDirect(merger.frontier(), subscribers.positions().released())) {
            moving = all[0];
        }
        if (moving != null && move == null) {
            moving.image().transport().moveImage(moving.image());
        }
    }

    /**
     * Called when a source's peer has stopped as requested.
     *
     * @return whether the given image belongs to one of this image's sources.
     */
    boolean onStopped(NetworkImage image, SourceImages images, Consumer<InboundImage> goOn) {
        for (MergedSource source : sources) {
            if (source.image() == image) {
                move = new MergedSource.Move(this, source, images, goOn);
                return true;
            }
        }
        return false;
    }

    /** Drops the sources of a removed destination. */
    void removeFrom(InboundEndpoint destination) {
        for (MergedSource source : sources) {
            if (source.image().endpoint() == destination) {
                if (source.isDirect()) {
                    source.close(); // stays a source until its peer has stopped
                } else {
                    leave(source);
                }
            }
        }
    }

    private void leave(MergedSource source) {
        MergedSource[] rest = ArrayUtil.remove(sources, source);
        sources = rest.length == 0 ? NONE : rest;
        leaving.add(source, false);
    }

    /**
     * Services the image in a duty cycle. Returns the work count.
     *
     * @param rejection callback to which each source with invalid frames is passed, together with
     *     the reason.
     */
    int update(long nowNs, BiConsumer<NetworkImage, String> rejection) {
        int work = subscribers.endImpossible() + leaving.work();
        if (move != null && move.step()) {
            move = null;
            work++;
        }
        if (state == State.ACTIVE) {
            work += lookAtSources(nowNs, rejection);
        }
        if (state == State.DRAINING) {
            work +=
                    hasEnded
                            ? subscribers.drainLingering(finalPosition, endReason, nowNs)
                            : subscribers.drain(finalPosition, endReason);
        }
        if (state != State.CLOSED && subscribers.isDeserted()) {
            isForsaken |= state == State.ACTIVE && subscribers.hasGone();
            close();
            work++;
        }
        return work;
    }

    /** Stops lingering after the end of the stream, because the same stream has restarted. */
    void onSuccessor() {
        if (state == State.DRAINING) {
            subscribers.onSuccessor();
            subscribers.drain(finalPosition, endReason);
        }
    }

    /**
     * Removes finished sources. While another source continues, or may still arrive at another
     * destination, a revoked source only counts as ended: a replay may be stopped before the live
     * stream has arrived.
     */
    private int lookAtSources(long nowNs, BiConsumer<NetworkImage, String> rejection) {
        int work = 0;
        int active = 0;
        boolean goesOn = false;
        NetworkImage revoked = null;
        for (MergedSource source : sources) {
            goesOn |= source.goesOnAt(merger.frontier());
            if (source.isActive()) {
                active++;
            } else if (source.image().isRevoked()) {
                revoked = source.image();
            }
        }
        if (revoked != null && active == 0 && endpoint.hasOnly(revoked.endpoint())) {
            revoke(revoked.finalPosition());
            return 1;
        }
        for (MergedSource source : sources) {
            if (source.isOver(merger.frontier())) {
                hasEnded |= source.image().hasEnded() && source.defect() == null;
                if (source.isDirect()) {
                    mergeFrom(source.received());
                }
                if (source.defect() != null) {
                    rejection.accept(source.image(), source.defect().getMessage());
                }
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
            endReason = hasEnded ? endReason : "no source has the next message";
            isForsaken = !hasEnded;
            drainTo(merger.frontier());
            work++;
        }
        return work;
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
     * Ends the image for all its subscribers, because one of them has rejected the image.
     *
     * @param rejection callback to which the image of each source is passed.
     */
    public void reject(String why, Consumer<NetworkImage> rejection) {
        fail(why);
        for (MergedSource source : sources) {
            rejection.accept(source.image());
        }
    }

    /** Ends the image for all its subscribers. */
    void fail(String why) {
        subscribers.endAll(why);
        isForsaken = true;
    }

    private void close() {
        state = State.CLOSED;
        for (MergedSource source : sources) {
            leave(source);
        }
        log.metadata().putIntRelease(LogLayout.ACTIVE_TRANSPORT_COUNT, 0);
        mergers.remove(this);
        removal = mergers.removed();
    }

    /** Detaches slow untethered subscribers. Called at the timer interval. */
    void watch(long nowNs) {
        if (state == State.ACTIVE) {
            subscribers.watch(nowNs);
            askToMove();
        }
    }

    /** Returns true, once, if the image has ended although its stream has not. */
    boolean takeForsaken() {
        boolean wasForsaken = isForsaken;
        isForsaken = false;
        return wasForsaken;
    }

    /** Returns whether neither subscribers nor the receiver use the image any longer. */
    boolean isReleased() {
        return state == State.CLOSED && leaving.isEmpty() && mergers.isReleased(removal);
    }

    boolean isActive() {
        return state == State.ACTIVE;
    }

    /** Updates the monitoring counters of the received position. Called every 100 ms. */
    void count() {
        received.update(log, subscribers.positions().furthest());
    }

    void free() {
        received.close();
    }

    /** Returns the channel of the subscription for which the image was created. */
    ChannelUri channel() {
        return channel;
    }

    ManualEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public LogBuffers log() {
        return log;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public Subscribers subscribers() {
        return subscribers;
    }

    /**
     * Returns the position 3/4 of a window behind the furthest subscriber. The window is the
     * smallest of all sources' windows, and at most one term.
     */
    @Override
    public long untetheredLimit() {
        int window = log.spec().termLength();
        for (MergedSource source : sources) {
            window = Math.min(window, source.image().window());
        }
        return Subscribable.untetheredLimit(subscribers.positions().furthest(), window);
    }

    /** Returns true, because nothing is copied while no subscriber consumes. */
    @Override
    public boolean waitsForReaders() {
        return true;
    }

    @Override
    public CounterShare counterShare() {
        return CounterShare.IMAGES;
    }

    /**
     * Returns whether a subscription may join. After the end of the stream, it may join only while
     * another subscriber still reads.
     */
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
