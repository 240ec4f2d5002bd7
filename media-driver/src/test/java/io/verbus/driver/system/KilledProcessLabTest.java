// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Four processes, publisher → driver A → driver B → subscriber, one of which is killed under
 * traffic: the others notice and survive, and traffic resumes once it is restarted.
 */
@Tag("lab")
@Timeout(400)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("soak")
class KilledProcessLabTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    /** Short enough to wait for, long enough for an emulated machine. */
    private static final String[] SETTINGS = {
        "client-liveness-timeout=5s",
        "rdma.connect-timeout=30s",
        "rdma.half-open-timeout=60s",
        "rdma.probe-timeout=20s"
    };

    private static final int STREAM = 1;

    /** Errors that a driver may record about a killed or missing driver. */
    private static final List<String> LOST =
            List.of("is lost", "cannot connect to", "has restarted");

    private final Path directoryA = directory("a");
    private final Path directoryB = directory("b");
    private final String channel =
            "verbus:rdma?endpoint=" + Host.addressB() + ":24326|term-length=64k";

    @TempDir private static Path folder;

    private Set<String> before;
    private Child driverA;
    private Child driverB;
    private Child publisher;
    private Child subscriber;

    private static Path directory(String name) {
        return MEMORY.resolve("verbus-system-test-" + name + "-" + ProcessHandle.current().pid());
    }

    @BeforeAll
    void remember() {
        before = contents(MEMORY);
    }

    @BeforeEach
    void start() {
        CompletableFuture<Child> other =
                CompletableFuture.supplyAsync(() -> started(driverA, directoryA, Host.addressA()));
        try {
            driverB = started(driverB, directoryB, Host.addressB());
        } finally {
            driverA = other.join();
        }
        if (!runs(subscriber)) {
            startSubscriber();
        }
        if (!runs(publisher)) {
            startPublisher();
        }
        awaitTraffic();
    }

    private static Child started(Child driver, Path directory, String address) {
        return runs(driver) ? driver : startDriver(directory, address);
    }

    private static boolean runs(Child child) {
        return child != null && child.isAlive();
    }

    private static Child startDriver(Path directory, String address) {
        return Child.rdmaDriver(folder, directory, address, SETTINGS);
    }

    private void startPublisher() {
        publisher = Child.peer(folder, "publish", directoryA, Host.overWire(channel), STREAM);
    }

    private void startSubscriber() {
        subscriber = Child.peer(folder, "subscribe", directoryB, channel, STREAM);
    }

    private void awaitTraffic() {
        subscriber.await("read", subscriber.mark());
    }

    @Test
    void endsStreamOfKilledPublisher() {
        int mark = subscriber.mark();
        publisher.kill();
        String gone = subscriber.await("image gone", mark);
        assertTrue(gone.endsWith("read to its end"), gone);

        startPublisher();
        subscriber.await("image ", subscriber.mark());
        awaitTraffic();
        assertLogs();
    }

    @Test
    void disconnectsPublisherFromKilledSubscriber() {
        int mark = publisher.mark();
        subscriber.kill();
        publisher.await("not connected", mark);

        mark = publisher.mark();
        startSubscriber();
        publisher.await("connected", mark);
        awaitTraffic();
        assertLogs();
    }

    @Test
    void recoversFromKilledDriverOfPublisher() {
        int mark = subscriber.mark();
        driverA.kill();
        String gone = subscriber.await("image gone", mark);
        assertTrue(gone.endsWith("read to its end"), gone);
        publisher.await("driver lost");
        publisher.assertEnd(Peer.DRIVER_LOST);

        driverA = startDriver(directoryA, Host.addressA());
        mark = subscriber.mark();
        startPublisher();
        subscriber.await("image ", mark);
        awaitTraffic();
        assertLogs();
    }

    @Test
    void recoversFromKilledDriverOfSubscriber() {
        int mark = publisher.mark();
        driverB.kill();
        publisher.await("not connected", mark);
        subscriber.await("driver lost");
        subscriber.assertEnd(Peer.DRIVER_LOST);

        mark = publisher.mark();
        driverB = startDriver(directoryB, Host.addressB());
        startSubscriber();
        publisher.await("connected", mark);
        awaitTraffic();
        assertLogs();
    }

    /** Logs of drivers that were not restarted hold what earlier tests have caused, too. */
    private void assertLogs() {
        ErrorLog.assertOnly(directoryA, LOST);
        ErrorLog.assertOnly(directoryB, LOST);
    }

    @AfterAll
    void leaveNothing() {
        List<Child> clients = Stream.of(publisher, subscriber).filter(c -> c != null).toList();
        List<Child> drivers = Stream.of(driverA, driverB).filter(c -> c != null).toList();
        try {
            clients.forEach(Child::endInput);
            clients.forEach(client -> client.assertEnd(0));
            drivers.forEach(Child::terminate);
            Set<String> left = contents(MEMORY);
            left.removeAll(before);
            assertEquals(Set.of(), left);
        } finally {
            clients.forEach(Child::close);
            drivers.forEach(Child::close);
        }
    }

    private static Set<String> contents(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
