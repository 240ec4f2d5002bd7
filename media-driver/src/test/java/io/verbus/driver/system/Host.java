// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.Idling;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * A host of the lab: an embedded driver at one of the two addresses, and its clients. When it
 * closes, its error log must contain only expected errors, and its directory must be gone.
 */
final class Host implements AutoCloseable {
    /** An emulated machine may stall for seconds: no peer times out for that. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Time-out of an acknowledgement where nothing is lost: where rxe of Linux 6.1 sends again
     * because the machine was busy, connections fail now and then; see "Limits" in docs/lab.md.
     */
    private static final String ACK_TIMEOUT = System.getProperty("verbus.ack-timeout", "1s");

    /** Set by lab/strict, whose device may place writes out of order. */
    private static final String ORDER = System.getenv().getOrDefault("VERBUS_RDMA_ORDER", "trust");

    private final String address;
    private final MediaDriver driver;
    private final Counters counters;
    private final List<Bus> buses = new ArrayList<>();

    /** Drives the driver where it has no threads; otherwise null. */
    private final Thread invoking;

    private volatile boolean isClosing;

    /** Parts of errors that the driver's log may contain. */
    private final List<String> expected = new ArrayList<>(ErrorLog.OF_NETWORK);

    private final List<Throwable> clientErrors = new CopyOnWriteArrayList<>();
    private final List<String> expectedOfClients = new ArrayList<>();

    private Host(String address, MediaDriver driver) {
        this.address = address;
        this.driver = driver;
        invoking = driver.invoker() == null ? null : Thread.ofPlatform().start(this::invoke);
        counters = new Counters(driver.directory());
    }

    /** Address of the host that publishes. */
    static String addressA() {
        return System.getenv().getOrDefault("VERBUS_LAB_ADDR1", "10.77.0.1");
    }

    /** Address of the host that subscribes. */
    static String addressB() {
        return System.getenv().getOrDefault("VERBUS_LAB_ADDR2", "10.77.0.2");
    }

    static Host a() {
        return start(addressA(), builder -> {});
    }

    static Host b() {
        return start(addressB(), builder -> {});
    }

    /** Starts a host with other settings than one thread that backs off. */
    static Host start(String address, Consumer<DriverConfigBuilder> settings) {
        DriverConfigBuilder builder =
                patient().threading(ThreadingMode.SHARED).idling(Idling.BACKOFF);
        settings.accept(builder);
        return new Host(address, MediaDriver.launchEmbedded(builder));
    }

    /** Settings of a driver that tolerates a slow machine. */
    static DriverConfigBuilder patient() {
        return DriverConfig.builder()
                .clientLivenessTimeoutNs(PATIENCE.toNanos())
                .transportOption("rdma.connect-timeout", PATIENCE.toSeconds() + "s")
                .transportOption("rdma.half-open-timeout", PATIENCE.toSeconds() + "s")
                .transportOption("rdma.probe-timeout", PATIENCE.toSeconds() + "s")
                .transportOption("rdma.ack-timeout", ACK_TIMEOUT)
                .transportOption("rdma.order", ORDER)
                // Each address of the lab is alone in its subnet.
                .transportOption("rdma.allow", addressA() + "," + addressB());
    }

    /** Allows an error in the driver's log. */
    void expect(String part) {
        expected.add(part);
    }

    /** Allows an error that clients get outside of their calls. */
    void expectOfClients(String part) {
        expectedOfClients.add(part);
    }

    /** Allows lost connections, which may not reconnect at once. */
    Host expectLoss() {
        for (String part : new String[] {"is lost", "cannot connect to"}) {
            expect(part);
            expectOfClients(part);
        }
        return this;
    }

    /**
     * The channel as host A publishes to it: from its own device. Left to the kernel, the route
     * from this machine to its own address would begin at that address, and no packet would meet
     * the wire.
     */
    static String overWire(String channel) {
        return channel + "|interface=" + addressA();
    }

    /** A publication's channel as its subscription names it, without the keys of the log. */
    static String received(String channel) {
        return channel.replaceAll("\\|(term-length|mtu|interface)=[^|]*", "");
    }

    /** A channel that is received at this host. */
    String channel(int port, String... more) {
        StringBuilder channel = new StringBuilder("verbus:rdma?endpoint=");
        channel.append(address).append(':').append(port);
        for (String setting : more) {
            channel.append('|').append(setting);
        }
        return channel.toString();
    }

    Bus connect() {
        return connect(context -> {});
    }

    Bus connect(Consumer<BusContext> settings) {
        BusContext context =
                new BusContext()
                        .directoryName(driver.directory().toString())
                        .driverTimeout(PATIENCE)
                        .lingerInterval(Duration.ofSeconds(1))
                        .errorHandler(clientErrors::add);
        settings.accept(context);
        Bus bus = Bus.connect(context);
        buses.add(bus);
        return bus;
    }

    MediaDriver driver() {
        return driver;
    }

    Path directory() {
        return driver.directory();
    }

    List<String> errors() {
        return ErrorLog.read(directory());
    }

    /** Waits for an error in the driver's log, which is expected from now on. */
    String awaitError(String part) {
        expect(part);
        Await.until(
                () -> "error '" + part + "' in the log, which holds " + errors(),
                30,
                () -> errors().stream().anyMatch(error -> error.contains(part)));
        return errors().stream().filter(error -> error.contains(part)).findFirst().orElseThrow();
    }

    /** Values of the counters whose label contains the text. */
    List<Long> counters(String label) {
        return counters.values(label);
    }

    Counters counters() {
        return counters;
    }

    /** Waits until all counters with the label, and there is one, have such a value. */
    void awaitCounter(String label, LongPredicate right) {
        counters.await(label, right);
    }

    @Override
    public void close() {
        for (Bus bus : buses) {
            bus.close();
        }
        // A driver that closes while a stream ends is an error for its peer.
        awaitNone(SystemCounter.PUBLICATIONS);
        awaitNone(SystemCounter.IMAGES);
        counters.close();
        List<String> errors = errors();
        isClosing = true;
        if (invoking != null) {
            while (invoking.isAlive()) {
                Thread.onSpinWait();
            }
        }
        driver.close();
        assertFalse(Files.exists(directory()), () -> directory() + " is left behind");
        assertOnly(errors, expected, "driver at " + address);
        assertOnly(
                clientErrors.stream().map(Throwable::toString).toList(),
                expectedOfClients,
                "clients at " + address);
    }

    private void invoke() {
        IdleStrategy idle = new BackoffIdleStrategy();
        while (!isClosing) {
            idle.idle(driver.invoker().invoke());
        }
    }

    private void awaitNone(SystemCounter what) {
        Await.until(
                () -> "the end of all " + what.label() + " at " + address,
                30,
                () -> counters.system(what) == 0);
    }

    private static void assertOnly(List<String> errors, List<String> expected, String whose) {
        List<String> unexpected =
                errors.stream()
                        .filter(error -> expected.stream().noneMatch(error::contains))
                        .toList();
        assertEquals(List.of(), unexpected, () -> "unexpected errors of the " + whose);
    }
}
