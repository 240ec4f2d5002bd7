// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.status.CounterShare;
import io.verbus.logbuffer.LogBuffers;

/** A log that subscriptions read: a publication's own, or the image of a remote one. */
public sealed interface Subscribable permits Publication, NetworkImage, MergedImage {
    /** Image id that clients know it by. */
    long id();

    /** What the subscribers read. */
    LogBuffers log();

    int sessionId();

    int streamId();

    /** The share of counters that the positions of its subscribers are taken from. */
    default CounterShare counterShare() {
        return CounterShare.CLIENTS;
    }

    /** Where the stream comes from, for people. */
    String description();

    /** Position that no subscriber can have passed; {@link Long#MAX_VALUE} if it is not known. */
    long tail();

    /** Position up to which the log can be released, if the subscribers have read so far. */
    long releasable();

    /**
     * Position that a subscriber must be past that does not hold the stream back, or it is too far
     * behind: three quarters of a window before the furthest.
     */
    long untetheredLimit();

    /** The position that is three quarters of a window before another. */
    static long untetheredLimit(long position, long window) {
        return position - window + (window >> 2);
    }

    /** Whether a stream without a reader waits for one, instead of passing by. */
    boolean waitsForReaders();

    /** The subscribers that read it. */
    Subscribers subscribers();

    /** Whether a subscription is for this stream, and may still join it. */
    boolean serves(Subscription subscription);

    /**
     * Joins a subscription at the position from which it will read; again, if it was let go.
     *
     * @throws CommandException if there is no counter left for its position.
     */
    void attach(Subscription subscription);
}
