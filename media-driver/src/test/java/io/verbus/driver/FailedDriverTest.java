// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.transports.FailingTransport;
import io.verbus.driver.transports.FailingTransport.InjectedError;
import io.verbus.driver.transports.FailingTransport.Part;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** A fatal error ends the driver, and the process that ran it. */
@Timeout(120)
public class FailedDriverTest {
    @TempDir private Path folder;

    /** A driver in its own process, with the failing transport instead of RDMA. */
    private ChildProcess start(Path directory, ThreadingMode threading) throws IOException {
        ChildProcess driver =
                ChildProcess.start(
                        List.of(),
                        FailingTransport.classPath(folder),
                        MediaDriver.class,
                        "dir=" + directory,
                        "threading=" + threading.name().toLowerCase(Locale.ROOT));
        driver.awaitLine("verbus driver ready");
        return driver;
    }

    public static void trigger(Path directory, Part part) {
        try (Bus bus = Bus.connect(new BusContext().directoryName(directory.toString()))) {
            bus.addSubscription(part.channel(), 1);
        } catch (BusException e) {
            System.out.println("no answer: " + e.getMessage()); // the driver may already have ended
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CONDUCTOR,  DEDICATED",
        "SENDER,     DEDICATED",
        "RECEIVER,   DEDICATED",
        "BACKGROUND, DEDICATED",
        "CONDUCTOR,  SHARED_NETWORK",
        "SENDER,     SHARED_NETWORK",
        "RECEIVER,   SHARED_NETWORK",
        "CONDUCTOR,  SHARED",
        "SENDER,     SHARED",
        "RECEIVER,   SHARED",
        "HEAP,       DEDICATED",
        "HEAP,       SHARED"
    })
    void processExitsWithStatusAfterLoggingError(Part part, ThreadingMode threading)
            throws IOException {
        Path directory = folder.resolve("driver");
        try (ChildProcess driver = start(directory, threading)) {
            trigger(directory, part);
            assertEquals(1, driver.awaitExit());
        }
        if (part != Part.HEAP) { // which may leave no memory for a message
            String errors = Drivers.errors(directory).toString();
            assertTrue(errors.contains("injected into " + part), errors);
            assertTrue(errors.contains("has failed and is closing"), errors);
        }
        try (MediaDriver next =
                MediaDriver.launch(Drivers.config().directory(directory).build(), List.of())) {
            assertNull(next.failure());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CONDUCTOR", "SENDER", "RECEIVER", "BACKGROUND", "PREPARATION"})
    void embeddedDriverClosesAndNotifiesOwner(Part part) throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        MediaDriver driver =
                MediaDriver.launch(
                        Drivers.config()
                                .threading(ThreadingMode.DEDICATED)
                                .directory(folder.resolve("embedded"))
                                .failureHandler(told::complete)
                                .build(),
                        List.of(new FailingTransport.Provider(part == Part.PREPARATION)));
        try (driver) {
            assertNull(driver.failure());
            trigger(driver.directory(), part);
            assertTrue(told.get().getMessage().contains("injected into " + part));
            assertInstanceOf(InjectedError.class, driver.failure());
            assertSame(driver.failure(), told.get().getCause());
            // It has released its directory.
            Path directory = driver.directory();
            MediaDriver.launch(Drivers.config().directory(directory).build(), List.of()).close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CONDUCTOR", "SENDER", "RECEIVER", "BACKGROUND", "PREPARATION"})
    void throwsErrorToInvokingThread(Part part) throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        Thread client;
        try (MediaDriver driver =
                MediaDriver.launch(
                        Drivers.config()
                                .threading(ThreadingMode.INVOKER)
                                .directory(folder.resolve("invoked"))
                                .failureHandler(told::complete)
                                .build(),
                        List.of(new FailingTransport.Provider(part == Part.PREPARATION)))) {
            Thread started = Thread.ofPlatform().start(() -> trigger(driver.directory(), part));
            Error thrown =
                    assertThrows(
                            Error.class,
                            () -> {
                                Await.done("thrown", () -> driver.invoker().invoke() < 0);
                            });
            assertTrue(thrown.toString().contains("injected into " + part), thrown.toString());
            assertSame(thrown, assertThrows(Error.class, () -> driver.invoker().invoke()));
            assertSame(thrown, driver.failure());
            assertSame(thrown, told.get().getCause());
            client = started;
        }
        client.join(); // which ends when the driver closes
    }

    @Test
    void reportsNoFailureAfterNormalClose() {
        MediaDriver driver =
                MediaDriver.launch(
                        Drivers.config()
                                .directory(folder.resolve("closed"))
                                .failureHandler(
                                        failure -> {
                                            throw new AssertionError(failure);
                                        })
                                .build(),
                        List.of());
        driver.close();
        assertNull(driver.failure());
    }
}
