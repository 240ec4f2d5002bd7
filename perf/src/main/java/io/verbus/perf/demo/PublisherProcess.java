// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Plays a {@link MarketDataFeed} when told that there is a subscription: first as fast as back
 * pressure allows; then, when told to go on because all of that has been read, the paced messages
 * at a fixed rate.
 *
 * <p>A paced message carries the time at which it was due, so that one which back pressure or a
 * busy core holds up counts as late, as do those due while it waits.
 */
final class PublisherProcess {
    private static final long SEED = 20_260_101;
    private static final long CONNECT_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long BACK_PRESSURE_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long SUBSCRIPTION_LIMIT_S = 3_600;
    private static final long DRAIN_LIMIT_S = 30;

    private final ExclusivePublication publication;
    private final DemoPlan plan;
    private final MarketDataFeed feed = new MarketDataFeed(SEED);
    private final IdleStrategy idle = DemoClient.idleStrategy();

    private PublisherProcess(ExclusivePublication publication, DemoPlan plan) {
        this.publication = publication;
        this.plan = plan;
    }

    /**
     * @param args driver directory, channel, and the words of a {@link DemoPlan}.
     */
    public static void main(String[] args) throws InterruptedException {
        ParentLink parent = ParentLink.open();
        try (Bus bus = Bus.connect(DemoClient.context(args[0]))) {
            if (!parent.awaitGo(SUBSCRIPTION_LIMIT_S, TimeUnit.SECONDS)) {
                throw new BusException("no subscription was made in time: see the subscriber");
            }
            try (ExclusivePublication publication =
                    bus.addExclusivePublication(args[1], DemoPlan.STREAM_ID)) {
                new PublisherProcess(publication, DemoPlan.parse(args, 2)).run(parent);
            }
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private void run(ParentLink parent) throws InterruptedException {
        awaitSubscriber();
        for (int sequence = 0; sequence < plan.firstPaced(); sequence++) {
            offer(feed.encode(sequence, System.nanoTime()));
        }
        // Without the word the subscriber misses messages: the rest shows which.
        parent.awaitGo(DRAIN_LIMIT_S, TimeUnit.SECONDS);
        long interval = TimeUnit.SECONDS.toNanos(1) / plan.rate();
        long due = System.nanoTime() + interval;
        for (int sequence = plan.firstPaced(); sequence < plan.messages(); sequence++) {
            int length = feed.encode(sequence, due);
            awaitTime(due);
            offer(length);
            due += interval;
        }
    }

    private void awaitSubscriber() {
        long deadline = System.nanoTime() + CONNECT_LIMIT_NS;
        while (!publication.isConnected()) {
            if (System.nanoTime() - deadline > 0) {
                throw new BusException(
                        "no subscriber has connected to "
                                + publication.channel()
                                + " for 60 s: check that its address is reachable from here");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Spins the last part of the way: a thread that is put to sleep wakes up late. */
    private static void awaitTime(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (left > TimeUnit.MICROSECONDS.toNanos(150)) {
                LockSupport.parkNanos(left - TimeUnit.MICROSECONDS.toNanos(100));
            } else {
                Thread.yield();
            }
        }
    }

    private void offer(int length) {
        if (publication.offer(feed.buffer(), 0, length) <= 0) {
            offerAgain(length);
        }
    }

    private void offerAgain(int length) {
        long deadline = System.nanoTime() + BACK_PRESSURE_LIMIT_NS;
        idle.reset();
        for (long result = 0; result <= 0; idle.idle()) {
            result = publication.offer(feed.buffer(), 0, length);
            if (result == Publication.CLOSED || result == Publication.NOT_CONNECTED) {
                throw new BusException(
                        "the stream was lost at position "
                                + publication.position()
                                + ": see what the drivers say");
            }
            if (result <= 0 && System.nanoTime() - deadline > 0) {
                throw new BusException(
                        "back pressure has held up the stream at position "
                                + publication.position()
                                + " for 60 s: see what the drivers and the subscriber say");
            }
        }
    }
}
