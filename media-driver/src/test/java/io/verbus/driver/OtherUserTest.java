// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.LossReport;
import io.verbus.driver.client.ExchangeClient;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.files.DirectoryAccess;
import io.verbus.driver.files.DirectoryLock;
import io.verbus.driver.tools.ToolRun;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;

/** Drivers and clients of two users of one host: root and nobody, so only as root. */
@Timeout(60)
class OtherUserTest {
    @TempDir private static Path classes;

    private static Nobody nobody;

    private final Path directory = Path.of("/dev/shm/verbus-accounts-" + UUID.randomUUID());

    @BeforeAll
    static void becomeTwo() throws IOException {
        assumeTrue(Nobody.isPossible(), "only root can start processes of another account");
        nobody = new Nobody(classes);
    }

    private static MediaDriver launch(DriverConfigBuilder config) {
        return MediaDriver.launch(config.build());
    }

    @Test
    void rejectsDriverOfUntrustedUser() throws Exception {
        try (ChildProcess stranger =
                nobody.start(MediaDriver.class, "dir=" + directory, "threading=shared")) {
            stranger.awaitLine("verbus driver ready");
            String refusal =
                    Drivers.refusal(() -> ExchangeClient.exchange(directory.toString(), "", ""));
            assertTrue(refusal.contains(directory + " belongs to user "), refusal);
            assertTrue(refusal.contains("directory-owner"), refusal);
            ToolRun stat = ToolRun.of("stat", "--dir", directory.toString());
            assertEquals(1, stat.status());
            assertTrue(stat.err().contains(directory + " belongs to user "), stat.err());

            assertEquals("received", ExchangeClient.exchange(directory.toString(), Nobody.ID, ""));
            String[] named = {"--dir", directory.toString(), "--directory-owner", Nobody.ID};
            assertEquals(0, ToolRun.of("stat", named).status());
            assertEquals(0, ToolRun.of("losses", named).status());
            stranger.terminate();
        }
    }

    @Test
    void reportsDeniedPermission() {
        try (MediaDriver driver = launch(Drivers.config().directory(directory));
                ChildProcess client =
                        nobody.start(ExchangeClient.class, directory.toString(), "", "");
                ChildProcess stat = nobody.start(ToolRun.class, "stat", "--dir", "" + directory)) {
            for (String refusal : new String[] {client.line(), stat.line()}) {
                assertTrue(
                        refusal.contains(
                                "permission to open "
                                        + driver.directory().resolve(CncFile.NAME)
                                        + ", in a directory of user root, is denied to user "),
                        refusal);
                assertTrue(refusal.contains("start the driver with directory-group"), refusal);
            }
        }
    }

    @Test
    void sharesDriverWithGroup() throws IOException {
        DriverConfigBuilder config =
                Drivers.config().directory(directory).directoryGroup(Nobody.ID);
        try (MediaDriver driver = launch(config)) {
            assertEquals("rwxr-x---", rights(directory));
            assertEquals("rw-rw----", rights(directory.resolve(CncFile.NAME)));
            assertEquals("rw-rw----", rights(directory.resolve(LossReport.NAME)));
            try (ChildProcess client =
                    nobody.start(ExchangeClient.class, driver.directory().toString(), "", "")) {
                assertEquals("received", client.line());
            }
            // Processes of another group must name it: root's group differs.
            String refusal =
                    Drivers.refusal(() -> ExchangeClient.exchange(directory.toString(), "", ""));
            assertTrue(refusal.contains("set this group as directory-group"), refusal);
            assertEquals("received", ExchangeClient.exchange(directory.toString(), "", Nobody.ID));
        }
    }

    @Test
    void grantsGroupReadOnlyAccess() throws IOException {
        DriverConfigBuilder config =
                Drivers.config()
                        .directory(directory)
                        .directoryGroup(Nobody.ID)
                        .directoryAccess(DirectoryAccess.READERS);
        try (MediaDriver driver = launch(config)) {
            assertEquals("rwxr-x---", rights(directory));
            for (String file : new String[] {CncFile.NAME, LossReport.NAME, "audit.log"}) {
                assertEquals("rw-r-----", rights(directory.resolve(file)), file);
            }
            try (ChildProcess stat =
                    nobody.start(ToolRun.class, "stat", "--json", "--dir", directory.toString())) {
                assertTrue(stat.awaitLine("").length() > 0);
                assertEquals(0, stat.awaitExit());
            }
            try (ChildProcess client =
                    nobody.start(ExchangeClient.class, driver.directory().toString(), "", "")) {
                String refusal = client.line();
                assertTrue(refusal.contains("is denied to user"), refusal);
            }
        }
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void rejectsDirectoryOfAnotherUser() throws IOException {
        Files.createDirectory(directory);
        try {
            Files.setAttribute(directory, "unix:uid", Integer.parseInt(Nobody.ID));
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            String refusal = Drivers.refusal(() -> launch(Drivers.config().directory(directory)));
            assertTrue(refusal.contains(directory + " belongs to user "), refusal);
            // A directory of this user that contains another user's file.
            Files.setAttribute(directory, "unix:uid", 0);
            Path lock = Files.createFile(directory.resolve(DirectoryLock.NAME));
            Files.setAttribute(lock, "unix:uid", Integer.parseInt(Nobody.ID));
            refusal = Drivers.refusal(() -> launch(Drivers.config().directory(directory)));
            assertTrue(refusal.contains(lock + " belongs to user "), refusal);
        } finally {
            Files.deleteIfExists(directory.resolve(DirectoryLock.NAME));
            Files.delete(directory);
        }
    }

    @Test
    void rejectsUnknownGroupWithoutLeavingFiles() {
        String refusal =
                Drivers.refusal(
                        () ->
                                launch(
                                        Drivers.config()
                                                .directory(directory)
                                                .directoryGroup("no-such-group")));
        assertTrue(refusal.contains("'no-such-group' (there is no such group)"), refusal);
        assertTrue(Files.notExists(directory));
    }
}
