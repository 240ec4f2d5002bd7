// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.cnc.CounterTypes;
import io.verbus.codecs.control.ErrorCode;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.Arrays;

/**
 * The subscribers of one source and how far each has read. Conductor's thread, but for where it
 * says otherwise.
 */
final class Subscribers {
    /** Position of one subscriber: written by its client with release, read here with acquire. */
    private record Position(Subscription subscription, AtomicCounter counter) {}

    private static final Position[] NONE = new Position[0];

    private final Source source;
    private final DriverCounters counters;
    private final ClientEvents events;

    /** Written by the conductor, a new array each time; read by any agent. */
    private volatile Position[] positions = NONE;

    /** What was consumed when the last subscriber left. Written by the conductor. */
    private volatile long floor;

    Subscribers(Source source, long position, DriverCounters counters, ClientEvents events) {
        this.source = source;
        this.counters = counters;
        this.events = events;
        this.floor = position;
    }

    /** Any thread. */
    boolean isEmpty() {
        return positions.length == 0;
    }

    boolean contains(Subscription subscription) {
        for (Position position : positions) {
            if (position.subscription == subscription) {
                return true;
            }
        }
        return false;
    }

    /**
     * Position up to which all have read; where there are none, up to which the last had. Any
     * thread.
     */
    long consumed() {
        Position[] all = positions;
        if (all.length == 0) {
            return floor;
        }
        long min = Long.MAX_VALUE;
        for (Position position : all) {
            min = Math.min(min, position.counter.getAcquire());
        }
        return min;
    }

    /**
     * Position up to which all have read. Any thread.
     *
     * @param bound that is the answer where there is no subscriber, or none is behind it.
     */
    long consumed(long bound) {
        Position[] all = positions;
        long min = bound;
        for (Position position : all) {
            min = Math.min(min, position.counter.getAcquire());
        }
        return min;
    }

    /** Position that the furthest subscriber has read up to. Any thread. */
    long furthest() {
        long max = floor;
        for (Position position : positions) {
            max = Math.max(max, position.counter.getAcquire());
        }
        return max;
    }

    /**
     * Takes a subscriber in and tells its client.
     *
     * @param subscription that reads the source.
     * @param joinPosition from which it reads: a frame begins there, or will.
     */
    void add(Subscription subscription, long joinPosition) {
        AtomicCounter counter;
        try {
            counter =
                    counters.stream(
                            CounterTypes.SUBSCRIBER_POSITION,
                            subscription.registrationId(),
                            source.sessionId(),
                            source.streamId(),
                            "subscriber position: stream "
                                    + source.streamId()
                                    + " session "
                                    + source.sessionId()
                                    + " "
                                    + subscription.channel());
        } catch (BusException e) {
            throw new CommandException(ErrorCode.RESOURCE, e.getMessage(), e);
        }
        counter.setRelease(joinPosition);
        Position[] before = positions;
        Position[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = new Position(subscription, counter);
        positions = after;
        events.imageAvailable(source, subscription.registrationId(), counter.id(), joinPosition);
    }

    /** Lets a subscriber go whose subscription has ended: its client needs no telling. */
    void remove(Subscription subscription) {
        for (int i = 0; i < positions.length; i++) {
            if (positions[i].subscription == subscription) {
                removeAt(i);
                return;
            }
        }
    }

    /**
     * Lets those go that have read up to the end of the stream, and tells their clients.
     *
     * @return how many.
     */
    int drain(long finalPosition, String reason) {
        int count = 0;
        for (int i = positions.length - 1; i >= 0; i--) {
            if (positions[i].counter.getAcquire() >= finalPosition) {
                end(i, reason);
                count++;
            }
        }
        return count;
    }

    /** Lets all go, wherever they have read to, and tells their clients. */
    void endAll(String reason) {
        for (int i = positions.length - 1; i >= 0; i--) {
            end(i, reason);
        }
    }

    private void end(int index, String reason) {
        Subscription subscription = positions[index].subscription;
        removeAt(index);
        events.imageUnavailable(source, subscription.registrationId(), reason);
    }

    private void removeAt(int index) {
        Position[] before = positions;
        if (before.length == 1) {
            floor = Math.max(floor, before[0].counter.getAcquire());
        }
        Position[] after = new Position[before.length - 1];
        System.arraycopy(before, 0, after, 0, index);
        System.arraycopy(before, index + 1, after, index, after.length - index);
        positions = after;
        before[index].counter.close();
    }
}
