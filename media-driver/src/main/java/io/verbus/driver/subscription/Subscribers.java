// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.channel.TetherSettings;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.CountedPositions;

import org.agrona.concurrent.status.Position;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The subscribers of one source and their positions. Used by the conductor's thread except where
 * noted.
 */
public final class Subscribers {
    /**
     * A subscriber, reading or detached.
     *
     * @param position the subscriber's position, written by its client with release and read here
     *     with acquire.
     * @param untethered state of an untethered subscriber; null if the subscriber is tethered.
     */
    private record Subscriber(Subscription subscription, Position position, Untethered untethered) {

        /** Returns whether the subscriber's client has the image. */
        boolean isReading() {
            return untethered == null || untethered.state() == Untethered.State.ACTIVE;
        }

        /** Returns whether the subscriber's position counts towards the limit. */
        boolean isCounted() {
            return isReading() || untethered.state() == Untethered.State.LINGERING;
        }

        /** Returns whether the subscriber has been permanently detached. */
        boolean isGone() {
            return untethered != null && untethered.state() == Untethered.State.GONE;
        }
    }

    /**
     * Time for which subscriptions with {@code aeron:} channels keep an image after the end of its
     * stream: five status message intervals, as on Aeron's driver. Aeron's persistent subscriptions
     * rely on this time to join the live stream before the image of a replay closes.
     */
    private static final long AERON_LINGER_NS = TimeUnit.SECONDS.toNanos(1);

    private final Subscribable source;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final CountedPositions positions;
    private final UntetheredTimeouts timeouts;
    private final List<Subscriber> all = new ArrayList<>();
    private int untethered;
    private boolean isLingering;
    private long lingersUntilNs;
    private boolean isSucceeded;

    /**
     * @param source source that the subscribers read.
     * @param termLength term length of the source's log.
     * @param position position at which reading starts.
     * @param timeouts timeouts for untethered subscribers.
     */
    public Subscribers(
            Subscribable source,
            int termLength,
            long position,
            UntetheredTimeouts timeouts,
            DriverCounters counters,
            EventEncoder events) {
        this.source = source;
        this.timeouts = timeouts;
        this.counters = counters;
        this.events = events;
        this.positions = new CountedPositions(termLength, position);
    }

    /** Returns the subscribers' positions and the released position. */
    public CountedPositions positions() {
        return positions;
    }

    /** Returns whether no subscriber's position counts towards the limit. Thread-safe. */
    public boolean isEmpty() {
        return positions.isEmpty();
    }

    /** Returns whether a counted subscriber has not read up to a position yet. */
    public boolean isStillReadBefore(long position) {
        return !positions.isEmpty() && positions.least() < position;
    }

    /**
     * Returns whether the source has no current and no pending readers. A receiver that merges the
     * source counts as a reader.
     */
    public boolean isDeserted() {
        if (!positions.isEmpty()) {
            return false;
        }
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isGone()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a subscriber was permanently detached. */
    public boolean hasGone() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).isGone()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a subscription reads the source or was detached from it. */
    boolean contains(Subscription subscription) {
        return indexOf(subscription) >= 0;
    }

