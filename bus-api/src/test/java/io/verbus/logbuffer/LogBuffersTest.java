// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.cnc.LittleSpace;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;

class LogBuffersTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final LogSpec SPEC = TestLogs.spec(TERM_LENGTH, 1408, -5, 0);
    private static final long METADATA = 3L * TERM_LENGTH; // in a file of short pages

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nameFile() {
        file = directory.resolve("publication-42.log");
    }

    @Test
    void mapsCreatedLog() throws IOException {
        try (LogBuffers log = LogBuffers.create(file, SPEC);
                LogBuffers mapped = LogBuffers.map(file, false)) {
            assertEquals(SPEC, mapped.spec());
            assertEquals(LogLayout.fileLength(TERM_LENGTH), Files.size(file));
            log.term(2).putLong(TERM_LENGTH - 8, 4711);
            assertEquals(4711, mapped.term(2).getLong(TERM_LENGTH - 8));
            log.metadata().putLong(LogLayout.END_OF_STREAM, 64);
            assertEquals(64, mapped.metadata().getLong(LogLayout.END_OF_STREAM));
        }
    }

    @Test
    void createsLogInMemoryLikeOneInFile() {
        try (LogBuffers log = LogBuffers.create(file, SPEC);
                LogBuffers inMemory = LogBuffers.inMemory(SPEC)) {
            assertEquals(SPEC, inMemory.spec());
            assertEquals(log.length(), inMemory.length());
            assertEquals(log.metadata(), inMemory.metadata());
            inMemory.term(2).putLong(TERM_LENGTH - 8, 4711);
            assertEquals(LogLayout.NOT_ENDED, inMemory.metadata().getLong(LogLayout.END_OF_STREAM));
            assertNull(inMemory.file());
        }
    }

    @Test
    void createsFileForOwnerOnly() throws IOException {
        try (LogBuffers log = LogBuffers.create(file, SPEC)) {
            assertEquals(
                    PosixFilePermissions.fromString("rw-------"),
                    Files.getPosixFilePermissions(log.file()));
        }
    }

    @Test
    void doesNotOverwriteExistingLog() {
        try (LogBuffers log = LogBuffers.create(file, SPEC)) {
            log.term(0).putLong(0, 4711);
            assertMessage(() -> LogBuffers.create(file, SPEC), "already exists", "remove it");
            try (LogBuffers mapped = LogBuffers.map(file, true)) {
                assertEquals(4711, mapped.term(0).getLong(0));
            }
        }
    }

    @Test
    void rejectsMissingFile() {
        assertMessage(() -> LogBuffers.map(file, true), "cannot map the log " + file);
    }

    @Test
    void rejectsTruncatedFile() throws IOException {
        LogBuffers.create(file, SPEC).close();
        for (long length : new long[] {200703, METADATA, 4096, 1, 0}) {
            try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
                access.setLength(length);
            }
            assertMessage(() -> LogBuffers.map(file, true), file + " has " + length + " bytes");
        }
    }

    @Test
    void rejectsExtendedFile() throws IOException {
        LogBuffers.create(file, SPEC).close();
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(METADATA + 3 * 4096);
        }
        assertMessage(() -> LogBuffers.map(file, true), "truncated, damaged or not a log");
    }

    @Test
    void rejectsFileWhoseLengthContradictsItsTerms() throws IOException {
        LogBuffers.create(file, SPEC).close();
        overwrite(LogLayout.TERM_LENGTH, 2 * TERM_LENGTH);
        assertMessage(
                () -> LogBuffers.map(file, true), "the file is truncated, damaged or not a log");
    }

    /** As on huge pages, where the metadata has its own page. */
    @Test
    void acceptsFileWithLongerPages() throws IOException {
        long page = TERM_LENGTH;
        Files.createFile(file);
        try (LogBuffers created = LogBuffers.initialise(file, file, SPEC, page);
                LogBuffers mapped = LogBuffers.map(file, false)) {
            assertEquals(3L * TERM_LENGTH + page, mapped.length());
            assertEquals(SPEC.sessionId(), mapped.spec().sessionId());
            created.metadata().putLong(LogLayout.END_OF_STREAM, 77);
            assertEquals(77, mapped.metadata().getLong(LogLayout.END_OF_STREAM));
            assertEquals(
                    mapped.address() + mapped.length() - LogLayout.METADATA_LENGTH,
                    mapped.metadata().addressOffset());
        }
    }

    @Test
    void reportsDamagedMetadata() throws IOException {
        LogBuffers.create(file, SPEC).close();
        overwrite(LogLayout.MTU, 77);
        assertMessage(() -> LogBuffers.map(file, true), file + " is damaged", "MTU 77");
        overwrite(LogLayout.DEFAULT_HEADER_LENGTH, 24);
        assertMessage(
                () -> LogBuffers.map(file, true), file + " is not a supported log", "24 bytes");
        overwrite(LogLayout.DEFAULT_HEADER_LENGTH, 32);
        overwrite(LogLayout.TYPE & ~3, 7 << 8 * (LogLayout.TYPE % 4));
        assertMessage(() -> LogBuffers.map(file, true), file + " is not a supported log", "type 7");
        overwrite(LogLayout.PAGE_LENGTH, 8192);
        assertMessage(() -> LogBuffers.map(file, true), "pages of 8192");
    }

    private void overwrite(int offset, int value) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(METADATA + offset);
            access.writeInt(Integer.reverseBytes(value));
        }
    }

    @Test
    void touchesAllPagesWithoutChangingThem() {
        try (LogBuffers log = LogBuffers.create(file, SPEC)) {
            log.term(1).putLong(0, 77);
            long half = log.touch(0, TERM_LENGTH);
            assertEquals(TERM_LENGTH, half);
            long metadata = log.touch(half, 10L * TERM_LENGTH);
            assertEquals(LogLayout.metadataOffset(log.length()), metadata);
            assertEquals(log.length(), log.touch(metadata, 10L * TERM_LENGTH));
            assertEquals(77, log.term(1).getLong(0));
        }
    }

    @Test
    void keepsMappingAfterFileIsDeleted() throws IOException {
        try (LogBuffers log = LogBuffers.create(file, SPEC);
                LogBuffers mapped = LogBuffers.map(file, true)) {
            Files.delete(file);
            ConcurrentAppender appender = new ConcurrentAppender(log);
            appender.append(new UnsafeBuffer(new byte[8]), 0, 8, 0, Long.MAX_VALUE);
            LogReader reader = new LogReader(mapped, new AtomicLongPosition(), false);
            assertEquals(1, reader.poll((b, o, l, h) -> assertEquals(8, l), 10));
        }
    }

    @Test
    void rejectsWritesToReadOnlyMapping() throws Exception {
        LogBuffers.create(file, SPEC).close();
        // The store crashes the JVM, so it must run in another one.
        String output = LittleSpace.run("true", ReadOnlyStore.class, file);
        assertTrue(output.contains("mapped"), output);
        assertFalse(output.contains("stored"), output);
        try (LogBuffers log = LogBuffers.map(file, true)) {
            assertEquals(0, log.term(0).getLong(0));
        }
    }

    /** Program that writes to a log mapped read-only. */
    static final class ReadOnlyStore {
        private ReadOnlyStore() {}

        public static void main(String[] args) {
            LogBuffers log = LogBuffers.map(Path.of(args[0]), true);
            System.out.println("mapped");
            System.out.flush();
            log.term(0).putLong(0, 1);
            System.out.println("stored");
        }
    }

    @Test
    void ignoresSecondClose() {
        LogBuffers log = LogBuffers.create(file, SPEC);
        log.close();
        log.close();
    }

    @Property(tries = 200)
    void rejectsRandomMetadataUnlessItFitsTheFile(
            @ForAll @IntRange(min = 0, max = 600) int from,
            @ForAll @IntRange(min = 0, max = 40) int length,
            @ForAll long seed)
            throws IOException {
        Path folder = Files.createTempDirectory("verbus");
        Path random = folder.resolve("random.log");
        try {
            LogBuffers.create(random, SPEC).close();
            byte[] bytes = new byte[length];
            new Random(seed).nextBytes(bytes);
            try (RandomAccessFile access = new RandomAccessFile(random.toFile(), "rw")) {
                access.seek(METADATA + from);
                access.write(bytes);
            }
            try (LogBuffers log = LogBuffers.map(random, true)) {
                assertEquals(TERM_LENGTH, log.spec().termLength());
            } catch (BusException e) {
                assertTrue(e.getMessage().startsWith(random.toString()), e.getMessage());
            }
        } finally {
            Files.deleteIfExists(random);
            Files.delete(folder);
        }
    }

    private static void assertMessage(Runnable open, String... parts) {
        BusException e = assertThrows(BusException.class, open::run);
        for (String part : parts) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
        assertFalse(e.getMessage().contains("\n"), e.getMessage());
    }
}
