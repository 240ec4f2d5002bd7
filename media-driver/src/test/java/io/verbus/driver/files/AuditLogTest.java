// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

class AuditLogTest {
    private static final Path NAME = Path.of("audit.log");

    @TempDir Path directory;

    private final List<Throwable> errors = new ArrayList<>();

    private AuditLog open(Path name, long maxLength) {
        return AuditLog.open(directory, name, maxLength, errors::add);
    }

    @Test
    void writesALineForEachEventWithItsTime() throws IOException {
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
    void goesOnWhereItWas() throws IOException {
        Path file = directory.resolve("elsewhere");
        open(file, 1 << 20).close();
        try (AuditLog log = open(file, 1 << 20)) {
            log.add("one");
        }
        try (AuditLog log = open(file, 1 << 20)) {
            log.add("two");
        }
        assertEquals(2, Files.readAllLines(file).size());
        // The process' umask may take more away.
        assertTrue(
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                        .matches("rw-[r-]-----"));
    }

    @Test
    void keepsTwoFilesOfABoundedLength() throws IOException {
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
    void tellsWhyItCannotBeOpened() {
        BusException refused =
                assertThrows(BusException.class, () -> open(directory.resolve("no/folder"), 4096));
        assertTrue(refused.getMessage().contains("audit-file"), refused.getMessage());
    }

    /** A link would lead who may write the folder to any file of the driver's user. */
    @Test
    void followsNoLink() throws IOException {
        Path target = Files.createFile(directory.resolve("target"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        assertThrows(BusException.class, () -> open(link, 4096));
        assertEquals(0, Files.size(target));
    }
}
