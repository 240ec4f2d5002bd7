// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.demo.BusClient.Offered;
import io.verbus.perf.process.ParentLink;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Publisher process, on any bus. When its parent reports a subscription, it sends the unpaced
 * messages of a {@link MarketDataFeed} as fast as back pressure allows; when the parent reports
 * that these have been read, it sends the paced messages at a fixed rate.
 *
 * <p>A paced message carries the time at which it was due. If back pressure or a busy core delays a
 * message, that message and all messages due in the meantime therefore count as late.
 */
final class PublisherProcess {
    private static final long SEED = 20_260_101;
    private static final long CONNECT_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long BACK_PRESSURE_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long SUBSCRIPTION_LIMIT_S = 3_600;
    private static final long DRAIN_LIMIT_S = 30;

    private final BusClient.Outgoing publication;
    private final String channel;
    private final DemoPlan plan;
    private final MarketDataFeed feed = new MarketDataFeed(SEED);
    private final IdleStrategy idle = DemoIdling.strategy();

    private PublisherProcess(BusClient.Outgoing publication, String channel, DemoPlan plan) {
        this.publication = publication;
        this.channel = channel;
        this.plan = plan;
    }

    /**
     * Publishes all messages.
     *
     * @param args name of the {@link DemoClient}, driver directory, channel, and the words of a
     *     {@link DemoPlan}.
     * @throws DemoException if the stream is lost, or no subscriber receives it.
     */
    static void run(String[] args) throws DemoException, InterruptedException {
        ParentLink parent = ParentLink.open();
        try (BusClient client = DemoClient.valueOf(args[0]).connect(args[1])) {
            if (!parent.awaitGo(SUBSCRIPTION_LIMIT_S, TimeUnit.SECONDS)) {
                throw new DemoException(
                        "no subscription was added in time: see the subscriber's output");
            }
            try (BusClient.Outgoing publication = client.publish(args[2], DemoPlan.STREAM_ID)) {
                new PublisherProcess(publication, args[2], DemoPlan.parse(args, 3)).run(parent);
            }
        }
    }

    private void run(ParentLink parent) throws DemoException, InterruptedException {
        awaitSubscriber();
        for (int sequence = 0; sequence < plan.firstPaced(); sequence++) {
            offer(feed.encode(sequence, System.nanoTime()));
        }
        // After a time-out, the subscriber has missed messages; sending the rest shows which ones.
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

    private void awaitSubscriber() throws DemoException {
        long deadline = System.nanoTime() + CONNECT_LIMIT_NS;
        while (!publication.isConnected()) {
            if (System.nanoTime() - deadline > 0) {
                throw new DemoException(
                        "no subscriber connected to "
                                + channel
                                + " within 60 s: check that this host can reach the address");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Spins for the last part of the wait, because a sleeping thread wakes up late. */
    private static void awaitTime(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (left > TimeUnit.MICROSECONDS.toNanos(150)) {
                LockSupport.parkNanos(left - TimeUnit.MICROSECONDS.toNanos(100));
            } else {
                Thread.yield();
            }
        }
    }

    private void offer(int length) throws DemoException {
        if (publication.offer(feed.buffer(), length) != Offered.SENT) {
            offerAgain(length);
        }
    }

    private void offerAgain(int length) throws DemoException {
        long deadline = System.nanoTime() + BACK_PRESSURE_LIMIT_NS;
        idle.reset();
        for (Offered offered = Offered.AGAIN; offered != Offered.SENT; idle.idle()) {
            offered = publication.offer(feed.buffer(), length);
            if (offered == Offered.LOST) {
                throw new DemoException(
                        "the stream was lost at position "
                                + publication.position()
                                + ": see the output of the drivers");
            }
            if (offered == Offered.AGAIN && System.nanoTime() - deadline > 0) {
                throw new DemoException(
                        "back pressure stalled the stream at position "
                                + publication.position()
                                + " for 60 s: see the output of the drivers and the subscriber");
            }
        }
    }
}
