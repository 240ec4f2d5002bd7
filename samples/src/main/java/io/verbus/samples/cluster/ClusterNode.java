// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.Idling;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.samples.cluster.ClusterMembers.Purpose;

import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.status.AtomicCounter;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A member of a cluster that matches orders: a Verbus media driver, and Aeron's unmodified archive,
 * consensus module and service container.
 *
 * <p>All members use the same log term length and MTU, so that each can replay and replicate the
 * others' recordings.
 */
public final class ClusterNode implements AutoCloseable {
    private static final String LOG_CHANNEL = "aeron:udp?term-length=1m|mtu=8k|alias=log";
    private static final String INGRESS_CHANNEL = "aeron:udp?term-length=1m";
    private static final String IPC_CHANNEL = "aeron:ipc?term-length=1m";
    private static final int FIRST_PORT = 20_400;

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final OrderMatchingService.Listener listener;
    private final ConsensusModule consensusModule;

    /**
     * Launches a member with a media driver.
     *
     * @param driver configuration of the media driver, with its own directory.
     * @param members members of the cluster.
     * @param id id of this member: its index in the list.
     * @param folder folder for its log and snapshots, kept from run to run.
     * @param leaderTimeoutNs nanoseconds of silence after which members elect another leader.
     * @param listener receives the events of this member.
     */
    public ClusterNode(
            DriverConfig driver,
            ClusterMembers members,
            int id,
            Path folder,
            long leaderTimeoutNs,
            OrderMatchingService.Listener listener) {
        this(
                MediaDriver.launch(driver),
                driver.directory(),
                members,
                id,
                folder,
                leaderTimeoutNs,
                listener);
    }

    /**
     * Launches a member that uses another process's media driver, which no other member may use.
     *
     * @param driver directory of the media driver.
     * @param members members of the cluster.
     * @param id id of this member: its index in the list.
     * @param folder folder for its log and snapshots, kept from run to run.
     * @param leaderTimeoutNs nanoseconds of silence after which members elect another leader.
     * @param listener receives the events of this member.
     */
    public ClusterNode(
            Path driver,
            ClusterMembers members,
            int id,
            Path folder,
            long leaderTimeoutNs,
            OrderMatchingService.Listener listener) {
        this(() -> {}, driver, members, id, folder, leaderTimeoutNs, listener);
    }

