// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

@Timeout(120)
class VerbusExtensionTest {
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[1024]);

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }

    private static void offer(Publication publication) {
        await(() -> publication.offer(MESSAGE) > 0);
    }

    private static void poll(Subscription subscription) {
        await(() -> subscription.poll((buffer, offset, length, header) -> {}, 1) == 1);
    }

    @Nested
    class Embedded {
        @RegisterExtension
        final VerbusExtension verbus =
                VerbusExtension.embedded(
                        () ->
                                DriverConfig.builder()
                                        .threading(ThreadingMode.SHARED)
                                        .termLength(64 * 1024)
                                        .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(2)));

        @Test
        void injectsBusAndDriver(Bus bus, MediaDriver driver) {
            assertSame(bus, verbus.bus());
            assertEquals(verbus.directory(), driver.directory());
            Subscription subscription = bus.addSubscription("verbus:ipc", 10);
            offer(bus.addPublication("verbus:ipc", 10));
            poll(subscription);
        }

        @Test
        void slowSubscriberHoldsPublisherBack(Bus bus) {
            verbus.slowSubscriber("verbus:ipc", 10, Duration.ofSeconds(60));
            Publication publication = bus.addPublication("verbus:ipc", 10);
            offer(publication);
            await(() -> publication.offer(MESSAGE) == Publication.BACK_PRESSURED);
        }

        @Test
        void stoppedClientIsDropped(Bus bus) {
            Bus other = verbus.connect(new BusContext());
            other.addSubscription("verbus:ipc", 10);
            Publication publication = bus.addPublication("verbus:ipc", 10);
            offer(publication);
            verbus.expectError("client");
            verbus.stopClient(other);
            await(() -> publication.offer(MESSAGE) == Publication.NOT_CONNECTED);
            assertFalse(bus.isClosed());
            verbus.resumeClient(other);
            await(other::isClosed);
        }

        @Test
        void relayLosesDatagramsButNoMessage(Bus bus) {
            Subscription subscription = bus.addSubscription("verbus:udp?endpoint=127.0.0.1:0", 10);
            await(() -> subscription.resolvedEndpoint() != null);
            String address = subscription.resolvedEndpoint();
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            LossyRelay relay = verbus.relay(port, LossyRelay.Faults.losing(0.2));
            Publication publication =
                    bus.addPublication("verbus:udp?endpoint=127.0.0.1:" + relay.port(), 10);
            int sent = 0;
            while (sent < 100 || relay.lost() == 0) {
                offer(publication);
                poll(subscription);
                sent++;
            }
        }

        @Test
        void cannotKillEmbeddedDriver() {
            assertThrows(IllegalStateException.class, verbus::killDriver);
        }
    }

    @Nested
    class Process {
        @RegisterExtension
        final VerbusExtension verbus = VerbusExtension.process("threading=shared");

        @Test
        void busReconnectsAfterKill() {
            Bus bus =
                    verbus.connect(
                            new BusContext().reconnect(true).driverTimeout(Duration.ofSeconds(2)));
            Subscription subscription = bus.addSubscription("verbus:ipc", 10);
            Publication publication = bus.addPublication("verbus:ipc", 10);
            offer(publication);
            poll(subscription);
            final long clientId = bus.clientId();
            verbus.killDriver();
            assertNotRunning(verbus::killDriver);
            assertNotRunning(verbus::closeDriver);
            await(() -> !bus.isConnected());
            verbus.startDriver();
            await(bus::isConnected);
            assertNotEquals(clientId, bus.clientId());
            offer(publication);
            poll(subscription);
        }
    }

    @Test
    void failsTestIfDriverLogsError() throws Exception {
        VerbusExtension verbus = VerbusExtension.embedded();
        verbus.beforeEach(null);
        logError(verbus.directory(), "disk on fire");
        AssertionError failure = assertThrows(AssertionError.class, () -> verbus.afterEach(null));
        assertTrue(failure.getMessage().contains("disk on fire"), failure.getMessage());
        assertFalse(Files.exists(verbus.directory()));

        verbus.beforeEach(null);
        logError(verbus.directory(), "disk on fire");
        verbus.expectError("disk on fire");
        verbus.afterEach(null);
    }

    private static void assertNotRunning(Executable call) {
        String text = assertThrows(IllegalStateException.class, call).getMessage();
        assertEquals("the driver does not run: call startDriver", text);
    }

    @Test
    void expectsOneDriverLossPerBusAndClose() throws Exception {
        VerbusExtension verbus = VerbusExtension.embedded();
        verbus.beforeEach(null);
        Bus bus = verbus.bus();
        verbus.closeDriver();
        await(bus::isClosed);
        assertNotRunning(verbus::closeDriver);
        assertNotRunning(verbus::killDriver);
        verbus.startDriver();
        verbus.afterEach(null);
    }

    @Test
    void failsTestIfBusReportsError() throws Exception {
        VerbusExtension verbus = VerbusExtension.embedded();
        verbus.beforeEach(null);
        Bus bus = verbus.bus();
        assertThrows(IllegalStateException.class, verbus::killDriver);
        verbus.driver().close(); // behind the extension's back
        await(bus::isClosed);
        AssertionError failure = assertThrows(AssertionError.class, () -> verbus.afterEach(null));
        String text = failure.getMessage();
        assertTrue(text.startsWith("a bus reported an error: io.verbus.DriverLost"), text);
    }

    private static void logError(Path directory, String text) {
        try (CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME))) {
            new DistinctErrorLog(cnc.errorLog(), SystemEpochClock.INSTANCE)
                    .record(new IllegalStateException(text));
        }
    }
}
