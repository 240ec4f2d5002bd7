// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

class CncFileTest {
    private static final CncSpec SPEC =
            new CncSpec(
                    99, 1_700_000_000_000L, 1234, 5_000_000_000L, 65536, 32768, 16384, 8192, true);

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nameFile() {
        file = directory.resolve(CncFile.NAME);
    }

    private void createAndPublish() {
        try (CncFile cnc = CncFile.create(file, SPEC)) {
            cnc.publish();
        }
    }

    @Test
    void mapsPublishedFile() {
        try (CncFile cnc = CncFile.create(file, SPEC)) {
            cnc.publish();
            try (CncFile mapped = CncFile.map(file)) {
                assertEquals(SPEC, mapped.spec());
                List<UnsafeBuffer> created = sections(cnc);
                List<UnsafeBuffer> seen = sections(mapped);
                for (int i = 0; i < created.size(); i++) {
                    UnsafeBuffer section = created.get(i);
                    section.putLong(0, i + 1);
                    section.putLong(section.capacity() - 8, -i - 1);
                }
                for (int i = 0; i < seen.size(); i++) {
                    UnsafeBuffer section = seen.get(i);
                    assertEquals(created.get(i).capacity(), section.capacity());
                    assertEquals(i + 1, section.getLong(0));
                    assertEquals(-i - 1, section.getLong(section.capacity() - 8));
                    assertEquals(0, section.addressOffset() % Long.BYTES);
                }
            }
        }
    }

    private static List<UnsafeBuffer> sections(CncFile cnc) {
        return List.of(
                cnc.toDriver(),
                cnc.toClients(),
                cnc.counterMetadata(),
                cnc.counterValues(),
                cnc.errorLog());
    }

