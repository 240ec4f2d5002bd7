// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.DriverLostException;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Gives each test a media driver in its own new directory, and buses connected to it. After the
 * test it closes them, and fails the test if the driver's error log or a bus has recorded an error
 * that {@link #expectError} has not announced. A loss of the driver that {@link #closeDriver} or
 * {@link #killDriver} causes needs no announcement. All methods are for the test's thread.
 *
 * <pre>{@code
 * @RegisterExtension
 * final VerbusExtension verbus = VerbusExtension.embedded();
 *
 * @Test
 * void echoes(Bus bus) {
 *     Publication publication = bus.addPublication("verbus:ipc", 10);
 *     …
 * }
 * }</pre>
 *
 * <p>To let the API report misuse, run the tests with {@code -Dverbus.checks=true}.
 */
public final class VerbusExtension
        implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final String NOT_RUNNING = "the driver does not run: call startDriver";

    private final TestDriver.Launcher launcher;
    private final BusErrors busErrors = new BusErrors();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Map<Bus, StoppableIdling> idlings = new HashMap<>();
    private final List<String> expected = new ArrayList<>();

    private Path directory;
    private TestDriver driver; // null while none runs
    private Bus bus; // null until asked for

    private VerbusExtension(TestDriver.Launcher launcher) {
        this.launcher = launcher;
    }

    /** Returns an extension with an embedded driver whose agents share one thread. */
    public static VerbusExtension embedded() {
        return embedded(() -> DriverConfig.builder().threading(ThreadingMode.SHARED));
    }

    /**
     * Returns an extension with an embedded driver.
     *
     * @param settings supplies new settings for each start of a driver; their directory is
     *     replaced.
     */
    public static VerbusExtension embedded(Supplier<DriverConfigBuilder> settings) {
        return new VerbusExtension(TestDriver.embedded(settings));
    }

    /**
     * Returns an extension with a driver in its own process, which {@link #killDriver} can kill.
     *
     * @param settings settings of the driver as {@code name=value}, such as {@code
     *     threading=shared}.
     */
    public static VerbusExtension process(String... settings) {
        return new VerbusExtension(TestDriver.process(List.of(settings)));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        directory = DriverDirectory.uniquePath();
        startDriver();
    }

    /** Returns the driver's directory. */
    public Path directory() {
        return directory;
    }

    /**
     * Returns the driver.
     *
     * @throws IllegalStateException if it does not run in this process.
     */
    public MediaDriver driver() {
        MediaDriver embedded = driver == null ? null : driver.embedded();
        if (embedded == null) {
            throw new IllegalStateException(
                    driver == null
                            ? NOT_RUNNING
                            : "the driver runs in its own process: create the extension with"
                                    + " VerbusExtension.embedded()");
        }
        return embedded;
    }

    /** Returns the test's bus. */
    public Bus bus() {
        if (bus == null) {
            bus = connect(new BusContext());
        }
        return bus;
    }

    /**
     * Connects a further bus, which the extension closes after the test.
     *
     * @param settings settings; directory, error handler and idle strategy are replaced.
     */
    public Bus connect(BusContext settings) {
        StoppableIdling idling = new StoppableIdling();
        Bus connected =
                Bus.connect(
                        settings.directoryName(directory)
                                .errorHandler(busErrors.handlerOfBus())
                                .idleStrategy(idling));
        idlings.put(connected, idling);
        open.push(connected);
        return connected;
    }

    /**
     * Stops a bus's conductor, as if the client's process hung: the driver stops hearing from it,
     * and drops it after the driver's {@code client-liveness-timeout}.
     *
     * @param connected bus of this extension.
     */
    public void stopClient(Bus connected) {
        idling(connected).stop();
    }

    /** Lets a stopped bus continue. */
    public void resumeClient(Bus connected) {
        idling(connected).resume();
    }

    private StoppableIdling idling(Bus connected) {
        StoppableIdling idling = idlings.get(connected);
        if (idling == null) {
            throw new IllegalArgumentException(
                    "the bus is not of this extension: connect it with connect() or bus()");
        }
        return idling;
    }

    /** Starts a driver in the directory, after {@link #killDriver} or {@link #closeDriver}. */
    public void startDriver() {
        if (driver != null) {
            throw new IllegalStateException("the driver runs: close or kill it first");
        }
        driver = launcher.launch(directory);
    }

    /**
     * Closes the driver in order; its clients lose it. The extension expects one {@link
     * DriverLostException} of each bus.
     *
     * @throws IllegalStateException if the driver does not run.
     */
    public void closeDriver() {
        TestDriver closing = running();
        checkErrorLog();
        busErrors.expectLoss();
        closing.close();
        driver = null;
    }

    /**
     * Kills the driver's process. Its directory keeps its last state until the next start. The
     * extension expects one {@link DriverLostException} of each bus.
     *
     * @throws IllegalStateException if the driver is embedded, or does not run.
     */
    public void killDriver() {
        TestDriver killed = running();
        if (killed.embedded() == null) {
            busErrors.expectLoss();
        }
        killed.kill(); // throws if the driver is embedded
        driver = null;
    }

    private TestDriver running() {
        if (driver == null) {
            throw new IllegalStateException(NOT_RUNNING);
        }
        return driver;
    }

    /**
     * Starts a relay that impairs UDP: publish to its port instead of the subscription's.
     *
     * @param subscriptionPort port of the subscription on 127.0.0.1.
     * @param faults what the relay does to datagrams.
     * @return the relay, polled by its own thread and closed after the test.
     */
    public LossyRelay relay(int subscriptionPort, LossyRelay.Faults faults) {
        LossyRelay relay = new LossyRelay(System.nanoTime(), faults, subscriptionPort);
        open.push(relay);
        open.push(
                new Repeating(
                        "relay",
                        () -> {
                            relay.poll();
                            Repeating.pause(Duration.ofNanos(50_000));
                        },
                        busErrors::add));
        return relay;
    }

    /**
     * Starts a subscriber that is slow: it takes one fragment, and then waits.
     *
     * @param channel channel to receive from.
     * @param streamId stream to receive.
     * @param pause time to wait after each fragment.
     * @return its subscription, polled by its own thread and closed after the test.
     */
    public Subscription slowSubscriber(String channel, int streamId, Duration pause) {
        Subscription subscription = bus().addSubscription(channel, streamId);
        open.push(
                new Repeating(
                        "slow-subscriber",
                        () -> {
                            pollUnlessClosed(subscription);
                            Repeating.pause(pause);
                        },
                        busErrors::add));
        return subscription;
    }

    private static void pollUnlessClosed(Subscription subscription) {
        try {
            subscription.poll((buffer, offset, length, header) -> {}, 1);
        } catch (IllegalStateException e) {
            if (!subscription.isClosed()) { // a loss of the driver may close it during the call
                throw e;
            }
        }
    }

    /**
     * Announces errors, so that they do not fail the test.
     *
     * @param part text that occurs in each of them.
     */
    public void expectError(String part) {
        expected.add(part);
    }

    /** Returns the entries of the driver's error log that were not announced. */
    public List<String> driverErrors() {
        List<String> errors = new ArrayList<>();
        Path file = directory.resolve(CncFile.NAME);
        if (Files.exists(file)) {
            try (CncFile cnc = CncFile.map(file)) {
                ErrorLogReader.read(cnc.errorLog(), (count, first, last, text) -> errors.add(text));
            }
        }
        errors.removeIf(this::isExpected);
        return errors;
    }

    private boolean isExpected(String error) {
        return expected.stream().anyMatch(error::contains);
    }

    private void checkErrorLog() {
        List<String> errors = driverErrors();
        if (!errors.isEmpty()) {
            throw new AssertionError("the driver logged errors:\n" + String.join("\n", errors));
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        List<Throwable> failures = new ArrayList<>();
        idlings.values().forEach(StoppableIdling::resume);
        while (!open.isEmpty()) {
            attempt(failures, open.pop());
        }
        attempt(failures, this::checkErrorLog);
        if (driver != null) {
            attempt(failures, driver);
        }
        attempt(failures, () -> delete(directory));
        for (Throwable error : busErrors.unexpected()) {
            if (!isExpected(error.toString())) {
                failures.add(new AssertionError("a bus reported an error: " + error, error));
            }
        }
        forget();
        if (!failures.isEmpty()) {
            Throwable first = failures.removeFirst();
            failures.forEach(first::addSuppressed);
            if (first instanceof Exception e) {
                throw e;
            }
            throw (Error) first;
        }
    }

    private void forget() {
        busErrors.clear();
        idlings.clear();
        expected.clear();
        driver = null;
        bus = null;
    }

    private static void attempt(List<Throwable> failures, AutoCloseable step) {
        try {
            step.close();
        } catch (Exception | AssertionError e) {
            failures.add(e);
        }
    }

    private static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Bus.class || type == MediaDriver.class || type == VerbusExtension.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Bus.class ? bus() : type == MediaDriver.class ? driver() : this;
    }
}
