// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.Aeron;
import io.aeron.AeronVersion;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.logbuffer.FragmentHandler;
import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.BusInitiator;
import io.verbus.perf.load.BusReflector;
import io.verbus.perf.load.BusSink;
import io.verbus.perf.load.BusSource;
import io.verbus.perf.load.Echo;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Invokers;
import io.verbus.perf.load.LocalDriver;
import io.verbus.perf.load.Offer;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentInvoker;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * Aeron's client on an existing driver, or with its own Aeron Java driver, in a low-latency
 * configuration: log files are pretouched and not sparse, and a JVM flag disables bounds checks.
 */
public final class AeronStack implements Stack {
    private static final String VERSION = "Aeron " + AeronVersion.VERSION;
    private static final int REQUESTS = 1001;
    private static final int REPLIES = 1002;

    private final Work work;
    private final LocalDriver driver;
    private final AgentInvoker driverInvoker;
    private final Aeron aeron;

    /**
     * Starts the client.
     *
     * @param work work to set up for.
     * @param driver driver of this process, closed with the stack; null if it runs elsewhere.
     * @param directory directory of the driver.
     */
    public AeronStack(Work work, LocalDriver driver, String directory) {
        this.work = work;
        this.driver = driver;
        Aeron.Context context =
                new Aeron.Context()
                        .aeronDirectoryName(directory)
                        .idleStrategy(work.driverIdle().strategy())
                        .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(LIVENESS_TIMEOUT_NS))
                        .preTouchMappedMemory(true);
        driverInvoker = driver == null ? null : driver.invoker();
        if (driverInvoker != null) {
            context.useConductorAgentInvoker(true).driverAgentInvoker(driverInvoker);
        }
        aeron = Aeron.connect(context);
    }

    /** Launches Aeron's Java driver for the given work. */
    public static LocalDriver launch(Work work, String directory) {
        MediaDriver driver =
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
        return new LocalDriver(VERSION, driver.sharedAgentInvoker(), driver::close);
    }

    @Override
    public String version() {
        return driver == null || driver.version().equals(VERSION)
                ? VERSION
                : VERSION + " on " + driver.version();
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        Subscription replies = aeron.addSubscription(subscribed(work.initiator(), 1), REPLIES);
        Publication requests =
                addPublication(published(work.reflector(), 0, work.initiator()), REQUESTS);
        FragmentHandler onReply =
                (buffer, offset, length, header) ->
                        handler.onReply(
                                buffer.getLong(offset), buffer.getLong(offset + Long.BYTES));
        return new BusInitiator(
                offer(requests),
                () -> replies.poll(onReply, BusInitiator.FRAGMENT_LIMIT),
                () -> requests.isConnected() && replies.isConnected(),
                invokers(),
                work.length());
    }

    @Override
    public Reflector reflector() {
        Subscription requests = aeron.addSubscription(subscribed(work.reflector(), 0), REQUESTS);
        Publication replies =
                addPublication(published(work.initiator(), 1, work.reflector()), REPLIES);
        Invokers invokers = invokers();
        IntSupplier poll =
                switch (work.load().polling()) {
                    case CONTROLLED -> controlledPoll(requests, replies);
                    case PLAIN -> poll(requests, new Echo(offer(replies), invokers));
                };
        return new BusReflector(poll, invokers);
    }

    private static IntSupplier controlledPoll(Subscription requests, Publication replies) {
        ControlledFragmentHandler onRequest =
                (buffer, offset, length, header) ->
                        replies.offer(buffer, offset, length) > 0 ? Action.CONTINUE : Action.ABORT;
        return () -> requests.controlledPoll(onRequest, BusInitiator.FRAGMENT_LIMIT);
    }

    private static IntSupplier poll(Subscription requests, Echo echo) {
        FragmentHandler onRequest =
                (buffer, offset, length, header) -> echo.send(buffer, offset, length);
        return () -> requests.poll(onRequest, BusInitiator.FRAGMENT_LIMIT);
    }

    @Override
    public List<BusSource> sources() {
        int publishers = work.load().publishers();
        String channel = published(work.reflector(), 0, work.initiator());
        Publication publication = addPublication(channel, REQUESTS);
        return Stream.generate(
                        () ->
                                new BusSource(
                                        offer(publication),
                                        publication::isConnected,
                                        invokers(),
                                        work.length()))
                .limit(publishers)
                .toList();
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        String channel = subscribed(work.reflector(), 0);
        return new BusSink(
                Stream.of(arrivals)
                        .map(taken -> poll(aeron.addSubscription(channel, REQUESTS), taken))
                        .toList(),
                invokers());
    }

    private static IntSupplier poll(Subscription subscription, Arrivals arrivals) {
        FragmentHandler onMessage =
                (buffer, offset, length, header) ->
                        arrivals.onMessage(buffer.getLong(offset), length);
        return () -> subscription.poll(onMessage, BusSink.FRAGMENT_LIMIT);
    }

    private Publication addPublication(String channel, int streamId) {
        return switch (work.load().publications()) {
            case EXCLUSIVE -> aeron.addExclusivePublication(channel, streamId);
            case CONCURRENT -> aeron.addPublication(channel, streamId);
        };
    }

    private static Offer offer(Publication publication) {
        return (buffer, offset, length) -> {
            long result = publication.offer(buffer, offset, length);
            if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException("the publication can no longer send: " + result);
            }
            return result > 0;
        };
    }

    private Invokers invokers() {
        return new Invokers(driverInvoker, aeron.conductorAgentInvoker());
    }

    private String subscribed(String address, int portOffset) {
        return work.wire() == Work.Wire.IPC
                ? "aeron:ipc"
                : "aeron:"
                        + work.wire()
                        + "?endpoint="
                        + address
                        + ":"
                        + (work.port() + portOffset);
    }

    private String published(String address, int portOffset, String from) {
        String log = "mtu=" + work.mtu() + "|term-length=" + work.termLength();
        return work.wire() == Work.Wire.IPC
                ? "aeron:ipc?" + log
                : subscribed(address, portOffset) + "|interface=" + from + "|" + log;
    }

    @Override
    public void close() {
        CloseHelper.closeAll(aeron, driver);
    }
}
