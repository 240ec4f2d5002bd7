// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.driver.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

class AuditLogTest {
    private static final Path NAME = Path.of("audit.log");

    @TempDir Path directory;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    private AuditLog open(Path name, long maxLength) {
        return AuditLog.open(directory, name, maxLength, errors::add);
    }

    @Test
    void writesTimestampedLinePerEvent() throws IOException {
        try (AuditLog log = open(NAME, 1 << 20)) {
            log.add("admitted rdma peer=10.0.0.1:7");
            log.add("refused rdma peer=10.0.0.2:7 reason=a\nrefused \u001b[31mrdma");
        }
        List<String> lines = Files.readAllLines(directory.resolve(NAME));
        assertEquals(2, lines.size(), lines.toString());
        assertTrue(
                lines.getFirst().matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z admitted rdma peer=.*"),
                lines.getFirst());
        assertTrue(lines.getLast().endsWith("reason=a?refused ?[31mrdma"), lines.getLast());
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve(NAME))));
        assertEquals(List.of(), errors);
    }

    @Test
    void appendsToExistingFile() throws IOException {
        Path file = directory.resolve("elsewhere");
        open(file, 1 << 20).close();
        try (AuditLog log = open(file, 1 << 20)) {
            log.add("one");
        }
        try (AuditLog log = open(file, 1 << 20)) {
            log.add("two");
        }
        assertEquals(2, Files.readAllLines(file).size());
        // The process's umask may remove more permissions.
        assertTrue(
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                        .matches("rw-[r-]-----"));
    }

    @Test
    void keepsTwoFilesOfBoundedLength() throws IOException {
        try (AuditLog log = open(NAME, 4096)) {
            for (int i = 0; i < 1_000; i++) {
                log.add("x".repeat(72));
                if (i % 100 == 0) {
                    Thread.yield();
                }
            }
        }
        try (var files = Files.list(directory)) {
            List<Path> all = files.toList();
            assertEquals(2, all.size(), all.toString());
            for (Path file : all) {
                assertTrue(Files.size(file) < 4096 + 200, file + " " + Files.size(file));
            }
        }
        assertEquals(List.of(), errors);
    }

    @Test
    void keepsWritingUntilFileCanBeRenamed() throws IOException {
        Path obstacle = Files.createDirectories(directory.resolve("audit.log.1/full"));
        Path file = directory.resolve(NAME);
        int[] count = {0};
        // Longer than all waiting lines, so that they cannot cause a second renaming.
        try (AuditLog log = open(NAME, 64 * 1024)) {
            Await.until(
                    "told that it failed",
                    () -> {
                        addLines(log, count);
                        return errors.size() == 1;
                    });
            Files.delete(obstacle);
            Await.until(
                    "told that it goes on",
                    () -> {
                        addLines(log, count);
                        return errors.size() == 2;
                    });
        }
        assertTrue(errors.getFirst().getMessage().contains("cannot start a new file"));
        assertTrue(errors.getLast().getMessage().contains("continues in a new file"));
        List<String> lines = new ArrayList<>(Files.readAllLines(directory.resolve("audit.log.1")));
        lines.addAll(Files.readAllLines(file));
        int told = 0;
        for (String line : lines) {
            if (line.startsWith("lost lines=")) {
                told += Integer.parseInt(line.substring("lost lines=".length()));
            } else {
                told++;
            }
        }
        assertEquals(count[0], told);
    }

    private static void addLines(AuditLog log, int[] count) {
        for (int i = 0; i < 20; i++) {
            log.add("line " + count[0]++);
        }
    }

    @Test
    void startsNewFileAfterExternalRename() throws IOException {
        Path file = Files.createDirectory(directory.resolve("elsewhere")).resolve("log");
        Path renamed = directory.resolve("renamed");
        try (AuditLog log = open(file, 1 << 20)) {
            log.add("one");
            Await.until("written", () -> length(file) > 0);
            Files.move(file, renamed);
            log.add("two");
        }
        assertEquals(1, Files.readAllLines(renamed).size());
        assertTrue(Files.readString(file).endsWith(" two\n"));
        assertEquals(List.of(), errors);
    }

    /** As if another driver had taken over the directory. */
    @Test
    void leavesReplacedFileUntouched() throws IOException {
        Path file = directory.resolve(NAME);
        try (AuditLog log = open(NAME, 64)) {
            log.add("one");
            Await.until("written", () -> length(file) > 0);
            Files.delete(file);
            Files.writeString(file, "another driver's");
            for (int i = 0; i < 100; i++) {
                log.add("x".repeat(72));
            }
        }
        assertEquals("another driver's", Files.readString(file));
        assertFalse(Files.exists(directory.resolve("audit.log.1")));
    }

    @Test
    void reportsFailedWriteOnce() {
        try (AuditLog log = open(Path.of("/dev/full"), 1 << 20)) {
            for (int i = 0; i < 100; i++) {
                log.add("line");
            }
        }
        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.getFirst().getMessage().contains("cannot be written"));
    }

    private static long length(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void reportsFailureToOpen() {
        BusException refused =
                assertThrows(BusException.class, () -> open(directory.resolve("no/folder"), 4096));
        assertTrue(refused.getMessage().contains("audit-file"), refused.getMessage());
    }

    /**
     * With a link, anyone who can write the folder could redirect the log to any file of the
     * driver's user.
     */
    @Test
    void rejectsSymbolicLink() throws IOException {
        Path target = Files.createFile(directory.resolve("target"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        assertThrows(BusException.class, () -> open(link, 4096));
        assertEquals(0, Files.size(target));
    }
}
