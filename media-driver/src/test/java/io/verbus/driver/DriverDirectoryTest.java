// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

class DriverDirectoryTest {
    @TempDir Path folder;

    private static String refusal(Path path) {
        return Assertions.assertThrows(BusException.class, () -> DriverDirectory.open(path))
                .getMessage();
    }

    @Test
    void createsPrivateDirectoryAndDeletesItOnClose() throws IOException {
        Path path = folder.resolve("a/driver");
        DriverDirectory directory = DriverDirectory.open(path);
        assertEquals(
                PosixFilePermissions.fromString("rwx------"), Files.getPosixFilePermissions(path));
        Files.writeString(path.resolve(CncFile.NAME), "x");
        Files.writeString(path.resolve("publications/7.logbuffer"), "x");
        directory.close();
        assertFalse(Files.exists(path));
    }

    @Test
    void removesFilesOfDeadDriver() throws IOException {
        Path path = Files.createDirectory(folder.resolve("driver"));
        Files.writeString(path.resolve("lock"), "1234\n");
        Files.writeString(path.resolve(CncFile.NAME), "x");
        Files.createDirectory(path.resolve("images"));
        Files.writeString(path.resolve("images/12.logbuffer"), "x");
        try (DriverDirectory directory = DriverDirectory.open(path)) {
            assertFalse(Files.exists(directory.path().resolve(CncFile.NAME)));
            assertFalse(Files.exists(directory.path().resolve("images/12.logbuffer")));
        }
    }

    @Test
    void rejectsDirectoryInUseAndNamesPid() {
        Path path = folder.resolve("driver");
        try (DriverDirectory directory = DriverDirectory.open(path)) {
            String text = refusal(path);
            assertTrue(text.contains("in use"), text);
            assertTrue(text.contains("process id " + ProcessHandle.current().pid()), text);
            // The attempt must not release the lock: the kernel would do so when the file is
            // closed.
            assertTrue(refusal(directory.path()).contains("in use"));
        }
        DriverDirectory.open(path).close();
    }

    /** Aeron's driver holds no lock. */
    @Test
    void rejectsDirectoryOfLiveAeronDriver() throws IOException {
        Path path = Files.createDirectory(folder.resolve("driver"));
        CncSpec spec = new CncSpec(0, 1, 4711, 1, 4096, 4096, 4096, 4096, false);
        try (CncFile cnc = CncFile.create(path.resolve(CncFile.NAME), spec)) {
            ManyToOneRingBuffer commands = new ManyToOneRingBuffer(cnc.toDriver());
            commands.consumerHeartbeatTime(System.currentTimeMillis());
            cnc.publish();
            String text = refusal(path);
            assertTrue(text.contains("another media driver with process id 4711"), text);
            assertTrue(Files.exists(path.resolve(CncFile.NAME)));
            commands.consumerHeartbeatTime(System.currentTimeMillis() - 11_000);
            DriverDirectory.open(path).close();
        }
    }

