// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.BusException;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.CountersExhaustedException;
import io.verbus.driver.status.DriverCounters;

import org.agrona.collections.LongHashSet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The sources that subscriptions read: this driver's publications and its images. Joins each source
 * to its subscriptions, immediately or when a counter becomes available. Used by the conductor's
 * thread.
 */
public final class Sources {
    private record Join(Subscribable source, Subscription subscription) {}

    /** Maximum number of joins retried at a time. */
    private static final int LATE_JOINS = 64;

    private final DriverCounters counters;
    private final CommandFailures failures;
    private final List<Subscribable> all = new ArrayList<>();

    /** Joins that failed for lack of a counter. */
    private final ArrayDeque<Join> unjoined = new ArrayDeque<>();

    Sources(DriverCounters counters, CommandFailures failures) {
        this.counters = counters;
        this.failures = failures;
    }

    void add(Subscribable source) {
        all.add(source);
    }

    /** Removes a source with its subscribers. */
    public void remove(Subscribable source) {
        all.remove(source);
        unjoined.removeIf(join -> join.source == source);
    }

    /** Returns the source with an image id, or null. */
    public Subscribable get(long imageId) {
        for (Subscribable source : all) {
            if (source.id() == imageId) {
                return source;
            }
        }
        return null;
    }

    /**
     * Checks that enough counters are available to show a subscription and to join it to all
     * matching sources. Otherwise the subscription would become ready but never receive some of the
     * sources.
     *
     * @throws BusException if there are too few counters.
     */
    void requireCounters(Subscription subscription) {
        int images = 0;
        int publications = 1; // one more for the subscription's state
        for (Subscribable source : all) {
            if (source.serves(subscription)) {
                images += isImage(source) ? 1 : 0;
                publications += isImage(source) ? 0 : 1;
            }
        }
        counters.manager().require(CounterShare.IMAGES, subscription.clientId(), images);
        counters.manager().require(CounterShare.CLIENTS, subscription.clientId(), publications);
    }

    private static boolean isImage(Subscribable source) {
        return source.counterShare() == CounterShare.IMAGES;
    }

    /** Joins a subscription to all matching sources. */
    void joinAll(Subscription subscription) {
        for (int i = 0; i < all.size(); i++) {
            join(all.get(i), subscription);
        }
    }

    /**
     * Joins a subscription to a source, if they match and the subscription does not read the source
     * yet.
     */
    void join(Subscribable source, Subscription subscription) {
        if (source.serves(subscription) && !source.subscribers().contains(subscription)) {
            try {
                source.attach(subscription);
            } catch (ShareException | CountersExhaustedException e) {
                unjoined.add(new Join(source, subscription));
                failures.record(
                        CommandFailures.Kind.JOINS_LATE,
                        subscription.clientId(),
                        "subscription "
                                + subscription.registrationId()
                                + " of client "
                                + subscription.clientId()
                                + " cannot join a new "
                                + (isImage(source) ? "image" : "publication")
                                + " yet, and will join once a counter is free: "
                                + e.getMessage());
            }
        }
    }

    /**
     * Retries joins that failed for lack of counters. Called at the timer interval.
     *
     * @return the number of successful joins.
     */
    public int joinLate() {
        if (unjoined.isEmpty()) {
            return 0;
        }
        int count = 0;
        LongHashSet exhausted = new LongHashSet();
        for (int i = Math.min(unjoined.size(), LATE_JOINS); i > 0; i--) {
            Join join = unjoined.removeFirst();
            if (exhausted.contains(join.subscription.clientId())) {
                unjoined.addLast(join);
                continue;
            }
            try {
                if (join.source.serves(join.subscription)) {
                    join.source.attach(join.subscription);
                }
                count++;
            } catch (ShareException | CountersExhaustedException e) {
                exhausted.add(join.subscription.clientId()); // already recorded for this client
                unjoined.addLast(join);
            }
        }
        return count;
    }

    /** Removes a closed subscription from its sources, without notifying its client. */
    void leave(Subscription subscription) {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).subscribers().remove(subscription);
        }
        unjoined.removeIf(join -> join.subscription == subscription);
    }

    /** Removes a subscription from the sources it reads, and notifies its client. */
    void end(Subscription subscription) {
        for (Subscribable source : all) {
            source.subscribers().end(subscription);
        }
        unjoined.removeIf(join -> join.subscription == subscription);
    }
}
