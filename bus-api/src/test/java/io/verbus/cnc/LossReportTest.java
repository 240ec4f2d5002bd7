// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class LossReportTest {
    @TempDir Path folder;

    private static List<String> read(LossReport report) {
        List<String> entries = new ArrayList<>();
        report.forEach(
                (observations, bytes, first, last, stream, session, channel, source) ->
                        entries.add(
                                observations
                                        + " "
                                        + bytes
                                        + " "
                                        + first
                                        + "-"
                                        + last
                                        + " "
                                        + stream
                                        + "/"
                                        + session
                                        + " "
                                        + channel
                                        + " "
                                        + source));
        return entries;
    }

    @Test
    void sumsLossesByStreamAndSource() {
        Path file = folder.resolve(LossReport.NAME);
        try (LossReport writer = LossReport.create(file);
                LossReport reader = LossReport.map(file)) {
            assertEquals(List.of(), read(reader));
            assertTrue(writer.add(10, 1, "127.0.0.1:4000", "127.0.0.1:555", 1, 1408, 1000));
            assertTrue(writer.add(10, 2, "127.0.0.1:4000", "127.0.0.1:555", 1, 32, 1500));
            assertTrue(writer.add(10, 1, "127.0.0.1:4000", "127.0.0.1:555", 2, 64, 2000));
            assertTrue(writer.add(10, 1, "127.0.0.1:4000", "127.0.0.1:556", 1, 96, 2500));
            assertEquals(
                    List.of(
                            "3 1472 1000-2000 10/1 127.0.0.1:4000 127.0.0.1:555",
                            "1 32 1500-1500 10/2 127.0.0.1:4000 127.0.0.1:555",
                            "1 96 2500-2500 10/1 127.0.0.1:4000 127.0.0.1:556"),
                    read(reader));
        }
    }

    @Test
    void updatesExistingEntriesWhenFull() {
        Path file = folder.resolve(LossReport.NAME);
        try (LossReport report = LossReport.create(file)) {
            int entries = 0;
            while (report.add(1, entries, "a:1", "b:2", 1, 32, 1)) {
                entries++;
            }
            assertTrue(entries > 1000, entries + " entries");
            assertFalse(report.add(2, 0, "a:1", "b:2", 1, 32, 1));
            assertTrue(report.add(1, 0, "a:1", "b:2", 1, 32, 9));
            assertEquals(entries, read(report).size());
        }
    }

    @Test
    void rejectsFilesThatAreNotReports() throws IOException {
        Path file = folder.resolve(LossReport.NAME);
        assertThrows(BusException.class, () -> LossReport.map(file));
        Files.write(file, new byte[0]);
        BusException refused = assertThrows(BusException.class, () -> LossReport.map(file));
        assertTrue(refused.getMessage().contains("not a loss report"), refused.getMessage());
    }

    @Test
    void stopsAtDamagedEntry() throws IOException {
        Path file = folder.resolve(LossReport.NAME);
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextInt(300) + 1];
            random.nextBytes(bytes);
            for (int length = 40; length < bytes.length; length += 4) {
                bytes[length] = random.nextBoolean() ? 0 : bytes[length];
            }
            Files.write(file, bytes);
            try (LossReport report = LossReport.map(file)) {
                assertTrue(read(report).size() <= 5);
            }
        }
    }

    /** Program that creates the report with too little space. */
    static final class LossReportCreation {
        private LossReportCreation() {}

        public static void main(String[] args) {
            LittleSpace.report(() -> LossReport.create(Path.of(args[0])));
        }
    }

    @Test
    void reportsLackOfSpace() throws Exception {
        Path file = folder.resolve(LossReport.NAME);
        String message = LittleSpace.onFullFileSystem(LossReportCreation.class, file);
        assertTrue(message.contains("refused: cannot create the loss report of 1048576"), message);
        assertTrue(message.contains("bytes are free at " + file.getParent()), message);
        assertTrue(message.contains("free space there or choose another"), message);
    }
}