    @Test
    void rejectsDirectoryThatIsLinkOrFile() throws IOException {
        Path target = Files.createDirectory(folder.resolve("target"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        assertTrue(refusal(link).contains("is a link or a file"));
        Path file = Files.createFile(folder.resolve("file"));
        assertTrue(refusal(file).contains("is a link or a file"));
    }

    @Test
    void rejectsDirectoryWithForeignFilesWithoutDeletingAny() throws IOException {
        Path path = Files.createDirectory(folder.resolve("home"));
        Path thesis = Files.writeString(path.resolve("thesis.tex"), "x");
        Path logs = Files.createDirectory(path.resolve("publications"));
        Path log = Files.writeString(logs.resolve("1.logbuffer"), "x");
        assertTrue(refusal(path).contains("holds thesis.tex"));
        assertTrue(Files.exists(thesis) && Files.exists(log));
        Files.move(thesis, logs.resolve("thesis.tex"));
        assertTrue(refusal(path).contains("holds publications/thesis.tex"));
        assertTrue(Files.exists(logs.resolve("thesis.tex")) && Files.exists(log));
        Files.delete(logs.resolve("thesis.tex"));
        Files.delete(log);
        Files.createSymbolicLink(path.resolve(CncFile.NAME), folder.resolve("elsewhere"));
        assertTrue(refusal(path).contains("holds cnc"));
    }

    @Test
    void rejectsNonAsciiNameWithoutCreatingDirectory() {
        Path path = folder.resolve("treiber-f\u00fcr-aeron");
        assertTrue(refusal(path).contains("has the character '\u00fc', which is not ASCII"));
        assertFalse(Files.exists(path));
    }

    @Test
    void rejectedDriverKeepsPermissionsOfDirectoryInUse() throws IOException {
        Path path = folder.resolve("driver");
        String group = Files.readAttributes(folder, PosixFileAttributes.class).group().getName();
        try (DriverDirectory directory =
                DriverDirectory.open(path, group, DirectoryAccess.CLIENTS)) {
            assertTrue(refusal(directory.path()).contains("in use"));
            assertEquals(
                    PosixFilePermissions.fromString("rwxr-x---"),
                    Files.getPosixFilePermissions(path));
        }
    }

    @Test
    void deletesNothingInReplacedDirectory() throws IOException {
        Path path = folder.resolve("driver");
        DriverDirectory first = DriverDirectory.open(path);
        assertNull(first.loss());
        Files.move(path, folder.resolve("moved"));
        assertTrue(first.loss().getMessage().contains("was deleted or moved"));
        try (DriverDirectory second = DriverDirectory.open(path)) {
            assertTrue(first.loss().getMessage().contains("now belongs to another driver"));
            Path log = Files.writeString(path.resolve("images/7.logbuffer"), "x");
            first.close();
            assertNull(second.loss());
            assertTrue(Files.exists(log));
            assertTrue(refusal(path).contains("in use"));
        }
        assertFalse(Files.exists(path));
    }

    /** Only the lock was deleted: the next driver takes over the same directory. */
    @Test
    void deletesNothingInDirectoryLockedByAnotherDriver() throws IOException {
        Path path = folder.resolve("driver");
        DriverDirectory first = DriverDirectory.open(path);
        Files.delete(path.resolve("lock"));
        try (DriverDirectory second = DriverDirectory.open(path)) {
            Path log = Files.writeString(path.resolve("images/7.logbuffer"), "x");
            Path cnc = Files.writeString(path.resolve(CncFile.NAME), "x");
            first.close();
            assertNull(second.loss());
            assertTrue(Files.exists(log) && Files.exists(cnc));
        }
    }

    @Test
    void rejectsDirectoryOfAnotherUser() throws IOException {
        Path path = Files.createDirectory(folder.resolve("theirs"));
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")));
        UserPrincipal nobody =
                path.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName("nobody");
        Files.setOwner(path, nobody);
        assertTrue(refusal(path).contains("belongs to user nobody"));
    }

    @Test
    void embeddedDriversRemoveOnlyDirectoriesOfDeadDrivers() throws IOException {
        DriverDirectory live = DriverDirectory.open(DriverDirectory.uniquePath());
        Path dead = Files.createDirectory(DriverDirectory.uniquePath());
        Path young = Files.createDirectory(DriverDirectory.uniquePath());
        try {
            for (Path path : new Path[] {live.path(), dead, young}) {
                Files.writeString(path.resolve(CncFile.NAME), "x");
            }
            Files.writeString(dead.resolve("lock"), "1\n");
            Files.writeString(young.resolve("lock"), "1\n");
            FileTime old = FileTime.fromMillis(System.currentTimeMillis() - 60_000);
            Files.setLastModifiedTime(dead.resolve("lock"), old);
            Await.until( // drivers of other processes may be removing it, too
                    "removed",
                    () -> {
                        DriverDirectory.removeAbandoned();
                        return !Files.exists(dead);
                    });
            assertTrue(Files.exists(live.path().resolve(CncFile.NAME)));
            assertTrue(Files.exists(young.resolve(CncFile.NAME)));
        } finally {
            live.close();
            DriverDirectory.open(young).close();
        }
    }

    @Test
    void warnsAboutDirectoryOnDiskButServesIpc() {
        Path path = folder.resolve("disk");
        List<String> warnings = new CopyOnWriteArrayList<>();
        DriverConfig config =
                Drivers.config()
                        .directory(path)
                        .warningHandler(warning -> warnings.add(warning.getMessage()))
                        .build();
        try (MediaDriver driver =
                        MediaDriver.launch(config, List.of(new LoopTransport.Provider()));
                Bus bus = Drivers.connect(driver)) {
            Assumptions.assumeFalse(
                    Drivers.errors(driver).isEmpty(), "the folder for tests is in memory");
            Await.until("warned", () -> !warnings.isEmpty());
            assertTrue(
                    warnings.getFirst().contains("use a directory on tmpfs"), warnings.toString());
            assertEquals(warnings.size(), Drivers.errors(driver).size());
            assertEquals(0, Drivers.counter(bus, SystemCounter.ERRORS));
            Subscription subscription = bus.addSubscription("verbus:ipc", 1);
            Publication publication = bus.addPublication("verbus:ipc", 1);
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
            String text =
                    Drivers.refusal(
                            () -> bus.addSubscription("verbus:rdma?endpoint=localhost:1", 1));
            assertTrue(text.contains("where rdma cannot register memory"), text);
        }
        assertFalse(Files.exists(path));
    }
}
