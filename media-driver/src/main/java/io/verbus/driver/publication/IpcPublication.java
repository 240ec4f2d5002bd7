// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.HopRecorder;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyHop;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.LatencySamples;
import io.verbus.driver.status.ConsumptionHop;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.PublisherLimit;
import io.verbus.driver.status.ShownState;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscribers;
import io.verbus.driver.subscription.Subscription;
import io.verbus.logbuffer.CountedPositions;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * A publication whose log is read in place by subscribers on the same host. Its limit follows the
 * slowest subscriber. Without a subscriber, everything in the log counts as consumed. The limit is
 * then lowered to the consumed position, so that offers return {@code NOT_CONNECTED}.
 */
public final class IpcPublication extends Publication {
    /**
     * The limit is raised in steps to save cache-line transfers. A step is the window shifted right
     * by this number of bits.
     */
    private static final int GAIN_SHIFT = 3;

    /** Maximum number of unread bytes to skip at a time. */
    private static final int MAX_SKIPPED = 1024 * 1024;

    private final Subscribers subscribers;
    private final CountedPositions positions;
    private final long window;

    /** Number of bytes that the subscribers must read before the limit is raised. */
    private final long step;

    private final long imageLivenessTimeoutNs;
    private long nextLimit;

    /** Samples consumption times; null if the driver does not sample. */
    private final ConsumptionHop hop;

    private final LatencySamples samples;
    private boolean isRejected;
    private long rejectedUntilNs;

    IpcPublication(
            ChannelUri channel,
            LogBuffers log,
            PublisherLimit limit,
            AtomicCounter position,
            ShownState shown,
            long window,
            DriverConfig config,
            DriverCounters counters,
            EventEncoder events,
            LatencySamples samples,
            NanoClock clock) {
        super(channel, log, limit, position, shown, config);
        this.window = window;
        this.imageLivenessTimeoutNs = config.imageLivenessTimeoutNs();
        this.step = Math.min(window >> GAIN_SHIFT, maxUnclean());
        this.subscribers =
                new Subscribers(
                        this,
                        log.spec().termLength(),
                        log.spec().position(),
                        config.untethered().of(channel),
                        counters,
                        events);
        this.positions = subscribers.positions();
        this.samples = samples;
        HopRecorder recorder =
                samples.add(
                        new LatencyFile.Owner(
                                LatencyHop.CONSUMPTION,
                                registrationId(),
                                streamId(),
                                sessionId(),
                                channel.toString(),
                                ""));
        hop =
                recorder == null
                        ? null
                        : new ConsumptionHop(recorder, log, positions, clock, samples.intervalNs());
    }

    @Override
    public Subscribers subscribers() {
        return subscribers;
    }

    /**
     * Returns whether a subscription may join. After all publishers have closed, it may join only
     * while another subscriber still reads.
     */
    @Override
    public boolean serves(Subscription subscription) {
        return (isOpen() || isBeingRead())
                && !isRejected
                && subscription.channel().isIpc()
                && subscription.matches(null, streamId(), sessionId());
    }

    private boolean isBeingRead() {
        return !isRevoked() && subscribers.isStillReadBefore(tail());
    }

    @Override
    public long releasable() {
        return tail();
    }

    @Override
    public long untetheredLimit() {
        return Subscribable.untetheredLimit(furthestPosition(), window);
    }

    /** Returns false, because messages without a subscriber are discarded. */
    @Override
    public boolean waitsForReaders() {
        return false;
    }

    /**
     * Joins at the slowest subscriber's position, or at the consumed position if there is no
     * subscriber.
     */
    @Override
    public void attach(Subscription subscription) {
        subscribers.endImpossibleNow();
        skipUnread();
        subscribers.addAtLeast(subscription, positions::released);
        if (isOpen()) {
            raiseLimit(limitAt(positions.released(), window));
            connected(true);
        }
    }

    /**
     * Rejects the stream on behalf of a subscriber: all subscribers are removed, and none can join
     * for a while.
     */
    public void reject(String why, long nowNs) {
        isRejected = true;
        rejectedUntilNs = nowNs + imageLivenessTimeoutNs;
        subscribers.endAll(why);
    }

    /**
     * Returns true once, on the first call after which subscriptions may join again following a
     * rejection.
     */
    @Override
    boolean isAcceptedAgain(long nowNs) {
        boolean isOver = isRejected && nowNs - rejectedUntilNs >= 0;
        if (isOver) {
            isRejected = false;
        }
        return isOver;
    }

    @Override
    int update() {
        if (finalPosition() != LogLayout.NOT_ENDED) {
            return subscribers.drain(finalPosition(), "end of stream");
        }
        int work = subscribers.endImpossible();
        if (subscribers.isEmpty()) {
            if (isConnected()) {
                limit().lower(positions.released());
                connected(false);
                work++;
            }
            if (hop != null) {
                hop.reset();
            }
            return work + clean(positions.released());
        }
        if (hop != null) {
            hop.look();
        }
        if (positions.least() - positions.released() >= step) {
            work += subscribers.endImpossibleNow();
            positions.release(tail());
        }
        work += clean(positions.released());
        long newLimit = limitAt(positions.released(), window);
        if (newLimit >= nextLimit && !subscribers.isEmpty()) {
            raiseLimit(newLimit);
            work++;
        }
        return work;
    }

    private void raiseLimit(long newLimit) {
        limit().raise(newLimit);
        nextLimit = newLimit + (window >> GAIN_SHIFT);
    }

    /**
     * If there is no subscriber, skips towards the frontier, so that the next subscriber starts
     * with new messages. Skips only to the frontier, because claims beyond it may still be
     * uncommitted.
     */
    @Override
    void skipUnread() {
        if (subscribers.isEmpty()) {
            positions.release(frontier(positions.released(), MAX_SKIPPED));
        }
    }

    @Override
    long furthestPosition() {
        return Math.min(positions.furthest(), tail());
    }

    @Override
    boolean isReadTo(long position) {
        return !subscribers.isEmpty() && positions.least() >= position;
    }

    @Override
    void onEnded(long position) {
        connected(false);
    }

    @Override
    void onFailed(String reason) {
        subscribers.endAll(reason);
    }

    @Override
    boolean isReleased() {
        return finalPosition() != LogLayout.NOT_ENDED && subscribers.isDeserted();
    }

    @Override
    boolean isFinished() {
        return isReleased();
    }

    @Override
    void close() {
        super.close();
        if (hop != null) {
            samples.remove(hop.recorder());
        }
    }

    private boolean isConnected() {
        return log().metadata().getInt(LogLayout.CONNECTED) != 0;
    }

    private void connected(boolean connected) {
        log().metadata().putIntRelease(LogLayout.CONNECTED, connected ? 1 : 0);
    }
}
