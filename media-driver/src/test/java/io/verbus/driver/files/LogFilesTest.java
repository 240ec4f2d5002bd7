// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

@Timeout(60)
class LogFilesTest {
    private static final int SECTION = 64 * 1024;

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
        folder = Files.createDirectory(directory.resolve(DriverDirectory.PUBLICATIONS));
        cnc =
                CncFile.create(
                        directory.resolve(CncFile.NAME),
                        new CncSpec(
                                1, 1, 1, 1_000_000_000, SECTION, SECTION, SECTION, SECTION, false));
        counters = new DriverCounters(cnc, new DriverClock(), shares);
        images =
                HeldPath.openFolder(
                        Files.createDirectory(directory.resolve(DriverDirectory.IMAGES)));
        publications = HeldPath.openFolder(folder);
        files =
                new LogFiles(
                        publications,
                        images,
                        null,
                        4096,
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
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
        publications.close();
        images.close();
        Files.delete(images.path());
        Files.delete(folder);
        Files.delete(directory.resolve(CncFile.NAME));
        Files.delete(directory);
        assertEquals(List.of(), errors);
    }

    private void publication(long id, int termLength) {
        files.publication(
                new LogSpec(LogType.CONCURRENT_PUBLICATION, id, 2, 3, 4, termLength, 1408, 0),
                id,
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
    }

    private void await(int logCount, int failureCount) {
        Await.until(
                logCount + " logs, " + failureCount + " failures",
                () -> {
                    background.tell(10);
                    return logs.size() == logCount && failures.size() == failureCount;
                });
    }

    private static long blocks(Path file) throws IOException {
        // st_blocks counts 512 bytes each.
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return Long.parseLong(new String(stat.getInputStream().readAllBytes()).trim());
    }

    @Test
    void createsAllocatedLogReadableOnlyByOwner() throws IOException {
        publication(7, 1024 * 1024);
        await(1, 0);
        Path file = logs.getFirst().file();
        assertEquals(folder.resolve("7.logbuffer"), file);
        assertEquals(3 * 1024 * 1024 + 4096, Files.size(file));
        assertTrue(blocks(file) * 512 >= Files.size(file));
        assertEquals(
                PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
        assertEquals(logs.getFirst().length(), counters.system(SystemCounter.LOG_BYTES).get());
    }

    @Test
    @Tag("soak")
    void rejectsLogThatDoesNotFitBeforeAllocating() throws IOException {
        long usable = Files.getFileStore(directory).getUsableSpace();
        int termLength = 1024 * 1024 * 1024;
        int most = (int) (usable / (3L * termLength)) + 1;
        // Reserved, although none of them may be allocated when the last is requested.
        for (int i = 0; i < most; i++) {
            publication(i, termLength);
        }
        await(most - 1, 1);
        assertTrue(
                failures.getFirst()
                        .startsWith(
                                "there is too little space at "
                                        + folder
                                        + " for a log of 3221229568 bytes: free space there"),
                failures.getFirst());
        logs.forEach(files::free);
        Await.until(
                "freed",
                () -> {
                    background.tell(10);
                    return counters.system(SystemCounter.LOG_BYTES).get() == 0;
                });
    }

    @Test
    void deletesLogFreedWhilePopulated() {
        publication(1, 64 * 1024 * 1024);
        publication(2, 64 * 1024);
        await(2, 0);
        logs.forEach(files::free);
        Await.until(
                "freed",
                () -> {
                    background.tell(10);
                    return counters.system(SystemCounter.LOG_BYTES).get() == 0;
                });
        assertFalse(Files.exists(folder.resolve("1.logbuffer")));
    }

    @Test
    void callOnLogWaitsUntilAllPagesAreResident() {
        publication(1, 16 * 1024 * 1024);
        await(1, 0);
        List<Long> resident = new ArrayList<>();
        List<RuntimeException> told = new ArrayList<>();
        files.callOn(logs.getFirst(), () -> resident.add(residentBytes()), told::add);
        Await.until(
                "told",
                () -> {
                    background.tell(10);
                    return told.size() == 1;
                });
        assertNull(told.getFirst());
        assertTrue(resident.getFirst() >= logs.getFirst().length(), resident + " bytes");
    }

    /** Bytes of the log in this process' page tables. */
    private long residentBytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/smaps"))) {
            List<String> all = lines.toList();
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i).endsWith("1.logbuffer")) {
                    while (!all.get(i).startsWith("Rss:")) {
                        i++;
                    }
                    return 1024 * Long.parseLong(all.get(i).replaceAll("[^0-9]", ""));
                }
            }
            return -1;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Otherwise an adapter that does not respond could write memory that is no longer there. */
    @Test
    void keepsMappedLogThatAdapterMayAccess() {
        publication(1, 64 * 1024);
        publication(2, 64 * 1024);
        await(2, 0);
        files.keepMapped(logs.getFirst());
        background.close();
        files.close();
        assertEquals(List.of(true, false), logs.stream().map(this::isMapped).toList());
        logs.getFirst().close();
    }

    private boolean isMapped(LogBuffers log) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            String begin = Long.toHexString(log.address()) + "-";
            return lines.anyMatch(line -> line.startsWith(begin));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void reportsAndKeepsExistingFile() throws IOException {
        Path file = Files.createFile(folder.resolve("1.logbuffer"));
        publication(1, 64 * 1024);
        await(0, 1);
        assertTrue(failures.getFirst().contains("FileAlreadyExists"), failures.getFirst());
        Files.delete(file);
    }

    /** Another driver has started after this one's directory was deleted. */
    @Test
    void leavesLogsInReplacedFolderUntouched() throws IOException {
        publication(1, 64 * 1024);
        await(1, 0);
        Path own = Files.move(folder, directory.resolve("moved"));
        Files.createDirectory(folder);
        Path others = Files.writeString(folder.resolve("1.logbuffer"), "another driver's");
        Path next = Files.writeString(folder.resolve("2.logbuffer"), "another driver's");
        publication(2, 64 * 1024);
        await(2, 0);
        assertTrue(Files.exists(own.resolve("2.logbuffer")));
        logs.forEach(files::free);
        Await.until(
                "freed",
                () -> {
                    background.tell(10);
                    return counters.system(SystemCounter.LOG_BYTES).get() == 0;
                });
        assertEquals("another driver's", Files.readString(others));
        assertEquals("another driver's", Files.readString(next));
        try (Stream<Path> left = Files.list(own)) {
            assertEquals(List.of(), left.toList());
        }
        Files.delete(others);
        Files.delete(next);
        Files.delete(own);
    }
}
