// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.cnc.LatencyFile.Owner;
import io.verbus.cnc.LatencyFile.Reading;
import io.verbus.directory.DirectoryTrust;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;

class LatencyFileTest {
    private static final Owner OWNER =
            new Owner(LatencyHop.FABRIC, 7, 10, -3, "verbus:rdma?endpoint=h:1", "h:1");

    @TempDir Path folder;
    private Path path;
    private LatencyFile file;

    @BeforeEach
    void create() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        path = folder.resolve(LatencyFile.NAME);
        file = LatencyFile.create(path, () -> 42);
    }

    @AfterEach
    void close() {
        file.close();
    }

    private Reading only() {
        try (LatencyFile mapped = LatencyFile.map(path, DirectoryTrust.OWN)) {
            List<Reading> all = mapped.read();
            assertEquals(1, all.size());
            return all.getFirst();
        }
    }

    @Test
    void bucketWidthIsAtMostOneThirtySecondOfDuration() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1_000_000; i++) {
            long value = random.nextLong() >>> 28 + random.nextInt(36);
            int index = LatencyBuckets.index(value);
            long low = LatencyBuckets.lowest(index);
            long high = LatencyBuckets.highest(index);
            assertTrue(low <= value && value <= high, value + ", seed " + seed);
            assertTrue(high - low <= low / 32, value + ", seed " + seed);
        }
        assertEquals(0, LatencyBuckets.index(-1));
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.index(LatencyBuckets.HIGHEST));
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.index(Long.MAX_VALUE));
        assertEquals(LatencyBuckets.HIGHEST, LatencyBuckets.highest(LatencyBuckets.COUNT - 1));
    }

    @Test
    void recordsShortestAndLongestPossibleDuration() {
        HopRecorder recorder = file.add(OWNER);
        recorder.begin(100, 150);
        assertEquals(100, only().openSinceNs());
        recorder.end(1150, 1300, 5);
        Reading reading = only();
        assertEquals(OWNER, reading.owner());
        assertEquals(LatencyFile.NOT_OPEN, reading.openSinceNs());
        assertEquals(5, reading.last());
        assertEquals(1000, reading.least().max());
        assertEquals(1200, reading.most().max());
        assertEquals(1000, reading.least().at(50));
        assertEquals(1200, reading.most().sum());
        assertEquals(1, reading.most().count());
    }

    @Test
    void recordsNoShortestDurationWhenStartIsUnknown() {
        HopRecorder recorder = file.add(OWNER);
        recorder.begin(100, Long.MAX_VALUE);
        recorder.end(1150, 1300, 0);
        assertEquals(0, only().least().max());
        recorder.begin(100, Long.MAX_VALUE);
        recorder.startedBy(650);
        recorder.end(1150, 1300, 0);
        assertEquals(500, only().least().max());
    }

    @Test
    void recordsNothingForCancelledSample() {
        HopRecorder recorder = file.add(OWNER);
        recorder.begin(100, 100);
        recorder.cancel();
        assertEquals(0, only().most().count());
        assertEquals(LatencyFile.NOT_OPEN, only().openSinceNs());
    }

    @Test
    void clearsReusedRecord() {
        HopRecorder first = file.add(OWNER);
        first.begin(0, 0);
        first.end(10, 10, 1);
        long number = only().number();
        file.remove(first);
        assertEquals(List.of(), file.read());
        file.add(OWNER.with(LatencyHop.SENDER));
        assertEquals(number + 1, only().number());
        assertEquals(0, only().most().count());
        assertEquals(0, only().most().max());
    }

    @Test
    void returnsNoRecorderWhenFull() {
        for (int i = 0; i < LatencyFile.CAPACITY; i++) {
            assertNotNull(file.add(OWNER));
        }
        assertNull(file.add(OWNER));
        assertEquals(LatencyFile.CAPACITY, file.read().size());
    }

    @Test
    void truncatesLongTexts() {
        file.add(new Owner(LatencyHop.SENDER, 7, 1, 1, "c".repeat(1000), "p".repeat(1000)));
        assertEquals("c".repeat(252), only().owner().channel());
        assertEquals("p".repeat(92), only().owner().peer());
    }

    @Test
    void keepsDocumentedLayout() throws IOException {
        HopRecorder recorder = file.add(OWNER);
        recorder.begin(0, 0);
        recorder.end(3, 5, 9);
        try (RandomAccessFile raw = new RandomAccessFile(path.toFile(), "r")) {
            assertEquals(1, at(raw, 64));
            assertEquals(7, at(raw, 64 + 8));
            assertEquals(LatencyHop.FABRIC.ordinal() | 10L << 32, at(raw, 64 + 16));
            assertEquals(-3 & 0xFFFF_FFFFL, at(raw, 64 + 24));
            assertEquals(LatencyFile.NOT_OPEN, at(raw, 64 + 384));
            assertEquals(9, at(raw, 64 + 392));
            assertEquals(3, at(raw, 64 + 400));
            assertEquals(3, at(raw, 64 + 408));
            assertEquals(5, at(raw, 64 + 416));
            assertEquals(5, at(raw, 64 + 424));
            assertEquals(1, at(raw, 64 + 448 + 3 * 8));
            assertEquals(1, at(raw, 64 + 8640 + 5 * 8));
            assertEquals(64 + 512 * 16_832, raw.length());
        }
    }

    private static long at(RandomAccessFile raw, int offset) throws IOException {
        raw.seek(offset);
        return Long.reverseBytes(raw.readLong());
    }

    @Test
    void rejectsFileThatIsNotALatencyFile() throws IOException {
        Path other = folder.resolve("other");
        assertNull(LatencyFile.map(other, DirectoryTrust.OWN));
        Files.write(other, new byte[100]);
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-------"));
        BusException e =
                assertThrows(BusException.class, () -> LatencyFile.map(other, DirectoryTrust.OWN));
        assertTrue(e.getMessage().contains("is not a latency file"), e.getMessage());
    }
}
