// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.DriverPulse;
import io.verbus.cnc.SystemCounter;
import io.verbus.directory.DirectoryTrust;
import io.verbus.driver.agent.CycleTimes;
import io.verbus.driver.agent.Draining;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.agent.DriverThreads;
import io.verbus.driver.agent.EndSignals;
import io.verbus.driver.background.HostNames;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.AuditLog;
import io.verbus.driver.files.DirectoryWatch;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.files.HugePages;
import io.verbus.driver.metrics.DriverWatch;
import io.verbus.driver.metrics.MetricsServer;
import io.verbus.driver.service.ServiceManager;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareLimits;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.ErrorReports;
import io.verbus.driver.status.ErrorSink;
import io.verbus.driver.status.LogFaults;
import io.verbus.driver.status.UnusedOptions;
import io.verbus.memory.JvmFlags;
import io.verbus.release.Release;
import io.verbus.transport.Option;
import io.verbus.transport.TransportProvider;

import org.agrona.LangUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A media driver: moves messages between the publications and subscriptions of the clients that
 * connect to its directory, on this host and with other drivers. It runs within an application
 * ({@link #launchEmbedded()}) or as a process of its own ({@code verbus driver}).
 *
 * <p>Any thread may launch and close it. In {@link ThreadingMode#INVOKER} the thread that invokes
 * must also close it.
 */
public final class MediaDriver implements AutoCloseable {
    /** Bytes of logs where the file system tells no size. */
    private static final long UNLIMITED_BYTES = 1L << 50;

    /** Time between looks whether all is sent and read. */
    private static final long LOOK_MS = 5;

    /** Time for a process to end by itself once its driver has failed. */
    private static final long HALT_MS = TimeUnit.SECONDS.toMillis(10);

    private static final int FAILED = 1;

    private final DriverConfig config;
    private final DriverDirectory directory;
    private final List<String> media;
    private final CountDownLatch end;
    private final boolean isProcess;
    private final DriverFailure failure = new DriverFailure();
    private final ErrorReports reports = new ErrorReports(failure);
    private CncFile cnc;
    private ErrorSink errors;
    private Shares shares;
    private AuditLog audit;
    private DriverThreads threads;
    private Draining draining;
    private MetricsServer metrics;
    private DirectoryWatch watch;
    private boolean isClosed;

    /** Why the driver has lost its directory, or null. Written by the first thread to see it. */
    private volatile BusException loss;

    /**
     * @param end counted down by a client that may end the driver, by a failure, or when the
     *     directory is lost.
     * @param isProcess whether the thread that awaits the end closes the driver.
     */
    private MediaDriver(
            DriverConfig config,
            List<TransportProvider> providers,
            CountDownLatch end,
            boolean isProcess) {
        this.config = config;
        this.end = end;
        this.isProcess = isProcess;
        this.directory =
                DriverDirectory.open(
                        config.directory(), config.directoryGroup(), config.directoryAccess());
        if (!config.deleteOnShutdown()) {
            directory.keep();
        }
        try {
            this.media = start(providers);
        } catch (RuntimeException | Error e) {
            try {
                close();
            } catch (RuntimeException | Error closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /**
     * Launches a driver.
     *
     * @param config its settings.
     * @return the running driver.
     * @throws BusException if its directory is in use or cannot be made, if there is too little
     *     space, if a setting of a transport is wrong, or if a thread cannot be bound to its CPU.
     */
    public static MediaDriver launch(DriverConfig config) {
        return launch(config, null);
    }

    /** Launches a driver with the given transports instead of those on the class path. */
    public static MediaDriver launch(DriverConfig config, List<TransportProvider> providers) {
        JvmFlags.check();
        return new MediaDriver(config, providers, new CountDownLatch(1), false);
    }

    /**
     * Launches a driver with the default settings, in a directory of its own, see {@link
     * #directory()}.
     */
    public static MediaDriver launchEmbedded() {
        return launchEmbedded(DriverConfig.builder());
    }

    /**
     * Launches a driver in a directory of its own, see {@link #directory()}. What embedded drivers
     * of processes that were killed have left is removed.
     *
     * @param builder with the settings; its directory is replaced.
     */
    public static MediaDriver launchEmbedded(DriverConfigBuilder builder) {
        DriverDirectory.removeAbandoned();
        return launch(builder.directory(DriverDirectory.uniquePath()).build());
    }

    /** Media of the transports that are on the class path, besides {@code ipc}. */
    public static List<String> presentMedia() {
        // What cannot be loaded is recorded when a driver is launched.
        return Transports.media(Transports.load(error -> {}));
    }

    /** Options of the transports that are on the class path, in the order of their media. */
    public static List<Option<?>> presentOptions() {
        return Transports.load(error -> {}).stream()
                .sorted(Comparator.comparing(TransportProvider::media))
                .<Option<?>>flatMap(provider -> provider.options().stream())
                .toList();
    }

    /** Versions of the protocols of the transports that are on the class path, by their media. */
    public static Map<String, String> presentProtocols() {
        Map<String, String> protocols = new TreeMap<>();
        Transports.load(error -> {}).forEach(each -> protocols.put(each.media(), each.protocol()));
        return protocols;
    }

    private List<String> start(List<TransportProvider> given) {
        CncSpec spec =
                new CncSpec(
                        ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE),
                        System.currentTimeMillis(),
                        ProcessHandle.current().pid(),
                        config.clientLivenessTimeoutNs(),
                        config.toDriverLength(),
                        config.toClientsLength(),
                        config.counterValuesLength(),
                        config.errorLogLength(),
                        !config.tetherSubscriptions());
        cnc = CncFile.create(directory.path().resolve(CncFile.NAME), spec, config.filePageLength());
        DriverClock clock = new DriverClock();
        shares = new Shares(limits());
        DriverCounters counters = new DriverCounters(cnc, clock, shares);
        DistinctErrorLog log =
                new DistinctErrorLog(
                        cnc.errorLog(), SystemEpochClock.INSTANCE, StandardCharsets.UTF_8);
        errors =
                new ErrorSink(
                        log,
                        counters.system(SystemCounter.ERRORS),
                        config.errorHandler(),
                        reports,
                        failure);
        audit = AuditLog.open(directory.path(), config.auditFile(), config.auditLength(), errors);
        List<TransportProvider> providers = given != null ? given : Transports.load(errors);
        Transports.checkOptions(providers, config.transportOptions());
        DriverParts parts =
                DriverParts.assemble(
                        config,
                        directory,
                        cnc,
                        providers,
                        clock,
                        counters,
                        config.terminable() ? end::countDown : () -> {},
                        audit,
                        errors);
        UnusedOptions.show(config.unusedOptions(), counters);
        CycleTimes cycleTimes = CycleTimes.of(config, counters);
        LogFaults faults = new LogFaults(errors);
        Conductor conductor = new Conductor(parts, faults, cycleTimes.conductor());
        draining = conductor.draining();
        threads =
                new DriverThreads(
                        config,
                        conductor,
                        new Sender(parts.transports(), parts.spied(), cycleTimes.sender()),
                        new Receiver(parts.transports(), parts.mergers(), cycleTimes.receiver()),
                        errors,
                        failure,
                        faults);
        // Started ahead: a thread may be what a failing process cannot make any more.
        Thread.ofPlatform().daemon().name("verbus-failure").start(this::awaitFailure);
        threads.start();
        if (parts.resolver() != null) {
            parts.resolver().start();
        }
        warnOfDisk();
        cnc.publish();
        if (config.metrics() != null) {
            DirectoryTrust trust = new DirectoryTrust(null, config.directoryGroup(), null);
            metrics =
                    new MetricsServer(
                            config.metrics(), new DriverWatch(directory.path(), trust), failure);
        }
        watch = DirectoryWatch.start(directory, this::onLoss, errors);
        return Transports.media(providers);
    }

    /** The watch's thread: no client can find the driver any more. */
    private void onLoss(BusException found) {
        tellLoss(found);
        end.countDown();
        // Without threads of its own the driver is closed by the thread that invokes it.
        if (!isProcess && threads.invoker() == null) {
            close();
        }
    }

    private synchronized void tellLoss(BusException found) {
        if (found != null && loss == null && !isClosed) {
            loss = found;
            if (errors != null) {
                errors.onError(found);
            }
        }
    }

    /** What clients hold, for tests that give the driver its turns. */
    Shares shares() {
        return shares;
    }

    /** How much clients may make the driver hold, of what there is. */
    private ShareLimits limits() {
        if (config.logDirectory() != null) {
            HugePages.check(config.logDirectory(), config.termLength());
        }
        int capacity = config.counterValuesLength() / CountersReader.COUNTER_LENGTH;
        ShareLimits limits = CounterShare.limits(config.shares(), capacity);
        if (config.shares().totals().getOrDefault(Share.LOG_BYTES, 0L) > 0) {
            return limits;
        }
        Path logs = config.logDirectory() == null ? directory.path() : config.logDirectory();
        try {
            long bytes = Files.getFileStore(logs).getTotalSpace();
            // 0 is a hugetlbfs that was mounted without a size: its pool of pages is the bound.
            return limits.with(Share.LOG_BYTES, bytes > 0 ? bytes : UNLIMITED_BYTES);
        } catch (IOException e) {
            throw new BusException(
                    "the size of the file system of "
                            + logs
                            + " cannot be read ("
                            + e
                            + "): set max-log-bytes",
                    e);
        }
    }

    private void warnOfDisk() {
        if (!directory.isInMemory()) {
            BusException warning =
                    new BusException(
                            "WARN: the driver directory "
                                    + directory.path()
                                    + " is on file system "
                                    + directory.fileSystem()
                                    + ", whose writeback makes latency uneven: use one on tmpfs,"
                                    + " such as /dev/shm/verbus");
            errors.onWarning(warning);
            warn(warning);
        }
    }

    private void warn(Throwable warning) {
        reports.tell(config.warningHandler(), warning);
    }

    /** Closes a driver that has failed, and tells its owner. A thread of its own. */
    private void awaitFailure() {
        try {
            if (failure.await() == null) {
                return; // closed
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        // What fails for want of memory keeps nothing that follows from its turn.
        attempt(() -> errors.onError(failed()));
        attempt(directory::keep);
        if (threads.invoker() == null) {
            attempt(this::close);
        }
        attempt(() -> config.failureHandler().onError(failed()));
        end.countDown();
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failure.error().addSuppressed(e);
        }
    }

    private BusException failed() {
        Throwable error = failure.error();
        return new BusException(
                "the driver in "
                        + directory.path()
                        + " has failed and ends, as thread "
                        + failure.where()
                        + " met "
                        + error
                        + ": start it again"
                        + (error instanceof OutOfMemoryError ? ", with a larger heap (-Xmx)" : "")
                        + "; its error log stays for `verbus errors`",
                error);
    }

    /**
     * The error that has ended the driver by itself; null while it works, and if it was closed. A
     * driver ends when one of its threads meets an {@link Error}: it logs that, closes, and tells
     * {@link DriverConfigBuilder#failureHandler}. In {@link ThreadingMode#INVOKER} the error is
     * thrown to the invoking thread, which closes the driver. Any thread.
     */
    public Throwable failure() {
        return failure.error();
    }

    /** The directory that clients connect to. */
    public Path directory() {
        return directory.path();
    }

    /** Media of the transports that the driver found, besides {@code ipc}. */
    public List<String> media() {
        return media;
    }

    /** Where the driver serves metrics and probes by HTTP, with the port; null for nowhere. */
    public Endpoint metrics() {
        return metrics == null ? null : metrics.address();
    }

    /**
     * Drives all agents of a driver that has no threads, one duty cycle a call.
     *
     * @return the invoker; null in the other threading modes.
     */
    public AgentInvoker invoker() {
        return threads.invoker();
    }

    /**
     * Lets streams arrive and be read before the driver closes. Publishers are back-pressured from
     * now on, and their streams end where they are. What an offer has accepted is sent until each
     * receiver has it; peers stop to send, and subscribers here read what has come. Clients stay
     * connected, but nothing more can be published. In {@link ThreadingMode#INVOKER}, and over
     * transports whose peers do not stop, there is nothing to wait for.
     *
     * @param timeoutNs for which is waited at most.
     * @param atOnce ends the wait when it is counted down.
     * @return streams that are not over; 0 if all is sent and read.
     */
    public int drain(long timeoutNs, CountDownLatch atOnce) throws InterruptedException {
        if (timeoutNs == 0 || threads.invoker() != null) {
            return 0;
        }
        draining.begin();
        long startNs = System.nanoTime();
        while (!draining.isDone()
                && System.nanoTime() - startNs < timeoutNs
                && !atOnce.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
            continue;
        }
        return draining.isDone() ? 0 : draining.unfinished();
    }

    /**
     * Stops the agents, unmaps all memory, and deletes the directory with all that is in it, unless
     * it has become another driver's, which the error handler is told. Clients find within a moment
     * that the driver has gone. Idempotent.
     */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        if (failure.error() == null) {
            tellLoss(directory.loss());
        }
        isClosed = true;
        failure.end();
        Throwable first = null;
        for (AutoCloseable each :
                Arrays.asList(watch, metrics, threads, audit, errors, cnc, reports, directory)) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (Exception | Error e) { // which keeps nothing else from being closed
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            LangUtil.rethrowUnchecked(first);
        }
    }

    /**
     * Runs a driver as this process's purpose: says when it is ready, and returns once the process
     * was told to end (SIGTERM, SIGINT), or a client that may has ended it, and the driver has
     * drained and closed in good order. Told again, it closes at once. If the driver fails and the
     * process does not end within ten seconds, it is halted.
     *
     * @param config its settings.
     * @param out where a line goes when the driver is ready, behind those that its transports have
     *     for whoever starts it, and the address of the metrics, if there is one.
     * @throws BusException if the driver cannot start or has failed, or its directory was deleted
     *     or taken over while it was running.
     */
    public static void run(DriverConfig config, PrintStream out) throws InterruptedException {
        HostNames.rememberNothing();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch atOnce = new CountDownLatch(1);
        EndSignals.handle(
                () -> {
                    if (end.getCount() == 0) {
                        atOnce.countDown();
                    }
                    end.countDown();
                });
        JvmFlags.check();
        MediaDriver driver = new MediaDriver(config, null, end, true);
        try (driver;
                ServiceManager manager = ServiceManager.of(System.getenv(), driver::warn)) {
            Thread.ofPlatform().daemon().name("verbus-halt").start(driver::haltOnFailure);
            // What ends the JVM in another way, such as SIGHUP.
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> end(manager, driver), "verbus-shutdown"));
            Transports.notes(config.transportOptions())
                    .forEach(note -> out.println("verbus driver: " + note));
            if (driver.metrics != null) {
                out.println("verbus driver serves http://" + driver.metrics.address() + "/metrics");
            }
            out.println(
                    "verbus driver ready: directory="
                            + driver.directory()
                            + " pid="
                            + ProcessHandle.current().pid()
                            + " media=ipc"
                            + (driver.media.isEmpty() ? "" : "," + String.join(",", driver.media))
                            + " "
                            + Release.CURRENT.text()
                            + " jdk="
                            + Release.jdk());
            out.flush();
            driver.tellReady(manager);
            end.await();
            if (driver.failure() != null) {
                throw driver.failed();
            }
            long drainNs = driver.loss == null ? config.drainTimeoutNs() : 0;
            int unfinished = driver.drain(drainNs, atOnce);
            if (unfinished > 0) {
                out.println(
                        "verbus driver: closes before all is sent and read, streams left: "
                                + (unfinished == Integer.MAX_VALUE ? "unknown" : unfinished)
                                + "; raise drain-timeout, or see who is slow with verbus streams");
                out.flush();
            }
        }
        if (driver.loss != null) {
            throw driver.loss;
        }
    }

    /** A process whose driver has failed must end, even if something keeps it from closing. */
    private void haltOnFailure() {
        try {
            if (failure.await() != null) {
                Thread.sleep(HALT_MS);
                Runtime.getRuntime().halt(FAILED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** In this order: the service manager's thread reads what the driver unmaps. */
    private static void end(ServiceManager manager, MediaDriver driver) {
        manager.close();
        driver.close();
    }

    private void tellReady(ServiceManager manager) {
        long watchdogNs = ServiceManager.watchdogNs(System.getenv());
        DriverPulse pulse =
                new DriverPulse(
                        directory.path().resolve(CncFile.NAME),
                        cnc,
                        watchdogNs / 2,
                        System.nanoTime());
        manager.ready(
                "directory " + directory.path(),
                watchdogNs,
                () -> pulse.state(System.nanoTime()) == DriverPulse.State.ALIVE);
    }

    /**
     * Runs a driver process without the command line's comforts.
     *
     * @param args properties files, and settings as {@code name=value}, which come last.
     */
    public static void main(String[] args) throws InterruptedException {
        DriverConfigSources sources =
                new DriverConfigSources(DriverConfig.builder(), presentMedia());
        for (String arg : args) {
            if (arg.indexOf('=') < 0) {
                sources.file(Path.of(arg));
            }
        }
        sources.environment(System.getenv()).properties(System.getProperties());
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (equals >= 0) {
                sources.set(arg.substring(0, equals), arg.substring(equals + 1), arg);
            }
        }
        run(sources.build(), System.out);
    }
}
