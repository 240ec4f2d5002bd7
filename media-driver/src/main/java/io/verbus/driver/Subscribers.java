// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.CountedPositions;

import org.agrona.concurrent.status.Position;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The subscribers of one source and how far each has read. Conductor's thread, but for where it
 * says otherwise.
 */
final class Subscribers {
    /** Position of one subscriber: written by its client with release, read here with acquire. */
    private record Subscriber(Subscription subscription, Position position) {}

    private final Subscribable source;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final CountedPositions positions;
    private final List<Subscriber> all = new ArrayList<>();

    /**
     * @param source that is read.
     * @param termLength of its log.
     * @param position from which it is read.
     */
    Subscribers(
            Subscribable source,
            int termLength,
            long position,
            DriverCounters counters,
            EventEncoder events) {
        this.source = source;
        this.counters = counters;
        this.events = events;
        this.positions = new CountedPositions(termLength, position);
    }

    /** How far each has read, and what of the log that releases. */
    CountedPositions positions() {
        return positions;
    }

    /** Any thread. */
    boolean isEmpty() {
        return positions.isEmpty();
    }

    boolean contains(Subscription subscription) {
        return indexOf(subscription) >= 0;
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
        Position position = allocate(subscription);
        joined(subscription, position, positions.joinLeast(position, alone));
    }

    /**
     * Takes a subscriber in and tells its client.
     *
     * @param subscription that reads the source.
     * @param joinPosition from which it reads: a frame begins there, or will. Asked when the
     *     subscriber counts, so that nothing from there on is released.
     */
    void add(Subscription subscription, LongSupplier joinPosition) {
        Position position = allocate(subscription);
        joined(subscription, position, positions.join(position, joinPosition));
    }

    private Position allocate(Subscription subscription) {
        try {
            return counters.position(
                    source.counterShare(),
                    new DriverCounters.Stream(
                            subscription.registrationId(),
                            subscription.clientId(),
                            source.sessionId(),
                            source.streamId(),
                            subscription.channel().toString()),
                    source.id());
        } catch (BusException e) {
            throw new CommandException(
                    ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE, e.getMessage(), e);
        }
    }

    private void joined(Subscription subscription, Position position, long joinPosition) {
        all.add(new Subscriber(subscription, position));
        counters.joined(position, joinPosition);
        events.availableImage(source, subscription.registrationId(), position.id());
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
     * Lets those go that have read up to the end of the stream, and tells their clients.
     *
     * @return how many.
     */
    int drain(long finalPosition, String reason) {
        int count = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).position.getAcquire() >= finalPosition) {
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
            long position = all.get(i).position.getAcquire();
            long tail = source.tail(); // read later: the subscriber may be at it
            if (positions.isImpossible(position, tail)) {
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
                count++;
            }
        }
        return count;
    }

    private void end(int index, String reason) {
        Subscription subscription = all.get(index).subscription;
        removeAt(index);
        events.unavailableImage(source, subscription);
    }

    /** What the last of them has read is released, too, if the position can be believed. */
    private void removeAt(int index) {
        Subscriber gone = all.remove(index);
        if (!positions.isImpossible(gone.position.getAcquire(), source.tail())) {
            positions.release(source.releasable());
        }
        positions.leave(gone.position);
        gone.position.close();
    }
}
