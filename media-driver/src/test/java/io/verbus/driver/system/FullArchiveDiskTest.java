// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.archive.Archive;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ArchiveException;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.verbus.driver.Await;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Aeron's archive records to a file system that fills up. */
@Tag("slow")
@Timeout(150)
class FullArchiveDiskTest {
    private static final int STREAM = 3_010;
    private static final String MOUNT = "mount -t tmpfs -o size=16m none \"$0\" && exec \"$@\"";

    @Test
    void endsRecordingOnFullDiskAndRecordsAgainOnceSpaceIsFree(
            @TempDir Path folder, @TempDir Path disk) throws Exception {
        Process probe = new ProcessBuilder("unshare", "-rm", "true").start();
        Assumptions.assumeTrue(
                probe.waitFor() == 0, "no mount namespace can be made here: unshare fails");
        List<String> wrapper = List.of("unshare", "-rm", "bash", "-c", MOUNT, disk.toString());
        try (Child child =
                Child.start(
                        "archive",
                        wrapper,
                        folder,
                        List.of(Recording.class.getName(), disk.toString(), folder.toString()))) {
            child.await("verified");
            child.assertEnd(0);
        }
    }

    /** Driver, archive, publisher and client, in a namespace with a small disk. */
    static final class Recording {
        private Recording() {}

        /**
         * Arguments: folder of the small disk, and another one for the archive's mark file: this
         * has the archive's error log, a sparse file that is mapped. Where the disk gets full under
         * it, the error is a fault, and the archive ends.
         */
        public static void main(String[] args) throws IOException {
            Path disk = Path.of(args[0]);
            Path ballast = disk.resolve("ballast");
            Files.write(ballast, new byte[8 * 1024 * 1024]);
            String archiveFolder = disk.resolve("archive").toString();
            try (MediaDriver driver = MediaDriver.launchEmbedded(DriverConfig.builder());
                    Archive archive =
                            Archive.launch(
                                    ArchiveChild.context(
                                                    driver.directory().toString(),
                                                    archiveFolder,
                                                    "aeron:udp?endpoint=127.0.0.1:0",
                                                    "aeron:udp?endpoint=127.0.0.1:0")
                                            .markFileDir(new File(args[1])));
                    AeronArchive client =
                            AeronArchive.connect(
                                    ArchiveChild.beside(driver.directory().toString()))) {
                long full = fill(client);
                System.out.println(
                        "full at " + full + ", archive " + archive.context().archiveId());
                ArchiveException refused =
                        assertThrows(
                                ArchiveException.class,
                                () ->
                                        client.startRecording(
                                                ArchiveChild.LOCAL, STREAM, SourceLocation.LOCAL));
                assertEquals(
                        ArchiveException.STORAGE_SPACE, refused.errorCode(), refused.getMessage());
                Files.delete(ballast);
                recordAgain(client);
                assertEquals(List.of(), ErrorLog.read(driver.directory()));
                System.out.println("verified");
            }
        }

        /** Records until there is no space; acknowledged messages are there. */
        private static long fill(AeronArchive client) {
            Aeron aeron = client.context().aeron();
            CountersReader counters = aeron.countersReader();
            Recorded messages = new Recorded();
            // Without auto stop the archive keeps its subscription, which blocks the publisher.
            client.startRecording(ArchiveChild.LOCAL, STREAM, SourceLocation.LOCAL, true);
            try (ExclusivePublication publication =
                    aeron.addExclusivePublication(ArchiveChild.LOCAL, STREAM)) {
                int counter = awaitCounter(client, counters, publication);
                long recordingId = RecordingPos.getRecordingId(counters, counter);
                long acknowledged = 0;
                long published = 0;
                while (RecordingPos.isActive(counters, counter, recordingId)) {
                    acknowledged = Math.max(acknowledged, counters.getCounterValue(counter));
                    published += messages.offer(publication, published) ? 1 : 0;
                    assertTrue(published < 64_000, "the disk does not get full");
                }
                Await.until(
                        "the end of the recording",
                        () -> client.getStopPosition(recordingId) != AeronArchive.NULL_POSITION);
                long stop = client.getStopPosition(recordingId);
                assertTrue(stop >= acknowledged, stop + " is before " + acknowledged);
                assertTrue(stop > 4 * 1024 * 1024, "stopped at " + stop);
                Await.until("publisher is let go", () -> !publication.isConnected());
                Recorded.verify(
                        client, recordingId, stop - stop % Recorded.FRAME, ArchiveChild.LOCAL);
                return stop;
            }
        }

        private static int awaitCounter(
                AeronArchive client, CountersReader counters, ExclusivePublication publication) {
            int[] counter = new int[1];
            Await.until(
                    "the counter of the recording",
                    () -> {
                        counter[0] =
                                RecordingPos.findCounterIdBySession(
                                        counters, publication.sessionId(), client.archiveId());
                        return counter[0] >= 0;
                    });
            return counter[0];
        }

        private static void recordAgain(AeronArchive client) {
            Aeron aeron = client.context().aeron();
            CountersReader counters = aeron.countersReader();
            client.startRecording(ArchiveChild.LOCAL, STREAM + 1, SourceLocation.LOCAL);
            try (ExclusivePublication publication =
                    aeron.addExclusivePublication(ArchiveChild.LOCAL, STREAM + 1)) {
                int counter = awaitCounter(client, counters, publication);
                long recordingId = RecordingPos.getRecordingId(counters, counter);
                new Recorded().publish(publication, 0, 1_000);
                Recorded.await(client, recordingId, 1_000 * Recorded.FRAME);
                Recorded.verify(client, recordingId, 1_000 * Recorded.FRAME, ArchiveChild.LOCAL);
            }
        }
    }
}
