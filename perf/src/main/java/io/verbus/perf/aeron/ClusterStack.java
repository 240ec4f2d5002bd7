// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.cluster.client.EgressListener;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.LocalDriver;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Aeron Cluster: several members, each with an archive, a consensus module and an echo service; and
 * a client. The first member is the leader. The members alternate between the two addresses of the
 * work.
 */
public final class ClusterStack extends ServiceStack {
    private static final int PORTS = 10;
    private static final long KEEP_ALIVE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Longer than an emulated machine is likely to stall. */
    private static final long LEADER_TIMEOUT_NS = LIVENESS_TIMEOUT_NS;

    private ClusterStack(Work work, LocalDriver driver, String directory) {
        super(work, driver, directory);
    }

    /**
     * Launches the driver of this process, before which no class of Aeron may have been used.
     *
     * @param drivers launcher of the driver.
     * @param work work to do.
     * @param directory directory of the driver.
     */
    public static ClusterStack on(LocalDriver.Launcher drivers, Work work, String directory) {
        bePatient();
        return new ClusterStack(work, drivers.launch(work, directory), directory);
    }

    private int members() {
        return work.processes() - 1;
    }

    private String host(int member) {
        return member % 2 == 0 ? work.reflector() : work.initiator();
    }

    private String endpoint(int member, int purpose) {
        return host(member) + ":" + (work.port() + member * PORTS + purpose);
    }

    /** Returns the ingress, consensus, log, catch-up and archive endpoints of all members. */
    private String clusterMembers() {
        return IntStream.range(0, members())
                .mapToObj(
                        member ->
                                IntStream.range(0, 5)
                                        .mapToObj(purpose -> endpoint(member, purpose))
                                        .collect(Collectors.joining(",", member + ",", "")))
                .collect(Collectors.joining("|"));
    }

    /** Launches the member of this process, which has its own threads. */
    @Override
    public Reflector reflector() {
        int id = Integer.getInteger(Worker.NUMBER_PROPERTY);
        String anyPort = "aeron:udp?endpoint=" + host(id) + ":0";
        AeronArchive.Context localArchive =
                new AeronArchive.Context()
                        .aeronDirectoryName(directory)
                        .controlRequestChannel(IPC)
                        .controlResponseChannel(IPC)
                        .messageTimeoutNs(ANSWER_TIMEOUT_NS);
        parts.push(Archive.launch(archive(id, anyPort)));
        parts.push(
                ConsensusModule.launch(
                        new ConsensusModule.Context()
                                .aeronDirectoryName(directory)
                                .clusterDir(folder("cluster").toFile())
                                .clusterMemberId(id)
                                .appointedLeaderId(0)
                                .clusterMembers(clusterMembers())
                                .ingressChannel("aeron:udp?" + log())
                                .logChannel("aeron:udp?" + log())
                                .replicationChannel(anyPort)
                                .archiveContext(localArchive.clone())
                                .sessionTimeoutNs(LIVENESS_TIMEOUT_NS)
                                .leaderHeartbeatTimeoutNs(LEADER_TIMEOUT_NS)
                                .idleStrategySupplier(() -> work.driverIdle().strategy())
                                .errorHandler(ServiceStack::report)));
        parts.push(
                ClusteredServiceContainer.launch(
                        new ClusteredServiceContainer.Context()
                                .aeronDirectoryName(directory)
                                .clusterDir(folder("cluster").toFile())
                                .archiveContext(localArchive.clone())
                                .idleStrategySupplier(() -> work.driverIdle().strategy())
                                .errorHandler(ServiceStack::report)
                                .clusteredService(new EchoService())));
        return () -> 0;
    }

    private Archive.Context archive(int id, String anyPort) {
        return new Archive.Context()
                .aeronDirectoryName(directory)
                .archiveDir(folder("archive").toFile())
                .controlChannel("aeron:udp?endpoint=" + endpoint(id, 4))
                .localControlChannel(IPC)
                .replicationChannel(anyPort)
                .archiveClientContext(new AeronArchive.Context().controlResponseChannel(anyPort))
                .recordingEventsEnabled(false)
                .idleStrategySupplier(() -> work.driverIdle().strategy())
                .errorHandler(ServiceStack::report)
                .threadingMode(ArchiveThreadingMode.SHARED);
    }

    private String log() {
        return "term-length=" + work.termLength() + "|mtu=" + work.mtu();
    }

    /** Connects a client once a leader is elected. */
    @Override
    public Initiator initiator(ReplyHandler handler) {
        EgressListener listener =
                (session, timestamp, buffer, offset, length, header) ->
                        handler.onReply(
                                buffer.getLong(offset), buffer.getLong(offset + Long.BYTES));
        String ingress =
                IntStream.range(0, members())
                        .mapToObj(member -> member + "=" + endpoint(member, 0))
                        .collect(Collectors.joining(","));
        AeronCluster cluster =
                AeronCluster.connect(
                        new AeronCluster.Context()
                                .aeronDirectoryName(directory)
                                .ingressChannel("aeron:udp?" + log())
                                .ingressEndpoints(ingress)
                                .egressChannel("aeron:udp?endpoint=" + work.initiator() + ":0")
                                .egressListener(listener)
                                .messageTimeoutNs(ANSWER_TIMEOUT_NS)
                                .errorHandler(ServiceStack::report));
        parts.push(cluster);
        return new Client(cluster, work.length());
    }

    private static final class Client implements Initiator {
        private final AeronCluster cluster;
        private final UnsafeBuffer message;
        private long keptAliveNs = System.nanoTime();

        Client(AeronCluster cluster, int length) {
            this.cluster = cluster;
            message = new UnsafeBuffer(new byte[length]);
        }

        @Override
        public boolean isConnected() {
            return !cluster.isClosed();
        }

        @Override
        public boolean send(long sequence, long time) {
            message.putLong(0, sequence);
            message.putLong(Long.BYTES, time);
            return cluster.offer(message, 0, message.capacity()) > 0;
        }

        /** Polls egress, and keeps the session alive while nothing is sent. */
        @Override
        public int poll() {
            int work = cluster.pollEgress();
            if (work == 0 && System.nanoTime() - keptAliveNs > KEEP_ALIVE_NS) {
                keptAliveNs = System.nanoTime();
                cluster.sendKeepAlive();
            }
            return work;
        }
    }
}
