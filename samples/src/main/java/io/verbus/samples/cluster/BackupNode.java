// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ClusterBackup;
import io.aeron.cluster.ClusterBackupEventsListener;
import io.aeron.cluster.ClusterMember;
import io.aeron.cluster.RecordingLog;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;

import org.agrona.CloseHelper;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A node that keeps a copy of a cluster's snapshots and log without being a member: a Verbus media
 * driver, and Aeron's unmodified archive and cluster backup. After this node has ended, a {@link
 * ClusterNode} can start from the copy in the same folder.
 */
public final class BackupNode implements AutoCloseable {
    private static final String IPC_CHANNEL = "aeron:ipc?term-length=1m";
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Receives the progress of the copy, on the backup's thread. */
    public interface Listener {
        /** Called when the copy has received new snapshots, one of each part of a member. */
        void onSnapshots(int count);

        /** Called when the copy contains the log up to a position. */
        void onLog(long position);
    }

    /**
     * Launches a backup.
     *
     * @param driver configuration of its media driver, with its own directory.
     * @param members members of the cluster.
     * @param host address of this node.
     * @param port port of this node, to which the members send answers; its archive uses the next
     *     port.
     * @param folder folder for the copy.
     * @param listener receives the progress of the copy.
     */
    public BackupNode(
            DriverConfig driver,
            ClusterMembers members,
            String host,
            int port,
            Path folder,
            Listener listener) {
        String directory = driver.directory().toString();
        String endpoint = "aeron:udp?endpoint=" + host + ":";
        String anyPort = endpoint + "0";
        AeronArchive.Context localArchive =
                new AeronArchive.Context()
                        .aeronDirectoryName(directory)
                        .controlRequestChannel(IPC_CHANNEL)
                        .controlResponseChannel(IPC_CHANNEL);
        try {
            parts.push(MediaDriver.launch(driver));
            parts.push(
                    Archive.launch(
                            new Archive.Context()
                                    .aeronDirectoryName(directory)
                                    .archiveDir(folder.resolve("archive").toFile())
                                    .controlChannel(endpoint + (port + 1))
                                    .localControlChannel(IPC_CHANNEL)
                                    .replicationChannel(anyPort)
                                    .archiveClientContext(
                                            new AeronArchive.Context()
                                                    .controlResponseChannel(anyPort))
                                    .recordingEventsEnabled(false)
                                    .threadingMode(ArchiveThreadingMode.SHARED)));
            parts.push(
                    ClusterBackup.launch(
                            new ClusterBackup.Context()
                                    .aeronDirectoryName(directory)
                                    .clusterDir(folder.resolve("cluster").toFile())
                                    .clusterConsensusEndpoints(members.forBackups())
                                    .consensusChannel(endpoint + port)
                                    .catchupEndpoint(host + ":0")
                                    .archiveContext(localArchive)
                                    .clusterArchiveContext(
                                            new AeronArchive.Context()
                                                    .controlRequestChannel(anyPort)
                                                    .controlResponseChannel(anyPort))
                                    .clusterBackupIntervalNs(INTERVAL_NS)
                                    .clusterBackupCoolDownIntervalNs(INTERVAL_NS)
                                    .errorHandler(error -> System.err.println("backup: " + error))
                                    .eventsListener(new Events(listener))));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void close() {
        CloseHelper.closeAll(parts);
    }

    private record Events(Listener listener) implements ClusterBackupEventsListener {
        @Override
        public void onBackupQuery() {}

        @Override
        public void onPossibleFailure(Exception failure) {
            System.err.println("backup: " + failure);
        }

        @Override
        public void onBackupResponse(
                ClusterMember[] members,
                ClusterMember logSource,
                List<RecordingLog.Snapshot> snapshots) {}

        @Override
        public void onUpdatedRecordingLog(
                RecordingLog recordingLog, List<RecordingLog.Snapshot> snapshots) {
            listener.onSnapshots(snapshots.size());
        }

        @Override
        public void onLiveLogProgress(long recordingId, long counterId, long position) {
            listener.onLog(position);
        }
    }
}
