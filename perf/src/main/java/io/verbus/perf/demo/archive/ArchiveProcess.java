// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.demo.BusClient;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoIdling;
import io.verbus.perf.demo.MarketDataVerifier;
import io.verbus.perf.process.ParentLink;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Archive process: records the stream, reports the progress of the recording, and verifies the
 * recording from its start once it has ended.
 */
final class ArchiveProcess {
    /** Line printed when the stream may start. */
    static final String RECORDING = "recording";

    /** Prefix of a line with the position of the recording. */
    static final String RECORDED = "recorded ";

    private static final String LOCAL = "aeron:ipc?term-length=1m";
    private static final int SEGMENT_LENGTH = 64 * 1024 * 1024;
    private static final int FRAGMENT_LIMIT = 64;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final AeronArchive client;
    private final ArchivePlan plan;

    private ArchiveProcess(AeronArchive client, ArchivePlan plan) {
        this.client = client;
        this.plan = plan;
    }

    /**
     * @param args driver directory, directory of the recordings, and the words of an {@link
     *     ArchivePlan}.
     */
    static void run(String[] args) throws DemoException, InterruptedException {
        AeronPatience.set();
        ParentLink.open();
        ArchivePlan plan = ArchivePlan.parse(args);
        try (Aeron aeron = ArchiveClients.connect(args[0]);
                Archive archive = Archive.launch(context(args[0], args[1], plan));
                AeronArchive client =
                        AeronArchive.connect(
                                new AeronArchive.Context()
                                        .aeron(aeron)
                                        .ownsAeronClient(false)
                                        .messageTimeoutNs(BusClient.DRIVER_TIMEOUT_NS)
                                        .controlRequestStreamId(
                                                archive.context().localControlStreamId())
                                        .controlRequestChannel(LOCAL)
                                        .controlResponseChannel(LOCAL))) {
            new ArchiveProcess(client, plan).run();
            // Late subscribers may still need the archive, so the process runs until its input
            // ends.
            Thread.currentThread().join();
        }
    }

    private static Archive.Context context(String directory, String folder, ArchivePlan plan) {
        return new Archive.Context()
                .aeronDirectoryName(directory)
                .archiveDir(Path.of(folder).toFile())
                .controlChannel(plan.control())
                .localControlChannel(LOCAL)
                .replicationChannel(plan.anyPort())
                .archiveClientContext(
                        new AeronArchive.Context().controlResponseChannel(plan.anyPort()))
                .recordingEventsEnabled(false)
                .segmentFileLength(SEGMENT_LENGTH)
                .threadingMode(ArchiveThreadingMode.SHARED)
                .connectTimeoutNs(LIMIT_NS)
                .errorHandler(error -> System.err.println("archive: " + error.getMessage()));
    }

    private void run() throws DemoException {
        client.startRecording(plan.recorded(), ArchivePlan.STREAM_ID, SourceLocation.REMOTE);
        System.out.println(RECORDING);
        CountersReader counters = client.context().aeron().countersReader();
        int counter = awaitCounter(counters);
        long recordingId = RecordingPos.getRecordingId(counters, counter);
        while (client.getStopPosition(recordingId) == AeronArchive.NULL_POSITION) {
            System.out.println(RECORDED + counters.getCounterValue(counter));
            LockSupport.parkNanos(PAUSE_NS);
        }
        long stop = client.getStopPosition(recordingId);
        System.out.println(RECORDED + stop);
        verify(recordingId, stop);
    }

    private int awaitCounter(CountersReader counters) {
        while (true) { // the archive ends with this process's input
            for (int id = 0; id <= counters.maxCounterId(); id++) {
                if (counters.getCounterState(id) == CountersReader.RECORD_ALLOCATED
                        && counters.getCounterTypeId(id)
                                == RecordingPos.RECORDING_POSITION_TYPE_ID) {
                    return id;
                }
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void verify(long recordingId, long stop) throws DemoException {
        long start = client.getStartPosition(recordingId);
        MarketDataVerifier verifier = new MarketDataVerifier(plan.room(), plan.room());
        FragmentAssembler assembler =
                new FragmentAssembler(
                        (buffer, offset, length, header) ->
                                verifier.onMessage(buffer, offset, length));
        IdleStrategy idle = DemoIdling.strategy();
        try (Subscription replay =
                client.replay(
                        recordingId,
                        start,
                        stop - start,
                        LOCAL,
                        ArchivePlan.LOCAL_REPLAY_STREAM_ID)) {
            long deadline = System.nanoTime() + LIMIT_NS;
            while (replay.hasNoImages()) {
                ArchiveClients.check(
                        deadline, "the replay of the recording did not start within 120 s");
                idle.idle();
            }
            Image image = replay.imageAtIndex(0);
            while (!image.isEndOfStream() && !image.isClosed()) {
                idle.idle(image.poll(assembler, FRAGMENT_LIMIT));
            }
        }
        System.out.println(verifier.result().toLine());
    }
}
