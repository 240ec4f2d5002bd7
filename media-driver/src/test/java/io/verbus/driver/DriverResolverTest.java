// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.CommonContext;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Drivers of both kinds exchange their names. */
@Timeout(120)
class DriverResolverTest {
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T it) {
        open.push(it);
        return it;
    }

    private static DriverConfigBuilder config(String name, int port, int bootstrap) {
        return Drivers.config()
                .resolverName(name)
                .resolverInterface(LocalInterface.parse("0.0.0.0:" + port))
                .resolverBootstrapNeighbors(
                        bootstrap == 0 ? List.of() : List.of(new Endpoint("localhost", bootstrap)))
                .resolverNeighborTimeoutNs(TIMEOUT_NS)
                .resolverSelfIntervalNs(INTERVAL_NS)
                .resolverNeighborIntervalNs(INTERVAL_NS)
                .resolverBootstrapIntervalNs(INTERVAL_NS);
    }

    private Aeron verbus(DriverConfigBuilder config) {
        return client(opened(MediaDriver.launchEmbedded(config)).directory());
    }

    private Aeron aeron(String name, int port, int bootstrap) {
        String directory = CommonContext.generateRandomDirName();
        opened(
                io.aeron.driver.MediaDriver.launch(
                        new io.aeron.driver.MediaDriver.Context()
                                .aeronDirectoryName(directory)
                                .threadingMode(io.aeron.driver.ThreadingMode.SHARED)
                                .dirDeleteOnShutdown(true)
                                .publicationTermBufferLength(64 * 1024)
                                .resolverName(name)
                                .resolverInterface("0.0.0.0:" + port)
                                .resolverBootstrapNeighbor(
                                        bootstrap == 0 ? null : "localhost:" + bootstrap)
                                .resolverNeighborTimeoutNs(TIMEOUT_NS)
                                .resolverSelfResolutionIntervalNs(INTERVAL_NS)
                                .resolverNeighborResolutionIntervalNs(INTERVAL_NS)));
        return client(Path.of(directory));
    }

    private Aeron client(Path directory) {
        return opened(
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(directory.toString())
                                .driverTimeoutMs(Duration.ofSeconds(20).toMillis())));
    }

    private static long value(Aeron aeron, int typeId) {
        long[] value = {-1};
        CountersReader counters = aeron.countersReader();
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == typeId) {
                        value[0] = counters.getCounterValue(id);
                    }
                });
        return value[0];
    }

    private static void awaitKnown(Aeron aeron, long count) {
        Await.until(
                count + " neighbors",
                () -> value(aeron, AeronCounters.NAME_RESOLVER_NEIGHBORS_COUNTER_TYPE_ID) == count);
        Await.until(
                count + " names",
                () ->
                        value(aeron, AeronCounters.NAME_RESOLVER_CACHE_ENTRIES_COUNTER_TYPE_ID)
                                == count);
    }

    /** A publication of one driver reaches a subscription of the other by its name. */
    private static void assertReaches(Aeron from, String name, Aeron to) throws IOException {
        int port = UdpInteropTest.freePort();
        String tail = ":" + port + "|term-length=64k";
        try (Subscription subscription =
                        to.addSubscription("aeron:udp?endpoint=localhost" + tail, 10);
                Publication publication =
                        from.addPublication("aeron:udp?endpoint=" + name + tail, 10)) {
            Await.until("connected", () -> publication.isConnected() && subscription.isConnected());
        }
    }

    @Test
    void twoDriversFindEachOtherByName() throws IOException {
        int port = UdpInteropTest.freePort();
        Aeron first = verbus(config("first", port, 0));
        Aeron second = verbus(config("second", UdpInteropTest.freePort(), port));
        awaitKnown(first, 1);
        awaitKnown(second, 1);
        Await.until(
                "bootstrap",
                () ->
                        value(
                                        second,
                                        AeronCounters
                                                .NAME_RESOLVER_BOOTSTRAP_NEIGHBOR_COUNTER_TYPE_ID)
                                == 1);
        assertReaches(first, "second", second);
        assertReaches(second, "first", first);
        assertReaches(first, "first", first);
    }

    @Test
    void learnsDriversFromNeighborsAndForgetsClosedDrivers() throws Exception {
        int port = UdpInteropTest.freePort();
        Aeron first = verbus(config("first", port, 0));
        Aeron second = verbus(config("second", UdpInteropTest.freePort(), port));
        MediaDriver third =
                MediaDriver.launchEmbedded(config("third", UdpInteropTest.freePort(), port));
        try {
            awaitKnown(first, 2);
            awaitKnown(second, 2);
        } finally {
            third.close();
        }
        awaitKnown(first, 1);
        awaitKnown(second, 1);
    }

    @Test
    void findsAeronDriver() throws IOException {
        int port = UdpInteropTest.freePort();
        Aeron theirs = aeron("theirs", port, 0);
        Aeron ours = verbus(config("ours", UdpInteropTest.freePort(), port));
        awaitKnown(theirs, 1);
        awaitKnown(ours, 1);
        assertReaches(ours, "theirs", theirs);
        assertReaches(theirs, "ours", ours);
    }

    @Test
    void aeronDriverFindsVerbusDriver() throws IOException {
        int port = UdpInteropTest.freePort();
        Aeron ours = verbus(config("ours", port, 0));
        Aeron theirs = aeron("theirs", UdpInteropTest.freePort(), port);
        awaitKnown(ours, 1);
        awaitKnown(theirs, 1);
        Aeron others = aeron("others", UdpInteropTest.freePort(), port);
        awaitKnown(others, 2); // one of them through a Verbus driver
        assertReaches(ours, "theirs", theirs);
        assertReaches(theirs, "ours", ours);
    }

    @Test
    void dropsFramesOfHostsThatAreNotAllowed() throws IOException {
        int port = UdpInteropTest.freePort();
        MediaDriver guarded =
                opened(
                        MediaDriver.launchEmbedded(
                                config("guarded", port, 0)
                                        .transportOption("udp.allow", "192.0.2.0/24")));
        Aeron ours = client(guarded.directory());
        verbus(config("stranger", UdpInteropTest.freePort(), port));
        Await.until("told", () -> !Drivers.errors(guarded).isEmpty());
        assertTrue(
                Drivers.errors(guarded)
                        .getFirst()
                        .contains("resolution frames from 127.0.0.1 were dropped"),
                Drivers.errors(guarded).toString());
        assertEquals(0, value(ours, AeronCounters.NAME_RESOLVER_NEIGHBORS_COUNTER_TYPE_ID));
        assertEquals(0, value(ours, AeronCounters.NAME_RESOLVER_CACHE_ENTRIES_COUNTER_TYPE_ID));
    }

    @Test
    void countsAndIgnoresInvalidFrames() throws IOException {
        int port = UdpInteropTest.freePort();
        Aeron first = verbus(config("first", port, 0));
        try (DatagramSocket socket = new DatagramSocket()) {
            byte[] junk = new byte[100];
            junk[6] = 7;
            socket.send(
                    new DatagramPacket(junk, junk.length, InetAddress.getLoopbackAddress(), port));
            Await.until(
                    "counted",
                    () ->
                            first.countersReader()
                                            .getCounterValue(
                                                    AeronCounters.SYSTEM_COUNTER_ID_INVALID_PACKETS)
                                    == 1);
        }
        verbus(config("second", UdpInteropTest.freePort(), port));
        awaitKnown(first, 1);
    }

    @Test
    void failsToStartIfPortIsInUse() throws IOException {
        try (DatagramSocket taken = new DatagramSocket(0)) {
            BusException refused =
                    assertThrows(
                            BusException.class,
                            () ->
                                    MediaDriver.launchEmbedded(
                                            config("name", taken.getLocalPort(), 0)));
            assertTrue(
                    refused.getMessage().contains("resolver.interface=0.0.0.0:"),
                    refused.getMessage());
        }
    }

    @Test
    void isDisabledByDefault() {
        Aeron client = verbus(Drivers.config());
        assertEquals(-1, value(client, AeronCounters.NAME_RESOLVER_NEIGHBORS_COUNTER_TYPE_ID));
        DriverConfigBuilder nameless =
                Drivers.config().resolverInterface(LocalInterface.parse("0.0.0.0:0"));
        assertTrue(
                assertThrows(BusException.class, nameless::build)
                        .getMessage()
                        .contains("resolver.name is missing"));
    }
}
