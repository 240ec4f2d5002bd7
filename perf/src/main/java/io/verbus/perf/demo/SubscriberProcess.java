// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.process.ParentLink;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/**
 * Subscriber process, on any bus. Verifies every message until the end of the stream. Prints a line
 * once it has subscribed, its progress ({@code verified N}, every second and when all unpaced
 * messages are read), and its {@link DemoResult}.
 */
final class SubscriberProcess {
    /** Line printed when publishers may connect. */
    static final String SUBSCRIBED = "subscribed";

    /** Prefix of a line with the number of intact messages. */
    static final String VERIFIED = "verified ";

    private static final int FRAGMENT_LIMIT = 64;
    private static final long REPORT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final BusClient.Incoming stream;
    private final DemoPlan plan;
    private final MarketDataVerifier verifier;
    private final IdleStrategy idle = DemoIdling.strategy();

    private SubscriberProcess(
            BusClient.Incoming stream, DemoPlan plan, MarketDataVerifier verifier) {
        this.stream = stream;
        this.plan = plan;
        this.verifier = verifier;
    }

    /**
     * Verifies all messages.
     *
     * @param args name of the {@link DemoClient}, driver directory, channel, and the words of a
     *     {@link DemoPlan}.
     */
    static void run(String[] args) {
        ParentLink.open();
        DemoPlan plan = DemoPlan.parse(args, 3);
        MarketDataVerifier verifier = new MarketDataVerifier(plan.messages(), plan.firstPaced());
        try (BusClient client = DemoClient.valueOf(args[0]).connect(args[1]);
                BusClient.Incoming stream =
                        client.subscribe(args[2], DemoPlan.STREAM_ID, verifier)) {
            System.out.println(SUBSCRIBED);
            new SubscriberProcess(stream, plan, verifier).run();
        }
    }

    private void run() {
        while (!stream.hasBegun()) {
            idle.idle();
        }
        idle.reset();
        long nextReport = System.nanoTime();
        boolean told = false;
        while (!stream.hasEnded()) {
            int fragments = stream.poll(FRAGMENT_LIMIT);
            idle.idle(fragments);
            long now = System.nanoTime();
            boolean readAll = !told && verifier.verified() >= plan.firstPaced();
            if (readAll || now - nextReport >= 0) {
                System.out.println(VERIFIED + verifier.verified());
                told |= readAll;
                nextReport = now + REPORT_INTERVAL_NS;
            }
        }
        System.out.println(VERIFIED + verifier.verified());
        System.out.println(verifier.result().toLine());
    }
}