    private ClusterNode(
            AutoCloseable driver,
            Path driverDirectory,
            ClusterMembers members,
            int id,
            Path folder,
            long leaderTimeoutNs,
            OrderMatchingService.Listener listener) {
        this.listener = listener;
        parts.push(driver);
        String directory = driverDirectory.toString();
        String anyPort = "aeron:udp?endpoint=" + members.hosts().get(id) + ":0";
        AeronArchive.Context localArchive =
                new AeronArchive.Context()
                        .aeronDirectoryName(directory)
                        .controlRequestChannel(IPC_CHANNEL)
                        .controlResponseChannel(IPC_CHANNEL);
        try {
            parts.push(
                    Archive.launch(
                            new Archive.Context()
                                    .aeronDirectoryName(directory)
                                    .archiveDir(folder.resolve("archive").toFile())
                                    .controlChannel(
                                            "aeron:udp?endpoint="
                                                    + members.endpoint(id, Purpose.ARCHIVE))
                                    .localControlChannel(IPC_CHANNEL)
                                    .replicationChannel(anyPort)
                                    .archiveClientContext(
                                            new AeronArchive.Context()
                                                    .controlResponseChannel(anyPort))
                                    .recordingEventsEnabled(false)
                                    .errorHandler(error -> report("archive", error))
                                    .threadingMode(ArchiveThreadingMode.SHARED)));
            consensusModule =
                    ConsensusModule.launch(
                            new ConsensusModule.Context()
                                    .aeronDirectoryName(directory)
                                    .clusterDir(folder.resolve("cluster").toFile())
                                    .clusterMemberId(id)
                                    .clusterMembers(members.forMembers())
                                    .ingressChannel(INGRESS_CHANNEL)
                                    .logChannel(LOG_CHANNEL)
                                    .replicationChannel(anyPort)
                                    .archiveContext(localArchive.clone())
                                    .errorHandler(error -> report("consensus", error))
                                    .leaderHeartbeatTimeoutNs(leaderTimeoutNs)
                                    .startupCanvassTimeoutNs(4 * leaderTimeoutNs)
                                    .electionTimeoutNs(leaderTimeoutNs / 2));
            parts.push(consensusModule);
            parts.push(
                    ClusteredServiceContainer.launch(
                            new ClusteredServiceContainer.Context()
                                    .aeronDirectoryName(directory)
                                    .clusterDir(folder.resolve("cluster").toFile())
                                    .archiveContext(localArchive.clone())
                                    .errorHandler(error -> report("service", error))
                                    .clusteredService(new OrderMatchingService(listener))));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Reports a failed part. A part that fails, for example because it has lost its driver, does
     * not restart.
     */
    private void report(String part, Throwable error) {
        System.err.println(part + ": " + error);
        if (error instanceof AgentTerminationException) {
            listener.onEnd(part);
        }
    }

    /**
     * Requests a snapshot of the cluster, from which members start from then on.
     *
     * @return whether the snapshot is taken, which requires that this member leads and no other
     *     snapshot is in progress.
     */
    public boolean takeSnapshot() {
        AtomicCounter toggle =
                ClusterControl.findControlToggle(
                        consensusModule.context().aeron().countersReader(),
                        consensusModule.context().clusterId());
        return toggle != null && ClusterControl.ToggleState.SNAPSHOT.toggle(toggle);
    }

    @Override
    public void close() {
        CloseHelper.closeAll(parts);
    }

    /**
     * Returns settings for a member's driver, which has a single thread, because all processes
     * share the processors.
     */
    public static DriverConfigBuilder driver(Path directory) {
        return DriverConfig.builder()
                .directory(directory)
                .threading(ThreadingMode.SHARED)
                .idling(Idling.BACKOFF)
                .termLength(1024 * 1024)
                .deleteOnShutdown(true);
    }

    /**
     * Runs a member. Arguments: member id, the hosts of all members, a folder, and optionally the
     * networks in which to use RDMA. A line on standard input takes a snapshot; end of input ends
     * the member.
     */
    public static void main(String[] args) throws IOException {
        if (args.length < 3) {
            System.err.println("usage: ClusterNode ID HOST,HOST,HOST FOLDER [RDMA-NETWORKS]");
            System.exit(2);
        }
        int id = Integer.parseInt(args[0]);
        DriverConfigBuilder driver = driver(Path.of("/dev/shm/verbus-cluster-" + id));
        if (args.length > 3) {
            driver.transportOption("rdma.networks", args[3]);
        }
        ClusterMembers members = new ClusterMembers(List.of(args[1].split(",")), FIRST_PORT);
        try (ClusterNode node =
                        new ClusterNode(
                                driver.build(),
                                members,
                                id,
                                Path.of(args[2]),
                                TimeUnit.SECONDS.toNanos(5),
                                new Printer());
                BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
            while (lines.readLine() != null) {
                System.out.println(
                        node.takeSnapshot()
                                ? "the cluster is taking a snapshot"
                                : "no snapshot was taken: this member is not the leader, or a"
                                        + " snapshot is already in progress");
            }
        }
    }

    private static final class Printer implements OrderMatchingService.Listener {
        @Override
        public void onRole(Cluster.Role role) {
            System.out.println("role " + role);
        }

        @Override
        public void onState(MatchingEngine.State state) {
            System.out.println(state);
        }

        @Override
        public void onSnapshot(MatchingEngine.State state) {
            System.out.println("snapshot of " + state);
        }

        /** Closes on another thread, because closing the member waits for the calling thread. */
        @Override
        public void onEnd(String part) {
            System.err.println(part + " has ended: restart the driver and this member");
            Thread.ofPlatform().name("end").start(() -> System.exit(1));
        }
    }
}
