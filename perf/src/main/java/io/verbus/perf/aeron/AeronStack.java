// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.Aeron;
import io.aeron.AeronVersion;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Aeron with its settings for low latency: files not sparse and touched beforehand, and no bounds
 * checks (a flag of the JVM).
 */
final class AeronStack implements Stack {
    private static final int REQUESTS = 1001;
    private static final int REPLIES = 1002;

    private final Work work;
    private final MediaDriver driver;
    private final Aeron aeron;

    AeronStack(Work work, String directory) {
        this.work = work;
        driver =
                MediaDriver.launch(
                        new MediaDriver.Context()
                                .aeronDirectoryName(directory)
                                .dirDeleteOnShutdown(true)
                                .threadingMode(ThreadingMode.valueOf(work.threading().name()))
                                .sharedIdleStrategy(work.driverIdle().strategy())
                                .sharedNetworkIdleStrategy(work.driverIdle().strategy())
                                .senderIdleStrategy(work.driverIdle().strategy())
                                .receiverIdleStrategy(work.driverIdle().strategy())
                                .conductorIdleStrategy(work.driverIdle().strategy())
                                .clientLivenessTimeoutNs(LIVENESS_TIMEOUT_NS)
                                .publicationUnblockTimeoutNs(2 * LIVENESS_TIMEOUT_NS)
                                .mtuLength(work.mtu())
                                .ipcMtuLength(work.mtu())
                                .publicationTermBufferLength(work.termLength())
                                .ipcTermBufferLength(work.termLength())
                                .termBufferSparseFile(false)
                                .performStorageChecks(false));
        Aeron.Context context =
                new Aeron.Context()
                        .aeronDirectoryName(directory)
                        .idleStrategy(work.driverIdle().strategy())
                        .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(LIVENESS_TIMEOUT_NS))
                        .preTouchMappedMemory(true);
        if (driver.sharedAgentInvoker() != null) {
            context.useConductorAgentInvoker(true).driverAgentInvoker(driver.sharedAgentInvoker());
        }
        aeron = Aeron.connect(context);
    }

    @Override
    public String version() {
        return "Aeron " + AeronVersion.VERSION;
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        Subscription replies = aeron.addSubscription(channel(work.initiator(), 1, ""), REPLIES);
        ExclusivePublication requests =
                aeron.addExclusivePublication(
                        channel(work.reflector(), 0, work.initiator()), REQUESTS);
        return new AeronInitiator(
                requests,
                replies,
                driver.sharedAgentInvoker(),
                aeron.conductorAgentInvoker(),
                work.length(),
                handler);
    }

    @Override
    public Reflector reflector() {
        Subscription requests = aeron.addSubscription(channel(work.reflector(), 0, ""), REQUESTS);
        ExclusivePublication replies =
                aeron.addExclusivePublication(
                        channel(work.initiator(), 1, work.reflector()), REPLIES);
        return new AeronReflector(
                requests, replies, driver.sharedAgentInvoker(), aeron.conductorAgentInvoker());
    }

    @Override
    public List<AeronSource> sources() {
        int publishers = work.load().publishers();
        String channel = channel(work.reflector(), 0, work.initiator());
        Publication publication =
                publishers == 1
                        ? aeron.addExclusivePublication(channel, REQUESTS)
                        : aeron.addPublication(channel, REQUESTS);
        return Stream.generate(
                        () ->
                                new AeronSource(
                                        publication,
                                        driver.sharedAgentInvoker(),
                                        aeron.conductorAgentInvoker(),
                                        work.length()))
                .limit(publishers)
                .toList();
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        String channel = channel(work.reflector(), 0, "");
        List<Subscription> subscriptions =
                Stream.generate(() -> aeron.addSubscription(channel, REQUESTS))
                        .limit(arrivals.length)
                        .toList();
        return new AeronSink(
                subscriptions,
                arrivals,
                driver.sharedAgentInvoker(),
                aeron.conductorAgentInvoker());
    }

    private String channel(String address, int portOffset, String from) {
        if (work.wire() == Work.Wire.IPC) {
            return "aeron:ipc";
        }
        String endpoint = "aeron:udp?endpoint=" + address + ":" + (work.port() + portOffset);
        return from.isEmpty() ? endpoint : endpoint + "|interface=" + from;
    }

    @Override
    public void close() {
        aeron.close();
        driver.close();
    }
}
