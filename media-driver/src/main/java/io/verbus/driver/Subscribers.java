// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.TetherSettings;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.tether.Untethered;
import io.verbus.logbuffer.CountedPositions;

import org.agrona.concurrent.status.Position;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The subscribers of one source and how far each has read. Conductor's thread, but for where it
 * says otherwise.
 */
final class Subscribers {
    /**
     * One that reads, or was let go.
     *
     * @param position written by its client with release, read here with acquire.
     * @param untethered what becomes of it; null where it holds the stream back.
     */
    private record Subscriber(Subscription subscription, Position position, Untethered untethered) {

        /** Whether its client has the image. */
        boolean isReading() {
            return untethered == null || untethered.state() == Untethered.State.ACTIVE;
        }

        /** Whether its position counts. */
        boolean isCounted() {
            return isReading() || untethered.state() == Untethered.State.LINGERING;
        }

        /** Whether it never reads again. */
        boolean isGone() {
            return untethered != null && untethered.state() == Untethered.State.GONE;
        }
    }

    private final Subscribable source;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final CountedPositions positions;
    private final UntetheredTimeouts timeouts;
    private final List<Subscriber> all = new ArrayList<>();
    private int untethered;

    /**
     * @param source that is read.
     * @param termLength of its log.
     * @param position from which it is read.
     * @param timeouts of subscribers that do not hold the source back.
     */
    Subscribers(
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

    /** How far each has read, and what of the log that releases. */
    CountedPositions positions() {
        return positions;
    }

    /** Whether no subscriber's position counts. Any thread. */
    boolean isEmpty() {
        return positions.isEmpty();
    }

    /** Whether one that counts has not read up to a position yet. */
    boolean isStillReadBefore(long position) {
        return !positions.isEmpty() && positions.least() < position;
    }

    /** Whether nobody reads the source, or will; a merging receiver reads it, too. */
    boolean isDeserted() {
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

    /** Whether there is a subscriber that was let go for good. */
    boolean hasGone() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).isGone()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a subscription reads the source, or was let go. */
    boolean contains(Subscription subscription) {
        return indexOf(subscription) >= 0;
    }

    /** Whether a client reads the source, or was let go. */
    boolean isOf(long clientId) {
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
     * Takes a subscriber in where the one is that has read the least, and tells its client. To be
     * called when {@link #endImpossibleNow} was.
     *
     * @param subscription that reads the source.
     * @param alone position to join at where there is no other: see {@link #add}.
     */
    void addAtLeast(Subscription subscription, LongSupplier alone) {
        Subscriber joining = subscriber(subscription);
        joined(joining, positions.joinLeast(joining.position, alone));
    }

    /**
     * Takes a subscriber in and tells its client.
     *
     * @param subscription that reads the source.
     * @param joinPosition from which it reads: a frame begins there, or will. Asked when the
     *     subscriber counts, so that nothing from there on is released.
     */
    void add(Subscription subscription, LongSupplier joinPosition) {
        Subscriber joining = subscriber(subscription);
        joined(joining, positions.join(joining.position, joinPosition));
    }

    /** One that was let go has its counter still. */
    private Subscriber subscriber(Subscription subscription) {
        int index = indexOf(subscription);
        if (index >= 0) {
            return all.get(index);
        }
        TetherSettings tether = subscription.channel().tether();
        return new Subscriber(
                subscription,
                allocate(subscription),
                tether.isTethered() ? null : new Untethered(timeouts, tether.rejoins()));
    }

    private Position allocate(Subscription subscription) {
        try {
            return counters.position(source.counterShare(), stream(subscription), source.id());
        } catch (BusException e) {
            throw new CommandException(
                    ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE, e.getMessage(), e);
        }
    }

    /** What the counter of a subscriber belongs to. */
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
            counters.joined(subscriber.position, joinPosition);
        }
        events.availableImage(source, subscription.registrationId(), subscriber.position.id());
    }

    /**
     * At a slow pace: lets those go that do not hold the source back and are too far behind, and
     * takes in those that have rested.
     *
     * @return how many have changed.
     */
    int watch(long nowNs) {
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

    /** The counter first: a client that was stopped looks there before it reads on. */
    private void letGo(Subscriber each) {
        mark(each);
        events.unavailableImage(source, each.subscription);
    }

    private void discount(Subscriber each) {
        positions.leave(each.position);
        mark(each);
        if (each.isGone()) {
            each.position.close();
        }
    }

    private void mark(Subscriber each) {
        counters.letGo(
                each.position,
                stream(each.subscription),
                source.id(),
                each.untethered.state().name().toLowerCase(Locale.ROOT));
    }

    /** Lets a subscriber go whose subscription has ended: its client needs no telling. */
    void remove(Subscription subscription) {
        int index = indexOf(subscription);
        if (index >= 0) {
            removeAt(index);
        }
    }

    /** Lets a subscriber go that does not read this source any more, and tells its client. */
    void end(Subscription subscription) {
        int index = indexOf(subscription);
        if (index >= 0) {
            end(index, "the destination was removed");
        }
    }

    /**
     * Lets those go that have read up to the end of the stream, and tells their clients; and those
     * that were let go before, whose clients were told.
     *
     * @return how many.
     */
    int drain(long finalPosition, String reason) {
        int count = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            Subscriber each = all.get(i);
            if (!each.isReading() || each.position.getAcquire() >= finalPosition) {
                end(i, reason);
                count++;
            }
        }
        return count;
    }

    /** Lets all go, wherever they have read to, and tells their clients. */
    void endAll(String reason) {
        for (int i = all.size() - 1; i >= 0; i--) {
            end(i, reason);
        }
    }

    /**
     * Lets those go whose positions cannot be, and tells their clients. To be called in each turn;
     * looks only where a position was found that cannot be.
     *
     * @return how many.
     */
    int endImpossible() {
        return positions.isDoubtful() ? endImpossibleNow() : 0;
    }

    /** As {@link #endImpossible}, wherever the positions are. */
    int endImpossibleNow() {
        int count = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            Subscriber each = all.get(i);
            if (!each.isCounted()) {
                continue;
            }
            long position = each.position.getAcquire();
            long tail = source.tail(); // read later: the subscriber may be at it
            if (positions.isImpossible(position, tail)) {
                count++;
                if (each.untethered != null) {
                    discountNow(each);
                    continue;
                }
                end(
                        i,
                        "the subscriber's position counter holds "
                                + position
                                + ", where no subscriber can be, as "
                                + positions.released()
                                + " is released"
                                + (tail == Long.MAX_VALUE ? "" : " and the log ends at " + tail)
                                + ": close the subscription and add it again, and look for a"
                                + " client that was stopped for longer than the"
                                + " client-liveness-timeout");
            }
        }
        return count;
    }

    /** One that was stopped for long may have written where it was before it was let go. */
    private void discountNow(Subscriber each) {
        boolean isTold = !each.isReading();
        each.untethered.discounted();
        discount(each);
        if (!isTold) {
            events.unavailableImage(source, each.subscription);
        }
    }

    private void end(int index, String reason) {
        Subscriber gone = all.get(index);
        removeAt(index);
        if (gone.isReading()) {
            events.unavailableImage(source, gone.subscription);
        }
    }

    /** What the last of them has read is released, too, if the position can be believed. */
    private void removeAt(int index) {
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
        }
    }
}
