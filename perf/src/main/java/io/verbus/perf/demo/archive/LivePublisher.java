// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoIdling;
import io.verbus.perf.demo.MarketDataFeed;
import io.verbus.perf.process.ParentLink;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Publisher process. On the first command it sends the first messages to the archive alone, on the
 * second it adds the late subscriber and continues at a fixed rate, and on the third it ends the
 * stream.
 */
final class LivePublisher {
    /** Prefix of the line about the first messages: session id, count and position. */
    static final String SENT = "sent ";

    /** Prefix of the line about all messages: count and position. */
    static final String ENDED = "ended ";

    private static final long SEED = 20_260_102;
    private static final long STEP_LIMIT_S = 3_600;
    private static final long BACK_PRESSURE_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final ExclusivePublication publication;
    private final ArchivePlan plan;
    private final ParentLink parent;
    private final MarketDataFeed feed = new MarketDataFeed(SEED);
    private final IdleStrategy idle = DemoIdling.strategy();
    private int count;

    private LivePublisher(ExclusivePublication publication, ArchivePlan plan, ParentLink parent) {
        this.publication = publication;
        this.plan = plan;
        this.parent = parent;
    }

    /**
     * @param args driver directory and the words of an {@link ArchivePlan}.
     */
    static void run(String[] args) throws DemoException, InterruptedException {
        ParentLink parent = ParentLink.open();
        ArchivePlan plan = ArchivePlan.parse(args);
        try (Aeron aeron = ArchiveClients.connect(args[0]);
                ExclusivePublication publication =
                        aeron.addExclusivePublication(plan.publication(), ArchivePlan.STREAM_ID)) {
            new LivePublisher(publication, plan, parent).run();
        }
    }

    private void run() throws DemoException, InterruptedException {
        awaitStep("the archive did not start recording");
        publication.addDestination(plan.recorded());
        while (count < plan.messages()) {
            offer();
        }
        System.out.println(
                SENT + publication.sessionId() + " " + count + " " + publication.position());
        awaitStep("no subscriber joined");
        publication.addDestination(plan.live());
        sendAtRate();
        System.out.println(ENDED + count + " " + publication.position());
    }

    private void awaitStep(String failure) throws DemoException, InterruptedException {
        if (!parent.awaitGo(STEP_LIMIT_S, TimeUnit.SECONDS)) {
            throw new DemoException(failure + ": see the output of the other processes");
        }
    }

    private void sendAtRate() throws DemoException, InterruptedException {
        long interval = TimeUnit.SECONDS.toNanos(1) / plan.rate();
        long due = System.nanoTime();
        while (!parent.awaitGo(0, TimeUnit.SECONDS)) {
            if (count == plan.room()) {
                throw new DemoException(
                        "the subscriber did not reach the live stream within "
                                + ArchivePlan.MAX_LIVE
                                + " messages: choose a lower --rate");
            }
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            offer();
            due += interval;
        }
    }

    private void offer() throws DemoException {
        int length = feed.encode(count, System.nanoTime());
        long deadline = System.nanoTime() + BACK_PRESSURE_LIMIT_NS;
        idle.reset();
        for (long result = publication.offer(feed.buffer(), 0, length);
                result < 0;
                result = publication.offer(feed.buffer(), 0, length)) {
            boolean isLost =
                    result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED;
            if (isLost || System.nanoTime() - deadline > 0) {
                throw new DemoException(
                        "message "
                                + count
                                + " was not accepted ("
                                + Publication.errorString(result)
                                + "): see the output of the drivers and the archive");
            }
            idle.idle();
        }
        count++;
    }
}
