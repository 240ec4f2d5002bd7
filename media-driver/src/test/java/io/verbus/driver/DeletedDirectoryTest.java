// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.tools.Verbus;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** The directory of a running driver is deleted, and another driver starts there. */
@Timeout(120)
class DeletedDirectoryTest {
    @TempDir Path parent;

    private final List<String> told = new CopyOnWriteArrayList<>();

    private Path directory() {
        return parent.resolve("driver");
    }

    private ChildProcess child() {
        ChildProcess driver =
                ChildProcess.start(
                        List.of("sh", "-c", "exec \"$@\" 2>&1", "sh"),
                        Verbus.class,
                        "driver",
                        "--dir",
                        directory().toString());
        driver.awaitLine("verbus driver ready");
        return driver;
    }

    private DriverConfig config() {
        return Drivers.config()
                .directory(directory())
                .errorHandler(error -> told.add(error.getMessage()))
                .build();
    }

    private void deleteDirectory() throws IOException {
        try (Stream<Path> files = Files.walk(directory())) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closesWithErrorWithoutHarmingNextDriver(boolean isTerminatedAtOnce) throws IOException {
        try (ChildProcess first = child();
                Bus lost = Bus.connect(context().driverLostHandler((bus, reason) -> {}))) {
            // Logs whose ids, and therefore names, the next driver reuses.
            lost.addSubscription("aeron:ipc", 1);
            lost.addPublication("aeron:ipc", 1);
            deleteDirectory();
            try (MediaDriver second = MediaDriver.launch(config());
                    Bus bus = Bus.connect(context())) {
                Subscription subscription = bus.addSubscription("aeron:ipc", 1);
                Publication publication = bus.addPublication("aeron:ipc", 1);
                Set<Path> logs = Drivers.logs(second);
                assertFalse(logs.isEmpty());
                if (isTerminatedAtOnce) {
                    first.signal("TERM");
                }
                Await.until("the end of the first driver", () -> !first.isAlive());
                first.awaitLine(
                        "verbus driver: the driver directory "
                                + directory().toRealPath()
                                + " now belongs to another driver while this driver (process id "
                                + first.pid()
                                + ") was running");
                assertNotEquals(0, first.awaitExit());
                assertEquals(logs, Drivers.logs(second));
                for (String name : List.of("lock", CncFile.NAME, "publications", "images")) {
                    assertTrue(Files.exists(directory().resolve(name)), name);
                }
                send(publication, subscription);
                try (Bus next = Bus.connect(context())) {
                    send(next.addPublication("aeron:ipc", 1), subscription);
                }
                assertEquals(List.of(), told);
            }
            assertTrue(told.isEmpty(), told.toString());
        }
        assertFalse(Files.exists(directory()));
    }

    private BusContext context() {
        return new BusContext().directoryName(directory().toString()).errorHandler(error -> {});
    }

    private static void send(Publication publication, Subscription subscription) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        Await.until("sent", () -> publication.offer(message) > 0);
        Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
    }

    @Test
    void closesWithErrorIfDirectoryIsDeleted() throws IOException {
        try (ChildProcess driver = child()) {
            deleteDirectory();
            Await.until("the end of the driver", () -> !driver.isAlive());
            String line = driver.awaitLine("verbus driver: the driver directory");
            assertTrue(line.contains(" was deleted or moved "), line);
            assertNotEquals(0, driver.awaitExit());
        }
        assertFalse(Files.exists(directory()));
    }

    @Test
    void closesEmbeddedDriverAndNotifiesOwner() throws IOException {
        MediaDriver first = MediaDriver.launch(config());
        try (Bus bus = Bus.connect(context())) {
            bus.addPublication("aeron:ipc", 1);
            deleteDirectory();
            Await.until("told", () -> told.size() == 1);
            assertTrue(told.getFirst().contains("was deleted or moved"), told.getFirst());
            Await.until("the client to lose its driver", bus::isClosed);
            // In the same process, where the first driver may not have closed yet.
            MediaDriver.launch(config()).close();
            first.close();
            assertEquals(1, told.size(), told.toString());
        } finally {
            first.close();
        }
    }
}