    /** Returns whether any of a client's subscriptions reads the source or was detached from it. */
    public boolean isOf(long clientId) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).subscription.clientId() == clientId) {
                return true;
            }
        }
        return false;
    }

    private int indexOf(Subscription subscription) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).subscription == subscription) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Adds a subscriber at the position of the slowest subscriber, and notifies its client. Call
     * {@link #endImpossibleNow} first.
     *
     * @param subscription subscription that reads the source.
     * @param alone supplier of the first position if there is no other subscriber; see {@link
     *     #add}.
     */
    public void addAtLeast(Subscription subscription, LongSupplier alone) {
        Subscriber joining = subscriber(subscription);
        joined(joining, positions.joinLeast(joining.position, alone));
    }

    /**
     * Adds a subscriber and notifies its client.
     *
     * @param subscription subscription that reads the source.
     * @param joinPosition supplier of the first position, at which a frame begins or will begin.
     *     Called after the subscriber's position was counted, so that nothing after the first
     *     position is released.
     */
    public void add(Subscription subscription, LongSupplier joinPosition) {
        Subscriber joining = subscriber(subscription);
        joined(joining, positions.join(joining.position, joinPosition));
    }

    /** Returns the subscriber for a subscription. A detached subscriber still has its counter. */
    private Subscriber subscriber(Subscription subscription) {
        int index = indexOf(subscription);
        if (index >= 0) {
            return all.get(index);
        }
        TetherSettings tether = subscription.channel().tether();
        return new Subscriber(
                subscription,
                counters.position(source.counterShare(), stream(subscription), source.id()),
                tether.isTethered() ? null : new Untethered(timeouts, tether.rejoins()));
    }

    /** Returns the stream to which a subscriber's counter belongs. */
    private DriverCounters.Stream stream(Subscription subscription) {
        return new DriverCounters.Stream(
                subscription.registrationId(),
                subscription.clientId(),
                source.sessionId(),
                source.streamId(),
                subscription.channel().toString());
    }

    private void joined(Subscriber subscriber, long joinPosition) {
        Subscription subscription = subscriber.subscription;
        if (contains(subscription)) {
            subscriber.untethered.joined();
            counters.rejoined(subscriber.position, stream(subscription), source.id(), joinPosition);
        } else {
            all.add(subscriber);
            untethered += subscriber.untethered == null ? 0 : 1;
            subscription.shown().joined();
            counters.joined(subscriber.position, joinPosition);
        }
        events.availableImage(
                source.log(),
                source.description(),
                subscription.registrationId(),
                subscriber.position.id());
    }

    /**
     * Detaches untethered subscribers that are too far behind, and rejoins those whose resting time
     * is over. Called at the timer interval.
     *
     * @return the number of changes.
     */
    public int watch(long nowNs) {
        if (untethered == 0) {
            return 0;
        }
        int count = 0;
        long limit = source.untetheredLimit();
        for (int i = all.size() - 1; i >= 0; i--) {
            Subscriber each = all.get(i);
            if (each.untethered != null) {
                boolean isAwaited = positions.isEmpty() && source.waitsForReaders();
                count += watch(each, nowNs, limit, isAwaited);
            }
        }
        return count;
    }

    private int watch(Subscriber each, long nowNs, long limit, boolean isAwaited) {
        long position = each.isCounted() ? each.position.getAcquire() : 0;
        switch (each.untethered.step(nowNs, position, limit, isAwaited)) {
            case NONE -> {
                return 0;
            }
            case LET_GO -> letGo(each);
            case DISCOUNT -> {
                positions.release(source.releasable());
                discount(each);
            }
            case JOIN -> {
                if (source.serves(each.subscription)) {
                    source.attach(each.subscription);
                }
            }
        }
        return 1;
    }

    /**
     * Detaches a subscriber. Changes the counter first, because a client that was paused checks the
     * counter before it continues reading.
     */
    private void letGo(Subscriber each) {
        mark(each);
        tellUnavailable(each);
    }

    private void tellUnavailable(Subscriber each) {
        events.unavailableImage(
                source.log().spec(),
                each.subscription.registrationId(),
                each.subscription.channel());
    }

    private void discount(Subscriber each) {
        positions.leave(each.position);
        mark(each);
        if (each.isGone()) {
            each.position.close();
            left(each, "the subscriber fell too far behind and does not rejoin: consume faster");
        }
    }

    private void left(Subscriber subscriber, String reason) {
        subscriber
                .subscription
                .shown()
                .left("session " + source.sessionId() + " has ended: " + reason);
    }

    private void mark(Subscriber each) {
        counters.letGo(
                each.position,
                stream(each.subscription),
                source.id(),
                each.untethered.state().name().toLowerCase(Locale.ROOT));
    }

    /** Removes a subscriber whose subscription has closed, without notifying its client. */
    void remove(Subscription subscription) {
        int index = indexOf(subscription);
        if (index >= 0) {
            removeAt(index, "the subscription was closed");
        }
    }

    /** Removes a subscriber that is to stop reading this source, and notifies its client. */
    void end(Subscription subscription) {
        int index = indexOf(subscription);
        if (index >= 0) {
            end(index, "the destination was removed");
        }
    }

    /**
     * Removes the subscribers that have read up to the end of the stream, and notifies their
     * clients. Also removes detached subscribers, whose clients were already notified.
     *
     * @return the number of removed subscribers.
     */
    public int drain(long finalPosition, String reason) {
        return drain(finalPosition, reason, false);
    }

    /**
     * Like {@link #drain(long, String)}, but subscriptions with {@code aeron:} channels keep the
     * source for {@link #AERON_LINGER_NS} after the first call, as on Aeron's driver.
     */
    public int drainLingering(long finalPosition, String reason, long nowNs) {
        if (!isLingering) {
            isLingering = true;
            lingersUntilNs = nowNs + AERON_LINGER_NS;
        }
        return drain(finalPosition, reason, !isSucceeded && nowNs - lingersUntilNs < 0);
    }

    /**
     * Called when the same stream has restarted, so that {@link #drainLingering} no longer waits.
     */
    public void onSuccessor() {
        isSucceeded = true;
    }

    private int drain(long finalPosition, String reason, boolean keepsAeron) {
        int count = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            Subscriber each = all.get(i);
            boolean isDone = !each.isReading() || each.position.getAcquire() >= finalPosition;
            if (isDone && !(keepsAeron && each.subscription.channel().isAeron())) {
                end(i, reason);
                count++;
            }
        }
        return count;
    }

    /** Removes all subscribers, regardless of their positions, and notifies their clients. */
    public void endAll(String reason) {
        for (int i = all.size() - 1; i >= 0; i--) {
            end(i, reason);
        }
    }

    /**
     * Removes subscribers with impossible positions, and notifies their clients. Called in each
     * duty cycle, but checks only after an impossible position was found.
     *
     * @return the number of removed subscribers.
     */
    public int endImpossible() {
        return positions.isDoubtful() ? endImpossibleNow() : 0;
    }

    /** Like {@link #endImpossible}, but always checks. */
    public int endImpossibleNow() {
        int count = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            Subscriber each = all.get(i);
            if (!each.isCounted()) {
                continue;
            }
            long position = each.position.getAcquire();
            long tail = source.tail(); // after the position: the subscriber may be at the tail
            if (positions.isImpossible(position, tail)) {
                count++;
                if (each.untethered != null) {
                    discountNow(each);
                    continue;
                }
                end(
                        i,
                        "the subscriber's position counter has the invalid value "
                                + position
                                + ": positions up to "
                                + positions.released()
                                + " are released"
                                + (tail == Long.MAX_VALUE ? "" : " and the log ends at " + tail)
                                + "; close the subscription, add it again, and look for a client"
                                + " that was stopped for longer than the client-liveness-timeout");
            }
        }
        return count;
    }

    /**
     * Excludes an untethered subscriber with an impossible position from the limit, and detaches
     * the subscriber unless it is already detached. A client that was paused may have written the
     * position after the subscriber was detached.
     */
    private void discountNow(Subscriber each) {
        boolean isTold = !each.isReading();
        each.untethered.discounted();
        discount(each);
        if (!isTold) {
            tellUnavailable(each);
        }
    }

    private void end(int index, String reason) {
        Subscriber gone = all.get(index);
        removeAt(index, reason);
        if (gone.isReading()) {
            tellUnavailable(gone);
        }
    }

    /**
     * Removes a subscriber. Unless its position is impossible, first releases the part of the log
     * that it has read, because it may be the last subscriber.
     */
    private void removeAt(int index, String reason) {
        Subscriber gone = all.remove(index);
        untethered -= gone.untethered == null ? 0 : 1;
        if (gone.isCounted()) {
            if (!positions.isImpossible(gone.position.getAcquire(), source.tail())) {
                positions.release(source.releasable());
            }
            positions.leave(gone.position);
        }
        if (!gone.isGone()) {
            gone.position.close();
            left(gone, reason);
        }
    }
}
