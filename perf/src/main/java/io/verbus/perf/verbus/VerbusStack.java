// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.channel.Endpoint;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.driver.config.Idling;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.logbuffer.FragmentHandler;
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
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentInvoker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** Verbus' client, and its driver if the process has one. */
public final class VerbusStack implements Stack {
    /** System property: duration of {@link Bus#warmUp} in milliseconds; no warm-up by default. */
    public static final String WARM_UP_PROPERTY = "verbus.perf.warmUpMs";

    /** Prefix of system properties that set driver options, such as {@code mtu}. */
    public static final String OPTION_PREFIX = "verbus.perf.driver.";

    /**
     * Environment variable that has the same meaning as for a driver process, so that the cost of a
     * scrape can be measured.
     */
    private static final String METRICS_VARIABLE = "VERBUS_METRICS";

    private static final int REQUESTS = 1001;
    private static final int REPLIES = 1002;

    private final Work work;
    private final LocalDriver driver;
    private final AgentInvoker driverInvoker;
    private final Bus bus;

    /**
     * Last publication error. Written by the client conductor. Harmless errors while the other end
     * starts or ends are recorded, too.
     */
    private volatile String trouble = "";

    /**
     * Starts driver and client.
     *
     * @param work work to set up for.
     * @param role role of this process.
     * @param directory directory of the driver.
     */
    public VerbusStack(Work work, Role role, String directory) {
        this.work = work;
        CompletableFuture<Long> warmUp = warmUp();
        driver = work.hasDriver(role) ? launch(work, directory) : null;
        BusContext context =
                new BusContext()
                        .directoryName(directory)
                        .driverTimeout(Duration.ofNanos(LIVENESS_TIMEOUT_NS))
                        .publicationErrorHandler((publication, code, message) -> trouble = message)
                        .idleStrategy(work.driverIdle().strategy());
        driverInvoker = driver == null ? null : driver.invoker();
        if (driverInvoker != null) {
            context.driverAgentInvoker(driverInvoker);
        }
        bus = Bus.connect(context);
        warmUp.join();
    }

    /** Starts the warm-up, which runs while driver and client start. */
    private static CompletableFuture<Long> warmUp() {
        Duration time = Duration.ofMillis(Integer.getInteger(WARM_UP_PROPERTY, 0));
        if (time.isZero()) {
            return CompletableFuture.completedFuture(0L);
        }
        return CompletableFuture.supplyAsync(
                () -> Bus.warmUp(time), Thread.ofPlatform().daemon().name("warm-up")::start);
    }

    /** Launches a driver for the given work. */
    public static LocalDriver launch(Work work, String directory) {
        return launch(work, directory, settings -> {});
    }

    /**
     * Launches a driver that carries {@code aeron:udp} channels between the work's addresses over
     * its transport.
     */
    public static LocalDriver launchForAeron(Work work, String directory) {
        String networks = work.initiator() + "/32," + work.reflector() + "/32";
        return launch(
                work,
                directory,
                settings -> {
                    settings.termLength(work.termLength()).mtu(work.mtu());
                    if (work.wire() == Work.Wire.RDMA) {
                        settings.transportOption("rdma.networks", networks);
                    }
                });
    }

    private static LocalDriver launch(
            Work work, String directory, Consumer<DriverConfigBuilder> settings) {
        DriverConfigBuilder config =
                DriverConfig.builder()
                        .directory(Path.of(directory))
                        .threading(ThreadingMode.valueOf(work.threading().name()))
                        .idling(Idling.valueOf(work.driverIdle().name()))
                        .clientLivenessTimeoutNs(LIVENESS_TIMEOUT_NS)
                        .unblockTimeoutNs(2 * LIVENESS_TIMEOUT_NS);
        if (work.wire() == Work.Wire.RDMA) {
            config.transportOption("rdma.allow", work.initiator() + "," + work.reflector());
        }
        settings.accept(config);
        setOptions(config);
        String metrics = System.getenv(METRICS_VARIABLE);
        if (metrics != null) {
            config.metrics(Endpoint.parse(metrics));
        }
        MediaDriver driver = MediaDriver.launch(config.build());
        return new LocalDriver(name(), driver.invoker(), driver::close);
    }

    /** Sets the driver's options from this process's system properties. */
    private static void setOptions(DriverConfigBuilder config) {
        DriverConfigSources sources = new DriverConfigSources(config, MediaDriver.presentMedia());
        Properties properties = System.getProperties();
        for (String property : new TreeSet<>(properties.stringPropertyNames())) {
            if (property.startsWith(OPTION_PREFIX)) {
                String name = property.substring(OPTION_PREFIX.length());
                sources.set(name, properties.getProperty(property), "--driver-option " + name);
            }
        }
    }

    @Override
    public String version() {
        return name();
    }

    private static String name() {
        String version = Bus.class.getPackage().getImplementationVersion();
        return version == null ? "Verbus" : "Verbus " + version;
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        Subscription replies = bus.addSubscription(subscribed(work.initiator(), 1), REPLIES);
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
        Subscription requests = bus.addSubscription(subscribed(work.reflector(), 0), REQUESTS);
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
                        .map(taken -> poll(bus.addSubscription(channel, REQUESTS), taken))
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
            case EXCLUSIVE -> bus.addExclusivePublication(channel, streamId);
            case CONCURRENT -> bus.addPublication(channel, streamId);
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
        return new Invokers(driverInvoker, bus.conductorAgentInvoker());
    }

    @Override
    public String trouble() {
        return trouble;
    }

    private String subscribed(String address, int portOffset) {
        return work.wire() == Work.Wire.IPC
                ? "verbus:ipc"
                : "verbus:"
                        + work.wire()
                        + "?endpoint="
                        + address
                        + ":"
                        + (work.port() + portOffset);
    }

    private String published(String address, int portOffset, String from) {
        String log = "mtu=" + work.mtu() + "|term-length=" + work.termLength();
        return work.wire() == Work.Wire.IPC
                ? "verbus:ipc?" + log
                : subscribed(address, portOffset) + "|interface=" + from + "|" + log;
    }

    @Override
    public void close() {
        CloseHelper.closeAll(bus, driver);
    }
}
