// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.archive.Archive;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.verbus.driver.Await;

import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A recording of Aeron's archive on a host, which is replayed repeatedly. */
final class Replays implements AutoCloseable {
    private static final int STREAM = 3_010;
    private static final int MESSAGES = 64;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<Path> directories;
    private final Aeron beside;
    private final Aeron reading;
    private final Archive archive;
    private final AeronArchive client;
    private final long recordingId;

    /**
     * Records a stream at the host of the archive.
     *
     * @param folder of the recordings.
     * @param archiveDriver directory of the archive's driver.
     * @param clientDriver directory of the driver of the client that reads; maybe the same.
     * @param control channel of requests to the archive.
     * @param answers channel of answers to the client.
     */
    Replays(Path folder, Path archiveDriver, Path clientDriver, String control, String answers) {
        directories = List.of(archiveDriver, clientDriver).stream().distinct().toList();
        archive =
                Archive.launch(
                        ArchiveChild.context(
                                        archiveDriver.toString(),
                                        folder.toString(),
                                        control,
                                        control.replaceAll(":\\d+$", ":0"))
                                .errorHandler(errors::add));
        beside = aeron(archiveDriver);
        recordingId = record();
        reading = aeron(clientDriver);
        boolean isLocal = archiveDriver.equals(clientDriver);
        client =
                AeronArchive.connect(
                        (isLocal
                                        ? ArchiveChild.beside(clientDriver.toString())
                                        : new AeronArchive.Context()
                                                .controlRequestChannel(control)
                                                .controlResponseChannel(answers))
                                .aeron(reading)
                                .ownsAeronClient(false)
                                .messageTimeoutNs(Host.PATIENCE.toNanos()));
    }

    private Aeron aeron(Path directory) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(directory.toString())
                        .driverTimeoutMs(Host.PATIENCE.toMillis())
                        .errorHandler(errors::add));
    }

    private long record() {
        try (AeronArchive local =
                AeronArchive.connect(
                        ArchiveChild.beside("")
                                .aeron(beside)
                                .ownsAeronClient(false)
                                .messageTimeoutNs(Host.PATIENCE.toNanos()))) {
            CountersReader counters = beside.countersReader();
            local.startRecording(ArchiveChild.LOCAL, STREAM, SourceLocation.LOCAL);
            int[] counter = new int[1];
            long id;
            try (ExclusivePublication publication =
                    beside.addExclusivePublication(ArchiveChild.LOCAL, STREAM)) {
                Await.until(
                        "the counter of the recording",
                        () -> {
                            counter[0] =
                                    RecordingPos.findCounterIdBySession(
                                            counters, publication.sessionId(), local.archiveId());
                            return counter[0] >= 0;
                        });
                id = RecordingPos.getRecordingId(counters, counter[0]);
                new Recorded().publish(publication, 0, MESSAGES);
                Recorded.await(local, id, MESSAGES * Recorded.FRAME);
            }
            local.stopRecording(ArchiveChild.LOCAL, STREAM);
            return id;
        }
    }

    /**
     * Replays it so often; what the drivers then hold is what they held before.
     *
     * @param channel of the replays.
     */
    void assertNothingIsLeftOver(int count, String channel) {
        List<Held> before = Held.settled(directories);
        for (int i = 0; i < count; i++) {
            Recorded.verify(client, recordingId, MESSAGES * Recorded.FRAME, channel);
        }
        assertEquals(before, Held.settled(directories), "after " + count + " replays");
        assertEquals(List.of(), errors);
    }

    @Override
    public void close() {
        client.close();
        reading.close();
        archive.close();
        beside.close();
    }
}
