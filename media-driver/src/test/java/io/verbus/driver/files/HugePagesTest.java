// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tests without huge pages; {@code HugePagesLabTest} has those with them. */
class HugePagesTest {
    @TempDir private Path folder;

    private String refusal(Path mount) {
        DriverConfigBuilder builder = DriverConfig.builder().logDirectory(mount);
        return assertThrows(BusException.class, () -> MediaDriver.launchEmbedded(builder))
                .getMessage();
    }

    @Test
    void reportsMissingMount() {
        Path absent = folder.resolve("absent");
        assertEquals(
                "the log-directory %s does not exist: create it, and mount huge pages there with"
                                .formatted(absent)
                        + " `mount -t hugetlbfs none %s`, or leave log-directory unset"
                                .formatted(absent),
                refusal(absent));
    }

    @Test
    void rejectsMountWithNonAsciiName() {
        String refusal = refusal(folder.resolve("gro\u00df"));
        assertTrue(refusal.contains("has the character '\u00df', which is not ASCII"), refusal);
        assertTrue(refusal.endsWith("choose another path with --log-directory"), refusal);
    }

    @Test
    void reportsFolderThatIsNotOnHugePages() {
        String refusal = refusal(folder);
        assertTrue(refusal.contains(folder + " is on file system "), refusal);
        assertTrue(refusal.contains("not on huge pages: mount huge pages there with"), refusal);
    }

    /** A killed driver with logs on huge pages leaves links, possibly dangling. */
    @Test
    void startsInDirectoryWithLinksToLogs() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("driver"));
        Path images = Files.createDirectory(directory.resolve("images"));
        Path publications = Files.createDirectory(directory.resolve("publications"));
        Path target = Files.createFile(folder.resolve("7.logbuffer"));
        Files.createSymbolicLink(images.resolve("7.logbuffer"), target);
        Files.createSymbolicLink(publications.resolve("8.logbuffer"), folder.resolve("nowhere"));
        DriverConfig config = DriverConfig.builder().directory(directory).build();
        MediaDriver.launch(config).close();
        assertFalse(Files.exists(directory));
        assertTrue(Files.exists(target), "what a link leads to is left alone");
    }

    @Test
    void deletesNothingInReplacedFolder() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("driver"));
        HugePages first = HugePages.make(folder, directory, 4096);
        try (HugePages second = HugePages.make(folder, directory, 4096)) {
            Path log = second.folder().path().resolve("7.logbuffer");
            Files.createFile(log);
            Files.deleteIfExists(first.folder().place("7.logbuffer"));
            first.close();
            assertTrue(Files.exists(log));
        }
        assertEquals(List.of(directory), DirectoryContent.list(folder));
    }

    @Test
    void createsSeparateFolderForEachDirectory() throws IOException {
        Path deep = Files.createDirectories(folder.resolve("a/b"));
        Path flat = Files.createDirectory(folder.resolve("a-b"));
        Path mount = Files.createDirectory(folder.resolve("mount"));
        try (HugePages first = HugePages.make(mount, deep, 4096);
                HugePages second = HugePages.make(mount, flat, 4096)) {
            assertTrue(first.folder().isInPlace());
            assertTrue(second.folder().isInPlace());
        }
    }

    @Test
    void rejectsDirectoryWithForeignLinks() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("driver"));
        Files.createSymbolicLink(directory.resolve("lock"), folder.resolve("nowhere"));
        DriverConfig config = DriverConfig.builder().directory(directory).build();
        String refusal =
                assertThrows(BusException.class, () -> MediaDriver.launch(config)).getMessage();
        assertTrue(refusal.contains("holds lock, which is not a driver's file"), refusal);
    }
}
