// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.SystemCounter;
import io.verbus.directory.DirectoryTrust;
import io.verbus.driver.agent.CycleTimes;
import io.verbus.driver.agent.Draining;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.agent.DriverThreads;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.AuditLog;
import io.verbus.driver.files.DirectoryWatch;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.files.HugePages;
import io.verbus.driver.metrics.DriverWatch;
import io.verbus.driver.metrics.MetricsServer;
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
import io.verbus.driver.transports.Transports;
import io.verbus.memory.JvmFlags;
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
 * The media driver. Moves messages between the publications and subscriptions of its own clients,
 * which connect to its directory, and those of other drivers' clients. Runs embedded in an
 * application ({@link #launchEmbedded()}) or as a process of its own ({@code verbus driver}).
 *
 * <p>Any thread may launch or close a driver, except that in {@link ThreadingMode#INVOKER} the
 * invoking thread must close it.
 */
public final class MediaDriver implements AutoCloseable {
    /** Number of bytes assumed to be available for logs if the file system reports no size. */
    private static final long UNLIMITED_BYTES = 1L << 50;

    /** Interval between checks whether all data has been sent and read. */
    private static final long LOOK_MS = 5;

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

    /**
     * Reason why the driver lost its directory, or null. Written by the first thread that detects
     * the loss.
     */
    private volatile BusException loss;

    /**
     * @param end latch that opens when a client ends the driver, the driver fails, or its directory
     *     is lost.
     * @param isProcess whether the thread that awaits the end of the driver also closes the driver.
     */
    MediaDriver(
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
     * @param config settings of the driver.
     * @return the running driver.
     * @throws BusException if the directory is in use or cannot be created, there is too little
     *     space, a transport setting is invalid, or a thread cannot be bound to its CPU.
     */
    public static MediaDriver launch(DriverConfig config) {
        return launch(config, null);
    }

    /** Launches a driver with the given transports instead of the transports on the class path. */
    public static MediaDriver launch(DriverConfig config, List<TransportProvider> providers) {
        JvmFlags.check();
        return new MediaDriver(config, providers, new CountDownLatch(1), false);
    }

    /**
     * Launches a driver with default settings in its own new directory; see {@link #directory()}.
     */
    public static MediaDriver launchEmbedded() {
        return launchEmbedded(DriverConfig.builder());
    }

    /**
     * Launches a driver in its own new directory; see {@link #directory()}. Also deletes
     * directories that embedded drivers of killed processes left behind.
     *
     * @param builder settings of the driver; the directory setting is replaced.
     */
    public static MediaDriver launchEmbedded(DriverConfigBuilder builder) {
        DriverDirectory.removeAbandoned();
        return launch(builder.directory(DriverDirectory.uniquePath()).build());
    }

    /** Returns the media of the transports on the class path, without {@code ipc}. */
    public static List<String> presentMedia() {
        // Load errors are recorded when a driver is launched.
        return Transports.media(Transports.load(error -> {}));
    }

    /** Returns the options of the transports on the class path, ordered by media. */
    public static List<Option<?>> presentOptions() {
        return Transports.load(error -> {}).stream()
                .sorted(Comparator.comparing(TransportProvider::media))
                .<Option<?>>flatMap(provider -> provider.options().stream())
                .toList();
    }

    /** Returns the protocol versions of the transports on the class path, by media. */
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
        // Started in advance, because a process that is failing may be unable to start a thread.
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

    /**
     * Handles the loss of the directory, after which no client can find the driver. Called by the
     * thread that watches the directory.
     */
    private void onLoss(BusException found) {
        tellLoss(found);
        end.countDown();
        // A driver without threads of its own is closed by the thread that invokes it.
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

    /** Returns the resources that clients hold. For tests that run the duty cycles themselves. */
    Shares shares() {
        return shares;
    }

    /** Returns how much of each resource clients may use. */
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
            // 0 means that hugetlbfs is mounted without a size, so only the page pool limits logs.
            return limits.with(Share.LOG_BYTES, bytes > 0 ? bytes : UNLIMITED_BYTES);
        } catch (IOException e) {
            throw new BusException(
                    "cannot read the size of the file system of "
                            + logs
                            + " ("
                            + e
                            + "): set max-log-bytes",
                    e);
        }
    }

    private void warnOfDisk() {
        BusException warning = directory.warning();
        if (warning != null) {
            errors.onWarning(warning);
            warn(warning);
        }
    }

    void warn(Throwable warning) {
        reports.tell(config.warningHandler(), warning);
    }

    /** Closes a failed driver and notifies its owner. Runs on its own thread. */
    private void awaitFailure() {
        try {
            if (failure.await() == null) {
                return; // closed
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        // Running out of memory in one step must not prevent the following steps.
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

    BusException failed() {
        Throwable error = failure.error();
        return new BusException(
                "the driver in "
                        + directory.path()
                        + " has failed and is closing: thread "
                        + failure.where()
                        + " threw "
                        + error
                        + "; print its error log with `verbus errors`, then restart the driver"
                        + (error instanceof OutOfMemoryError ? " with a larger heap (-Xmx)" : ""),
                error);
    }

    /**
     * Returns the error that ended the driver; null while it runs, or after an ordinary close. A
     * driver ends when one of its threads throws an {@link Error}: it logs the error, closes, and
     * calls {@link DriverConfigBuilder#failureHandler}. In {@link ThreadingMode#INVOKER} the error
     * is thrown to the invoking thread, which closes the driver. Thread-safe.
     */
    public Throwable failure() {
        return failure.error();
    }

    /** Waits until the driver fails; returns its error, or null if it was closed before. */
    Throwable awaitFailed() throws InterruptedException {
        return failure.await();
    }

    /** Returns why the driver lost its directory; null if it has not. Thread-safe. */
    BusException loss() {
        return loss;
    }

    CncFile cnc() {
        return cnc;
    }

    /** Returns the directory that clients connect to. */
    public Path directory() {
        return directory.path();
    }

    /** Returns the media of the transports that the driver found, without {@code ipc}. */
    public List<String> media() {
        return media;
    }

    /**
     * Returns the address and port at which the driver serves metrics and probes over HTTP; null if
     * it does not.
     */
    public Endpoint metrics() {
        return metrics == null ? null : metrics.address();
    }

    /**
     * Returns the invoker, which runs one duty cycle of all agents per call.
     *
     * @return the invoker; null in the other threading modes.
     */
    public AgentInvoker invoker() {
        return threads.invoker();
    }

    /**
     * Drains all streams before the driver closes. From now on publishers are back-pressured, and
     * their streams end at their current positions. Accepted messages are sent until every receiver
     * has them. Peers are asked to stop sending, and local subscribers read what has arrived.
     * Clients stay connected, but cannot publish. Does nothing if the timeout is 0, or in {@link
     * ThreadingMode#INVOKER}.
     *
     * @param timeoutNs maximum time to wait, in nanoseconds.
     * @param atOnce latch that ends the wait.
     * @return the number of unfinished streams; 0 if everything has been sent and read.
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
     * Stops the agents, unmaps all memory, and deletes the directory with its contents. If another
     * driver has taken over the directory, the directory is kept and the error handler is called.
     * Clients detect the end of the driver shortly afterwards. Idempotent.
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
            } catch (Exception | Error e) { // must not prevent the rest from being closed
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
     * Runs a driver in this process until the driver ends. Prints a line when the driver is ready.
     * SIGTERM, SIGINT or a permitted client ends the driver; this method returns once the driver
     * has then drained and closed. A second signal closes it without draining. If the driver fails
     * and the process does not exit within ten seconds, the process is halted.
     *
     * @param config settings of the driver.
     * @param out stream to which the transports' notes, the line that reports the driver as ready,
     *     and the address of the metrics, if any, are printed.
     * @throws BusException if the driver cannot start or has failed, or its directory was deleted
     *     or taken over while it was running.
     */
    public static void run(DriverConfig config, PrintStream out) throws InterruptedException {
        DriverProcess.run(config, out);
    }

    /**
     * Runs a driver process without the command-line interface.
     *
     * @param args properties files and {@code name=value} settings; later ones override earlier
     *     ones.
     */
    public static void main(String[] args) throws InterruptedException {
        run(DriverProcess.config(args), System.out);
    }
}
