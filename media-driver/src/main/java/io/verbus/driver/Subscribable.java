// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.status.CounterShare;
import io.verbus.logbuffer.LogBuffers;

/** A log that subscriptions read: that of a publication, or the image of a remote publication. */
sealed interface Subscribable permits Publication, NetworkImage, MergedImage {
    /** Returns the image id that clients use. */
    long id();

    /** Returns the log to read. */
    LogBuffers log();

    int sessionId();

    int streamId();

    /** Returns the share to which the counters for subscriber positions belong. */
    default CounterShare counterShare() {
        return CounterShare.CLIENTS;
    }

    /** Returns a description of the stream's source. */
    String description();

    /** Returns a position that no subscriber can have passed; {@link Long#MAX_VALUE} if unknown. */
    long tail();

    /**
     * Returns the position up to which the log may be released, provided that the subscribers have
     * read that far.
     */
    long releasable();

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
