// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.status.CounterShare;
import io.verbus.logbuffer.LogBuffers;

import java.util.concurrent.TimeUnit;

/** A log that subscriptions read: that of a publication, or the image of a remote publication. */
public interface Subscribable {
    /**
     * Idle time after which the conductor no longer services a stream in every duty cycle, but in
     * rotation with the other idle streams.
     */
    long IDLE_AFTER_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Returns the image id that clients use. */
    default long id() {
        return log().spec().registrationId();
    }

    /** Returns the log to read. */
    LogBuffers log();

    default int sessionId() {
        return log().spec().sessionId();
    }

    default int streamId() {
        return log().spec().streamId();
    }

    /** Returns the share to which the counters for subscriber positions belong. */
    default CounterShare counterShare() {
        return CounterShare.CLIENTS;
    }

    /** Returns a description of the stream's source. */
    String description();

    /** Returns a position that no subscriber can have passed; {@link Long#MAX_VALUE} if unknown. */
    default long tail() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns the position up to which the log may be released, provided that the subscribers have
     * read that far; {@link Long#MAX_VALUE} if nothing else reads it.
     */
    default long releasable() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns the position below which an untethered subscriber is too far behind: 3/4 of a window
     * behind the most advanced subscriber.
     */
    long untetheredLimit();

    /** Returns the position 3/4 of a window behind the given position. */
    static long untetheredLimit(long position, long window) {
        return position - window + (window >> 2);
    }

    /**
     * Returns whether the stream, when it has no reader, waits for a reader rather than discarding
     * unread messages.
     */
    boolean waitsForReaders();

    /** Returns the subscribers of this source. */
    Subscribers subscribers();

    /** Returns whether a subscription matches this stream and may still join it. */
    boolean serves(Subscription subscription);

    /**
     * Joins a subscription at the position at which it starts to read; also rejoins a detached
     * subscription.
     *
     * @throws CommandException if no counter is left for the subscriber's position.
     */
    void attach(Subscription subscription);
}
