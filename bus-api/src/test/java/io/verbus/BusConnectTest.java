// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

class BusConnectTest {
    @TempDir Path directory;

    private BusContext context(long timeoutMs) {
        return new BusContext()
                .directoryName(directory.toString())
                .driverTimeout(Duration.ofMillis(timeoutMs));
    }

    private void assertRefused(String... words) {
        BusException e = assertThrows(DriverTimeoutException.class, () -> Bus.connect(context(50)));
        for (String word : words) {
            assertTrue(e.getMessage().contains(word), e.getMessage());
        }
        assertFalse(e.getMessage().contains("\n"), e.getMessage());
    }

    private void overwrite(long at, byte[] bytes) throws IOException {
        try (FileChannel channel =
                FileChannel.open(directory.resolve(CncFile.NAME), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), at);
        }
    }

    @Test
    void reportsMissingDriver() {
        assertRefused("cannot connect within 50 ms", "start a media driver");
    }

    @Test
    void reportsMissingDirectory() {
        BusException e =
                assertThrows(
                        BusException.class,
                        () ->
                                Bus.connect(
                                        context(50)
                                                .directoryName(
                                                        directory.resolve("none").toString())));
        assertTrue(e.getMessage().contains("start a media driver"), e.getMessage());
    }

    @Test
    void failsImmediatelyIfPermissionsForbidConnecting() throws Exception {
        try (ScriptedDriver driver = new ScriptedDriver(directory, 1)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            long start = System.nanoTime();
            BusException e = assertThrows(BusException.class, () -> Bus.connect(context(600_000)));
            assertTrue(e.getMessage().contains("can be written to by every user"), e.getMessage());
            assertTrue(System.nanoTime() - start < 300_000_000_000L, "waited for the time-out");
            assertTrue(driver.keepalives() == 0);
        }
    }

    @Test
    void reportsOnceThatBusWaitsForDriver() {
        List<Throwable> reported = new ArrayList<>();
        assertThrows(
                DriverTimeoutException.class,
                () -> Bus.connect(context(2_000).errorHandler(reported::add)));
        assertEquals(1, reported.size(), reported.toString());
        String text = reported.getFirst().getMessage();
        assertTrue(text.startsWith("not connected yet; waiting for a media driver"), text);
        assertTrue(text.contains("start a media driver"), text);
    }

    @Test
    void reportsDeadDriver() throws Exception {
        try (ScriptedDriver dead = new ScriptedDriver(directory, 1, false)) {
            assertRefused("no heartbeat", "pid 4711", "start a media driver");
            assertTrue(dead.keepalives() == 0);
        }
    }

    @Test
    void reportsDriverThatHasShutDown() {
        try (ScriptedDriver driver = new ScriptedDriver(directory, 1)) {
            driver.leave();
            assertRefused("has been shut down", "pid 4711", "start a media driver");
        }
    }

    @Test
    void reportsDriverOfAnotherVersion() throws Exception {
        try (ScriptedDriver driver = new ScriptedDriver(directory, 1)) {
            ByteBuffer version = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
            overwrite(0, version.putInt(0, 99).array());
            assertRefused("version 0.0.99", "0.2.0 and later 0.x versions");
            assertTrue(driver.keepalives() == 0);
        }
    }

    @Test
    void reportsTruncatedFile() throws Exception {
        new ScriptedDriver(directory, 1).close();
        try (FileChannel channel =
                FileChannel.open(directory.resolve(CncFile.NAME), StandardOpenOption.WRITE)) {
            channel.truncate(8192);
            assertRefused("8192 bytes", "truncated");
            channel.truncate(10);
            assertRefused("only 10 bytes", "truncated");
        }
    }

    @Test
    void reportsFileThatIsNotACncFile() throws Exception {
        byte[] bytes = new byte[100_000];
        new Random(7).nextBytes(bytes);
        Files.write(directory.resolve(CncFile.NAME), bytes);
        assertRefused("not a driver's command-and-control file");
    }

    @Test
    void survivesRandomBytesAfterHeader() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            Files.deleteIfExists(directory.resolve(CncFile.NAME));
            new ScriptedDriver(directory, 1).close();
            byte[] bytes = new byte[100_000];
            new Random(seed).nextBytes(bytes);
            overwrite(CncFile.HEADER_LENGTH, bytes);
            try (Bus bus = Bus.connect(context(1).errorHandler(e -> {}))) {
                bus.addPublication("verbus:ipc", 1);
            } catch (BusException e) {
                assertTrue(e.getMessage().length() > 20, e.getMessage());
            }
        }
    }

    @Test
    void waitsForStartingDriver() throws Exception {
        CompletableFuture<Bus> connecting =
                CompletableFuture.supplyAsync(() -> Bus.connect(context(20_000)));
        Files.createFile(directory.resolve(CncFile.NAME));
        assertFalse(connecting.isDone());
        Files.delete(directory.resolve(CncFile.NAME));
        try (ScriptedDriver driver = new ScriptedDriver(directory, 1, false)) {
            assertFalse(connecting.isDone());
            driver.revive();
            connecting.join().close();
        }
    }

    @Test
    void rejectsNonPositiveTimeouts() {
        assertThrows(BusException.class, () -> context(0));
        assertThrows(BusException.class, () -> context(1).keepAliveInterval(Duration.ofMillis(-1)));
    }
}
