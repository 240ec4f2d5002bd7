// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;

import java.io.File;
import java.io.IOException;

/**
 * Aeron's archive, unmodified, on a driver of Verbus; as a process of its own, until its input
 * ends.
 */
final class ArchiveChild {
    /** Channel between an archive and clients of the same driver. */
    static final String LOCAL = "aeron:ipc?term-length=64k";

    private ArchiveChild() {}

    /**
     * @param args driver directory, folder of the recordings, control channel, and the channel at
     *     which the archive itself receives answers.
     */
    public static void main(String[] args) throws IOException {
        try (Archive archive = Archive.launch(context(args[0], args[1], args[2], args[3]))) {
            System.out.println("ready " + archive.context().archiveId());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    /** An archive of small segments. */
    static Archive.Context context(
            String directory, String folder, String control, String answers) {
        return new Archive.Context()
                .aeronDirectoryName(directory)
                .archiveDir(new File(folder))
                .controlChannel(control)
                .localControlChannel(LOCAL)
                .replicationChannel(answers)
                .archiveClientContext(new AeronArchive.Context().controlResponseChannel(answers))
                .recordingEventsEnabled(false)
                .segmentFileLength(1024 * 1024)
                .lowStorageSpaceThreshold(1024 * 1024)
                .threadingMode(ArchiveThreadingMode.SHARED)
                .errorHandler(error -> System.out.println("archive: " + error));
    }

    /** A client beside the archive, on the same driver. */
    static AeronArchive.Context beside(String directory) {
        return new AeronArchive.Context()
                .aeronDirectoryName(directory)
                .controlRequestChannel(LOCAL)
                .controlRequestStreamId(AeronArchive.Configuration.localControlStreamId())
                .controlResponseChannel(LOCAL);
    }
}
