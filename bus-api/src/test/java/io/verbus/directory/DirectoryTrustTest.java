// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Tests that involve other accounts need root, so they run only as root, as in CI. */
class DirectoryTrustTest {
    /** The id of the account nobody, whatever its name. */
    private static final int STRANGER = 65534;

    @TempDir private Path folder;
    private Path directory;
    private Path file;

    @BeforeEach
    void makeADirectory() throws IOException {
        directory = Files.createDirectory(folder.resolve("driver"));
        mode(directory, "rwx------");
        file = write(directory.resolve("cnc"), "ours");
    }

    private static Path write(Path file, String text) throws IOException {
        Files.writeString(file, text);
        mode(file, "rw-------");
        return file;
    }

    private static void mode(Path path, String rights) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
    }

    private static boolean isRoot() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    }

    private static void own(Path path, String attribute, int id) throws IOException {
        Files.setAttribute(path, "unix:" + attribute, id, LinkOption.NOFOLLOW_LINKS);
    }

    private String read(DirectoryTrust trust, Path path) throws IOException {
        try (FileChannel channel = trust.open(directory, path, true)) {
            ByteBuffer bytes = ByteBuffer.allocate(16);
            channel.read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
        }
    }

    private void assertRefused(DirectoryTrust trust, Path path, String... words) {
        String message = assertThrows(BusException.class, () -> read(trust, path)).getMessage();
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
        assertFalse(message.contains("\n"), message);
    }

    @Test
    void opensFilesOfCurrentUser() throws IOException {
        assertEquals("ours", read(DirectoryTrust.OWN, Path.of("cnc")));
        assertEquals("ours", read(DirectoryTrust.OWN, file));
        Path below = Files.createDirectory(directory.resolve("images"));
        write(below.resolve("7.log"), "image");
        assertEquals("image", read(DirectoryTrust.OWN, Path.of("images/7.log")));
    }

    @Test
    void reportsMissingFile() {
        assertThrows(
                NoSuchFileException.class, () -> read(DirectoryTrust.OWN, Path.of("absent.log")));
    }

    @Test
    void rejectsWorldWritableFiles() throws IOException {
        mode(file, "rw-rw-rw-");
        assertRefused(DirectoryTrust.OWN, file, file + " can be written to by every user");
        mode(file, "rw-------");
        mode(directory, "rwxrwxrwx");
        assertRefused(DirectoryTrust.OWN, file, directory + " can be written to by every user");
        Path below = Files.createDirectory(directory.resolve("images"));
        mode(directory, "rwx------");
        mode(below, "rwxrwxrwx");
        write(below.resolve("7.log"), "image");
        assertRefused(DirectoryTrust.OWN, Path.of("images/7.log"), below + " can be written to");
    }

    @Test
    void acceptsWorldReadableFiles() throws IOException {
        mode(directory, "rwxr-xr-x");
        mode(file, "rw-r--r--");
        assertEquals("ours", read(DirectoryTrust.OWN, file));
    }

    @Test
    void acceptsFilesWritableByOwnGroup() throws IOException {
        mode(directory, "rwxrwx---");
        mode(file, "rw-rw----");
        assertEquals("ours", read(DirectoryTrust.OWN, file));
    }

    @Test
    void acceptsFilesWritableByConfiguredGroup() throws IOException {
        assumeTrue(isRoot(), "only root gives files to any group");
        own(file, "gid", STRANGER);
        assertEquals("ours", read(DirectoryTrust.OWN, file), "the group may not write");
        mode(file, "rw-rw----");
        assertRefused(DirectoryTrust.OWN, file, "written to by group", "as directory-group");
        DirectoryTrust named = new DirectoryTrust(null, Integer.toString(STRANGER), null);
        assertEquals("ours", read(named, file));
        assertRefused(
                new DirectoryTrust(null, "no-such-group", null),
                file,
                "the directory-group 'no-such-group' is not a group of this host");
    }

    @Test
    void rejectsDirectoryOfAnotherUserUnlessConfigured() throws IOException {
        assumeTrue(isRoot(), "only root gives directories away");
        DirectoryTrust named = new DirectoryTrust(Integer.toString(STRANGER), null, null);
        own(directory, "uid", STRANGER);
        assertRefused(
                DirectoryTrust.OWN, file, directory + " belongs to user", "as directory-owner");
        assertEquals("ours", read(named, file));
        own(directory, "uid", 0);
        own(file, "uid", STRANGER);
        assertRefused(DirectoryTrust.OWN, file, file + " belongs to user");
        assertEquals("ours", read(named, file));
        assertRefused(
                new DirectoryTrust("no-such-user", null, null),
                file,
                "the directory-owner 'no-such-user' is not a user of this host");
    }

    @Test
    void rejectsDirectoryLinkedByAnotherUser() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), directory);
        Path target = directory;
        directory = link;
        assertEquals("ours", read(DirectoryTrust.OWN, Path.of("cnc")));
        assumeTrue(isRoot(), "only root gives links away");
        own(link, "uid", STRANGER);
        assertRefused(DirectoryTrust.OWN, Path.of("cnc"), link + " belongs to user");
        directory = target;
        assertEquals("ours", read(DirectoryTrust.OWN, Path.of("cnc")));
    }

    @Test
    void rejectsFilesOutsideTheDirectory() throws IOException {
        Path elsewhere = write(folder.resolve("secret"), "secret");
        assertRefused(DirectoryTrust.OWN, elsewhere, elsewhere + " is neither in the driver");
        assertRefused(DirectoryTrust.OWN, Path.of("../secret"), elsewhere + " is neither in");
        Files.createSymbolicLink(directory.resolve("link.log"), elsewhere);
        assertRefused(DirectoryTrust.OWN, Path.of("link.log"), elsewhere + " is neither in");
        Path neighbour = Files.createDirectory(folder.resolve("driver2"));
        write(neighbour.resolve("7.log"), "neighbour");
        assertRefused(DirectoryTrust.OWN, Path.of("../driver2/7.log"), "is neither in");
    }

    @Test
    void opensLogsOnConfiguredMount() throws IOException {
        Path mount = Files.createDirectory(folder.resolve("huge"));
        mode(mount, "rwxrwxrwx");
        Path below = Files.createDirectory(mount.resolve("dev-shm-driver"));
        mode(below, "rwx------");
        Path log = write(below.resolve("7.log"), "huge");
        Path link = Files.createSymbolicLink(directory.resolve("7.log"), log);
        DirectoryTrust named = new DirectoryTrust(null, null, mount);
        assertEquals("huge", read(named, link));
        assertEquals("huge", read(named, log));
        assertRefused(DirectoryTrust.OWN, link, "set log-directory to the driver's");
        mode(below, "rwxrwxrwx");
        assertRefused(named, link, below + " can be written to by every user");
        Path elsewhere = write(folder.resolve("secret"), "secret");
        assertRefused(named, elsewhere, "nor in the log-directory " + mount);
    }

    @Test
    void rejectsIrregularFile() throws IOException {
        Files.createDirectory(directory.resolve("7.log"));
        assertRefused(DirectoryTrust.OWN, Path.of("7.log"), "7.log is not a regular file");
    }

    @Test
    void sharesFilesOfSharedDirectoryWithItsGroup() throws IOException {
        DriverFile.create(directory.resolve("own")).close();
        assertEquals("rw-------", rights(directory.resolve("own")));
        Files.setAttribute(directory, "unix:mode", DriverFile.GROUP_DIRECTORY);
        DriverFile.create(directory.resolve("shared")).close();
        assertEquals("rw-rw----", rights(directory.resolve("shared")));
        assertEquals(
                Files.getAttribute(directory, "unix:gid"),
                Files.getAttribute(directory.resolve("shared"), "unix:gid"));
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
