// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.FragmentAssembler;
import io.verbus.Image;
import io.verbus.Subscription;

import org.agrona.concurrent.IdleStrategy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Verifies every message of the stream until its end, and says on standard output when it has
 * subscribed, how far it is ({@code verified N}, each second and when all of the unpaced messages
 * are read) and what it found (a {@link DemoResult}).
 */
final class SubscriberProcess {
    /** The line that says that publishers may connect. */
    static final String SUBSCRIBED = "subscribed";

    /** Begins a line that says how many messages have arrived whole. */
    static final String VERIFIED = "verified ";

    private static final int FRAGMENT_LIMIT = 64;
    private static final long REPORT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Subscription subscription;
    private final DemoPlan plan;
    private final MarketDataVerifier verifier;
    private final FragmentAssembler assembler;
    private final IdleStrategy idle = DemoClient.idleStrategy();

    private SubscriberProcess(Subscription subscription, DemoPlan plan) {
        this.subscription = subscription;
        this.plan = plan;
        verifier = new MarketDataVerifier(plan.messages(), plan.firstPaced());
        assembler = new FragmentAssembler(verifier);
    }

    /**
     * @param args driver directory, channel, and the words of a {@link DemoPlan}.
     */
    public static void main(String[] args) {
        ParentLink.open();
        try (Bus bus = Bus.connect(DemoClient.context(args[0]));
                Subscription subscription = bus.addSubscription(args[1], DemoPlan.STREAM_ID)) {
            System.out.println(SUBSCRIBED);
            new SubscriberProcess(subscription, DemoPlan.parse(args, 2)).run();
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private void run() {
        Image image = awaitImage();
        long nextReport = System.nanoTime();
        boolean told = false;
        while (!image.isEndOfStream() && !image.isClosed()) {
            int fragments = image.poll(assembler, FRAGMENT_LIMIT);
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

    private Image awaitImage() {
        while (subscription.hasNoImages()) {
            idle.idle();
        }
        idle.reset();
        List<Image> images = new ArrayList<>();
        subscription.forEachImage(images::add);
        return images.getFirst();
    }
}
