// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ReplayMerge;
import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.demo.BusClient;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoIdling;
import io.verbus.perf.demo.MarketDataVerifier;
import io.verbus.perf.process.ParentLink;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemEpochClock;

import java.util.concurrent.TimeUnit;

/**
 * Late subscriber's process: replays the recording from its start, merges into the live stream, and
 * verifies every message until the stream ends.
 */
final class LateSubscriber {
    /** Line printed when the replay has been requested. */
    static final String SUBSCRIBED = "subscribed";

    /** Prefix of a line with the number of intact messages. */
    static final String VERIFIED = "verified ";

    /** Prefix of a line with the number of messages received before the live stream was reached. */
    static final String MERGED = "merged ";

    private static final int FRAGMENT_LIMIT = 64;
    private static final long REPORT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PROGRESS_LIMIT_MS = TimeUnit.SECONDS.toMillis(60);

    private final MarketDataVerifier verifier;
    private final FragmentAssembler assembler;
    private final IdleStrategy idle = DemoIdling.strategy();
    private long nextReport = System.nanoTime();

    private LateSubscriber(ArchivePlan plan) {
        verifier = new MarketDataVerifier(plan.room(), plan.messages());
        assembler =
                new FragmentAssembler(
                        (buffer, offset, length, header) ->
                                verifier.onMessage(buffer, offset, length));
    }

    /**
     * @param args driver directory, session id of the stream, and the words of an {@link
     *     ArchivePlan}.
     */
    static void run(String[] args) throws DemoException {
        AeronPatience.set();
        ParentLink.open();
        ArchivePlan plan = ArchivePlan.parse(args);
        String session = "session-id=" + args[1];
        EpochClock clock = SystemEpochClock.INSTANCE;
        try (Aeron aeron = ArchiveClients.connect(args[0]);
                AeronArchive archive =
                        AeronArchive.connect(
                                new AeronArchive.Context()
                                        .aeron(aeron)
                                        .ownsAeronClient(false)
                                        .messageTimeoutNs(BusClient.DRIVER_TIMEOUT_NS)
                                        .controlRequestChannel(plan.control())
                                        .controlResponseChannel(plan.anyPort()));
                Subscription subscription =
                        aeron.addSubscription(
                                "aeron:udp?control-mode=manual|" + session, ArchivePlan.STREAM_ID);
                ReplayMerge merge =
                        new ReplayMerge(
                                subscription,
                                archive,
                                "aeron:udp?" + session,
                                plan.anyPort(),
                                plan.live(),
                                recording(archive, plan, Integer.parseInt(args[1])),
                                0,
                                clock,
                                PROGRESS_LIMIT_MS)) {
            System.out.println(SUBSCRIBED);
            new LateSubscriber(plan).run(merge);
        }
    }

    private static long recording(AeronArchive archive, ArchivePlan plan, int sessionId)
            throws DemoException {
        String endpoint = plan.recorded().substring(plan.recorded().indexOf('?') + 1);
        long id = archive.findLastMatchingRecording(0, endpoint, ArchivePlan.STREAM_ID, sessionId);
        if (id < 0) {
            throw new DemoException("the archive has no recording of session " + sessionId);
        }
        return id;
    }

    private void run(ReplayMerge merge) throws DemoException {
        while (!merge.isMerged()) {
            if (merge.hasFailed()) {
                throw new DemoException(
                        "the replay did not reach the live stream: see the output of the archive");
            }
            idle.idle(merge.poll(assembler, FRAGMENT_LIMIT));
            report();
        }
        System.out.println(MERGED + verifier.verified());
        Image image = merge.image();
        while (!image.isEndOfStream() && !image.isClosed()) {
            idle.idle(image.poll(assembler, FRAGMENT_LIMIT));
            report();
        }
        System.out.println(VERIFIED + verifier.verified());
        System.out.println(verifier.result().toLine());
    }

    private void report() {
        long now = System.nanoTime();
        if (now - nextReport >= 0) {
            System.out.println(VERIFIED + verifier.verified());
            nextReport = now + REPORT_INTERVAL_NS;
        }
    }
}