    /** An Aeron client maps the file as soon as it exists, and then waits only for the version. */
    @Test
    void createsFileAtFullLengthAtomically() throws Exception {
        CncSpec large =
                new CncSpec(
                        99, 1, 1234, 5_000_000_000L, 65536, 32768, 8 * 1024 * 1024, 8192, false);
        Set<Long> lengths = ConcurrentHashMap.newKeySet();
        AtomicBoolean isCreated = new AtomicBoolean();
        Thread observer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!isCreated.get()) {
                                        lengths.add(
                                                file.toFile().length()); // 0 if it does not exist
                                    }
                                });
        CncFile.create(file, large).close();
        isCreated.set(true);
        observer.join();
        lengths.remove(0L);
        assertTrue(Set.of(Files.size(file)).containsAll(lengths), lengths::toString);
    }

    @Test
    void ignoresVerbusFieldsOfOtherDrivers() throws IOException {
        createAndPublish();
        overwrite(CncFile.DRIVER_ID, new byte[8]);
        try (CncFile mapped = CncFile.map(file)) {
            assertFalse(mapped.spec().letsGo());
        }
    }

    @Test
    void doesNotOverwriteExistingFile() {
        createAndPublish();
        BusException refused = assertThrows(BusException.class, () -> CncFile.create(file, SPEC));
        assertTrue(refused.getMessage().contains("already exists"), refused.getMessage());
        try (CncFile mapped = CncFile.map(file)) {
            assertEquals(SPEC, mapped.spec());
        }
    }

    @Test
    void rejectsUnpublishedFile() {
        CncFile.create(file, SPEC).close();
        assertMessage("has no version yet: its driver is still starting");
    }

    @Test
    void rejectsMissingFile() {
        assertMessage("cannot open " + file, "start a media driver");
    }

    @Test
    void rejectsTruncatedFile() throws IOException {
        createAndPublish();
        long length = Files.size(file);
        for (long truncated : new long[] {length - 4096, 4096, 127, 0}) {
            try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
                access.setLength(truncated);
            }
            assertMessage(" " + truncated + " bytes", "truncated");
        }
    }

    @Test
    void rejectsFileOfAnotherVersion() throws IOException {
        createAndPublish();
        overwrite(CncFile.VERSION, new byte[] {7, 1, 0, 0});
        assertMessage("has version 0.1.7, but this process reads 0.2.0 and later 0.x versions");
        overwrite(CncFile.VERSION, new byte[] {0, 2, 1, 0});
        assertMessage("has version 1.2.0, but this process reads 0.2.0 and later 0.x versions");
        overwrite(CncFile.VERSION, new byte[] {0, 3, 0, 0});
        CncFile.map(file).close();
    }

    @Test
    void rejectsInvalidSizes() throws IOException {
        createAndPublish();
        byte[] all = Files.readAllBytes(file);
        for (int field :
                new int[] {
                    CncFile.TO_DRIVER_LENGTH,
                    CncFile.TO_CLIENTS_LENGTH,
                    CncFile.COUNTER_METADATA_LENGTH,
                    CncFile.COUNTER_VALUES_LENGTH,
                    CncFile.ERROR_LOG_LENGTH,
                    CncFile.PAGE_LENGTH
                }) {
            for (byte[] wrong :
                    List.of(
                            new byte[] {1, 0x40, 0, 0},
                            new byte[] {0, 0, 0, -128},
                            new byte[] {-8, -1, -1, 127},
                            new byte[] {-1, -1, -1, -1})) {
                overwrite(field, wrong);
                assertMessage("do not match its header");
            }
            Files.write(file, all);
        }
    }

    @Test
    void acceptsLaterMinorVersionsAndPageLengthZero() throws IOException {
        createAndPublish();
        overwrite(CncFile.VERSION, new byte[] {1, 3, 0, 0});
        overwrite(CncFile.PAGE_LENGTH, new byte[4]);
        try (CncFile mapped = CncFile.map(file)) {
            assertEquals(SPEC, mapped.spec());
        }
    }

    @Test
    void rejectsFileLongerThanLayoutAllows() {
        int most = 256 * 1024 * 1024;
        CncSpec spec = new CncSpec(1, 1, 1, 1, most, most, most, most, false);
        BusException refused = assertThrows(BusException.class, () -> CncFile.create(file, spec));
        assertTrue(refused.getMessage().contains("more than its layout"), refused.getMessage());
        assertFalse(Files.exists(file));
    }

    @Test
    void reportsLackOfSpaceAndLeavesNoFile() throws Exception {
        String message = LittleSpace.messageOf(CncCreation.class, file);
        assertTrue(
                message.startsWith("cannot create the driver's command-and-control file of "),
                message);
        assertTrue(message.contains("free space there or choose another"), message);
        assertFalse(Files.exists(file));
    }

    /** Program that creates the file with too little space. */
    static final class CncCreation {
        private CncCreation() {}

        public static void main(String[] args) {
            LittleSpace.report(() -> CncFile.create(Path.of(args[0]), SPEC));
        }
    }

    @Property(tries = 200)
    void rejectsRandomHeaderUnlessItFitsTheFile(
            @ForAll @IntRange(min = 0, max = 64) int from,
            @ForAll @IntRange(min = 0, max = 64) int length,
            @ForAll long seed)
            throws IOException {
        Path random = Files.createTempDirectory("verbus-cnc");
        file = random.resolve(CncFile.NAME);
        try {
            createAndPublish();
            byte[] bytes = new byte[length];
            new Random(seed).nextBytes(bytes);
            overwrite(from, bytes);
            try (CncFile mapped = CncFile.map(file)) {
                assertEquals(SPEC.toDriverLength(), mapped.spec().toDriverLength());
            } catch (BusException e) {
                assertTrue(e.getMessage().startsWith(file.toString()), e.getMessage());
            }
        } finally {
            Files.deleteIfExists(file);
            Files.delete(random);
        }
    }

    private void overwrite(int offset, byte[] bytes) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(offset);
            access.write(bytes);
        }
    }

    private void assertMessage(String... parts) {
        BusException e = assertThrows(BusException.class, () -> CncFile.map(file));
        for (String part : parts) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
        assertFalse(e.getMessage().contains("\n"), e.getMessage());
    }
}
