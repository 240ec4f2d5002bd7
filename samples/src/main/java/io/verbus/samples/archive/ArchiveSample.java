// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.archive;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.archive.Archive;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ReplayMerge;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.file.Path;

/**
 * Records a stream with Aeron's archive on a Verbus driver, replays it, and merges the replay with
 * the live stream.
 *
 * <p>Arguments: a folder for the recordings, an address of this host, and optionally the networks
 * in which to use RDMA, such as 10.1.0.0/16. The program is the same over RDMA and over UDP.
 */
public final class ArchiveSample {
    private static final int STREAM = 10;
    private static final int REPLAY_STREAM = 11;
    private static final int MESSAGES = 1_000;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
    private final ExclusivePublication publication;
    private int published;
    private int read;

    private ArchiveSample(ExclusivePublication publication) {
        this.publication = publication;
    }

    public static void main(String[] args) {
        if (args.length < 2) {
            System.err.println("usage: ArchiveSample FOLDER ADDRESS [RDMA-NETWORKS]");
            System.exit(2);
        }
        DriverConfigBuilder driverConfig = DriverConfig.builder();
        if (args.length > 2) {
            driverConfig.transportOption("rdma.networks", args[2]);
        }
        String control = "aeron:udp?endpoint=" + args[1] + ":20501";
        String anyPort = "aeron:udp?endpoint=" + args[1] + ":0";
        String recorded = "aeron:udp?endpoint=" + args[1] + ":20502";
        String followed = "aeron:udp?endpoint=" + args[1] + ":20503";
        try (MediaDriver driver = MediaDriver.launchEmbedded(driverConfig);
                Archive archive = Archive.launch(archive(driver, args[0], control, anyPort));
                AeronArchive client =
                        AeronArchive.connect(
                                new AeronArchive.Context()
                                        .aeronDirectoryName(driver.directory().toString())
                                        .controlRequestChannel(control)
                                        .controlResponseChannel(anyPort));
                // Receivers are added as destinations, so that more can join at any time.
                ExclusivePublication publication =
                        client.context()
                                .aeron()
                                .addExclusivePublication(
                                        "aeron:udp?control-mode=manual|fc=min", STREAM)) {
            System.out.println("archive " + archive.context().archiveId());
            ArchiveSample sample = new ArchiveSample(publication);
            client.startRecording(recorded, STREAM, SourceLocation.REMOTE);
            publication.addDestination(recorded);
            sample.publish();
            long recordingId = awaitRecorded(client, publication);
            sample.replay(client, recordingId);
            publication.addDestination(followed);
            sample.follow(client, recordingId, anyPort, followed);
        }
    }

    private static Archive.Context archive(
            MediaDriver driver, String folder, String control, String anyPort) {
        return new Archive.Context()
                .aeronDirectoryName(driver.directory().toString())
                .archiveDir(Path.of(folder).toFile())
                .controlChannel(control)
                .replicationChannel(anyPort)
                .archiveClientContext(new AeronArchive.Context().controlResponseChannel(anyPort))
                .recordingEventsEnabled(false);
    }

    private void publish() {
        while (published < MESSAGES) {
            if (!offer()) {
                Thread.yield();
            }
        }
        System.out.println("published " + published);
    }

    /**
     * Offers the next message once. The offer fails if there is no receiver, or while the slowest
     * one is too far behind.
     */
    private boolean offer() {
        int length = message.putStringWithoutLengthAscii(0, "message " + published);
        long result = publication.offer(message, 0, length);
        if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
            throw new IllegalStateException("the publication can no longer send: " + result);
        }
        published += result > 0 ? 1 : 0;
        return result > 0;
    }

    /**
     * Waits until the archive has recorded all published messages, and returns the recording's id.
     */
    private static long awaitRecorded(AeronArchive client, ExclusivePublication publication) {
        var counters = client.context().aeron().countersReader();
        int session = publication.sessionId();
        long archiveId = client.archiveId();
        int counter = RecordingPos.findCounterIdBySession(counters, session, archiveId);
        while (counter < 0 || counters.getCounterValue(counter) < publication.position()) {
            Thread.yield();
            counter = RecordingPos.findCounterIdBySession(counters, session, archiveId);
        }
        System.out.println("recorded up to position " + publication.position());
        return RecordingPos.getRecordingId(counters, counter);
    }

    private void replay(AeronArchive client, long recordingId) {
        long length = publication.position();
        try (Subscription replay =
                client.replay(recordingId, 0, length, CommonContext.IPC_CHANNEL, REPLAY_STREAM)) {
            int count = 0;
            while (count < MESSAGES) {
                count += replay.poll((buffer, offset, size, header) -> {}, 10);
            }
            System.out.println("replayed " + count);
        }
    }

    /** Reads from the start of the recording until the replay has merged with the live stream. */
    private void follow(AeronArchive client, long recordingId, String anyPort, String live) {
        String session = "|session-id=" + publication.sessionId();
        Aeron aeron = client.context().aeron();
        try (Subscription subscription =
                        aeron.addSubscription("aeron:udp?control-mode=manual" + session, STREAM);
                ReplayMerge merge =
                        new ReplayMerge(
                                subscription,
                                client,
                                "aeron:udp?" + session.substring(1),
                                anyPort,
                                live,
                                recordingId,
                                0)) {
            while (!merge.isMerged() || read < published) {
                if (merge.hasFailed()) {
                    throw new IllegalStateException("the replay has not reached the live stream");
                }
                if (!merge.isMerged()) {
                    offer();
                }
                merge.poll((buffer, offset, size, header) -> read++, 10);
            }
            System.out.println("received " + read + " of " + published + " messages");
        }
    }
}
