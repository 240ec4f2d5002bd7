// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.SystemCounter;
import io.verbus.directory.HeldPath;
import io.verbus.driver.Await;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.background.Background;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.ShareLimits;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A log with long terms takes memory only for the parts in use, at any position of the stream. */
@Timeout(60)
class PartialRoomTest {
    private static final int SECTION = 64 * 1024;
    private static final int TERM = 128 * 1024 * 1024;
    private static final long TERMS = 3L * TERM;
    private static final long SPAN = 2 * 1024 * 1024;
    private static final int STEP = 900_000 & -32;

    private final List<Throwable> errors = new ArrayList<>();
    private final List<LogBuffers> logs = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Background background = new Background(errors::add);
    private final Shares shares = new Shares(new ShareLimits(100, Map.of()));
    private Path directory;
    private Path folder;
    private HeldPath publications;
    private HeldPath images;
    private CncFile cnc;
    private DriverCounters counters;
    private LogFiles files;

    @BeforeEach
    void open() throws IOException {
        directory = Files.createDirectory(DriverDirectory.uniquePath());
        folder = Files.createDirectory(directory.resolve(DriverDirectory.IMAGES));
        cnc =
                CncFile.create(
                        directory.resolve(CncFile.NAME),
                        new CncSpec(
                                1, 1, 1, 1_000_000_000, SECTION, SECTION, SECTION, SECTION, false));
        counters = new DriverCounters(cnc, new DriverClock(), shares);
        images = HeldPath.openFolder(folder);
        publications =
                HeldPath.openFolder(
                        Files.createDirectory(directory.resolve(DriverDirectory.PUBLICATIONS)));
        open(LogLayout.MIN_PAGE_LENGTH);
    }

    private void open(long pageLength) {
        files =
                new LogFiles(
                        publications,
                        images,
                        null,
                        pageLength,
                        0,
                        background,
                        counters,
                        shares,
                        errors::add);
    }

    @AfterEach
    void close() throws IOException {
        background.close();
        files.close();
        cnc.close();
        publications.close();
        images.close();
        Files.delete(publications.path());
        Files.delete(folder);
        Files.delete(directory.resolve(CncFile.NAME));
        Files.delete(directory);
        assertEquals(List.of(), errors);
        assertEquals(List.of(), failures);
    }

    private LogBuffers image(int termLength, long position) {
        files.image(
                new LogSpec(LogType.IMAGE, 7, 2, 3, 4, termLength, 1408, position),
                SPAN,
                "a host",
                new LogReceiver() {
                    @Override
                    public void onLog(LogBuffers log) {
                        logs.add(log);
                    }

                    @Override
                    public void onFailure(CommandException failure) {
                        failures.add(failure.getMessage());
                    }
                });
        await("a log", () -> logs.size() + failures.size() == 1);
        return logs.getFirst();
    }

    private void await(String what, BooleanSupplier condition) {
        Await.until(
                what,
                () -> {
                    background.tell(10);
                    return condition.getAsBoolean();
                });
    }

    private static long taken(LogBuffers log) throws IOException {
        // st_blocks counts 512 bytes each.
        Process stat = new ProcessBuilder("stat", "-c", "%b", log.file().toString()).start();
        return 512 * Long.parseLong(new String(stat.getInputStream().readAllBytes()).trim());
    }

    private void assertLittleIsTaken(LogBuffers log) throws IOException {
        long most = SPAN + 2 * LogCreation.SLICE + LogLayout.METADATA_LENGTH;
        long taken = taken(log);
        assertTrue(taken <= most, taken + " bytes taken");
    }

    @ParameterizedTest
    @ValueSource(ints = {LogLayout.MIN_PAGE_LENGTH, LogLayout.MAX_PAGE_LENGTH})
    void allocatesFirstPartOfLongestLog(int pageLength) throws IOException {
        open(pageLength);
        LogBuffers log = image(LogLayout.MAX_TERM_LENGTH, 0);
        assertEquals(
                LogLayout.fileLength(LogLayout.MAX_TERM_LENGTH, pageLength),
                Files.size(log.file()));
        assertEquals(SPAN, log.room().end());
        assertLittleIsTaken(log);
    }

    @Test
    void allocationFollowsStreamPosition() throws IOException {
        long position = TERM - STEP;
        LogBuffers log = image(TERM, position);
        long end = position + TERMS + TERM;
        while (position < end) {
            long from = position;
            assertTrue(log.room().end() >= from + SPAN - LogLayout.MIN_PAGE_LENGTH);
            int offset = LogLayout.termOffset(from, TERM);
            int length = Math.min(STEP, TERM - offset);
            int partition = (int) (from / TERM % 3);
            assertEquals(0, log.term(partition).getLong(offset), "is zero when it is used again");
            log.term(partition).setMemory(offset, length, (byte) 0xEE);
            position += length;
            long reached = position;
            log.term(partition).setMemory(offset, length, (byte) 0);
            log.room().hold(reached, reached + SPAN);
            await(
                    "room",
                    () -> {
                        log.room().hold(reached, reached + SPAN);
                        return log.room().end() >= reached + SPAN;
                    });
        }
        long last = position;
        await(
                "given back",
                () -> {
                    log.room().hold(last, last + SPAN);
                    try {
                        return taken(log) <= SPAN + 2 * LogCreation.SLICE;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertLittleIsTaken(log);
    }

    /** It is ready with its first part, so that a stream can start at once. */
    @Test
    void allocatesRestOfShortTermsLater() throws IOException {
        LogBuffers log = image(16 * 1024 * 1024, 20 * 1024 * 1024);
        assertTrue(log.room().end() < 20 * 1024 * 1024 + log.termsLength(), "not all at first");
        await("all", () -> log.room().end() == Long.MAX_VALUE);
        assertTrue(taken(log) >= log.length());
        assertEquals(0, log.metadata().getInt(LogLayout.PARTIAL));
        log.room().hold(100 * 1024 * 1024, 101 * 1024 * 1024);
        background.tell(10);
        assertTrue(taken(log) >= log.length(), "nothing is given back");
    }

    @Test
    void allocatesShortLogCompletely() throws IOException {
        LogBuffers log = image(64 * 1024, 0);
        assertEquals(Long.MAX_VALUE, log.room().end());
        assertTrue(taken(log) >= log.length());
    }

    @Test
    void freesLogDuringAllocation() {
        LogBuffers log = image(LogLayout.MAX_TERM_LENGTH, 0);
        log.room().hold(0, 64 * 1024 * 1024);
        files.free(log);
        await("freed", () -> counters.system(SystemCounter.LOG_BYTES).get() == 0);
    }
}
