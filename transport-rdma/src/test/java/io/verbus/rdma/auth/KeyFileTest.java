// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

class KeyFileTest {
    private static final String ONE = "01".repeat(32);
    private static final String TWO = "02".repeat(32);
    private static final String THREE = "03".repeat(32);

    @TempDir Path folder;

    private Path write(String text) throws IOException {
        Path file = folder.resolve("keys");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private static TransportSettings settings(Path file) {
        return (name, preset) -> name.equals("rdma.key-file") ? file.toString() : preset;
    }

    private static int keys(Keys keys, String address) {
        return keys.of(InetAddress.ofLiteral(address)).size();
    }

    @Test
    void readsKeysOfNetworks() throws IOException {
        Path file =
                write(
                        "# network  key\n\n10.1.2.0/24 "
                                + ONE
                                + "\n10.1.0.0/16\t"
                                + TWO
                                + "\n  10.1.0.0/16 "
                                + THREE.toUpperCase()
                                + "\nfd00::/8 "
                                + ONE
                                + "\n");
        Keys keys = KeyFile.of(settings(file)).read();
        assertEquals(3, keys.networks());
        assertEquals(1, keys(keys, "10.1.2.3"));
        assertEquals(2, keys(keys, "10.1.3.3"));
        assertEquals(1, keys(keys, "fd01::1"));
        assertEquals(0, keys(keys, "10.2.0.1"));
        assertEquals(
                keys.of(InetAddress.ofLiteral("10.1.2.3")).getFirst().id(),
                keys.of(InetAddress.ofLiteral("fd01::1")).getFirst().id());
        assertNotEquals(
                keys.of(InetAddress.ofLiteral("10.1.3.3")).getFirst().id(),
                keys.of(InetAddress.ofLiteral("10.1.3.3")).getLast().id());
    }

    @Test
    void needsNoKeyFileByDefault() {
        assertNull(KeyFile.of((name, preset) -> preset));
        assertDoesNotThrow(() -> KeyFile.check((name, preset) -> preset));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "10.1.0.0/16; invalid line 1",
                "10.1.0.0/16 0102; invalid line 1",
                "10.1.0.0/16 xyz; invalid line 1",
                "10.1.0.0/16 a b; invalid line 1",
                "10.1.0.0/33 @1; is not a network",
                "10.1.0.1/16 @1; is not a network",
                "host @1; is not a network",
                "10.1.0.0/16 @1|10.1.0.0/16 @1; invalid line 2: the key is already listed",
                "10.1.0.0/16 @1|10.1.0.0/16 @2|10.1.0.0/16 @3; invalid line 3: a network may have"
                        + " at most",
                "10.1.0.0/16 open|10.1.0.0/16 @1; invalid line 2: a line above declares the network"
                        + " open",
                "10.1.0.0/16 @1|10.1.0.0/16 open; invalid line 2: the network 10.1.0.0/16 is",
                "''; lists no network, so it may be empty or incomplete",
                "# only a note|; lists no network, so it may be empty or incomplete"
            })
    void rejectsInvalidLineWithoutRevealingKey(String text, String words) throws IOException {
        Path file =
                write(
                        text.replace("@1", ONE)
                                .replace("@2", TWO)
                                .replace("@3", THREE)
                                .replace('|', '\n'));
        TransportException wrong =
                assertThrows(TransportException.class, () -> KeyFile.check(settings(file)));
        assertTrue(wrong.getMessage().contains(words), wrong.getMessage());
        assertTrue(wrong.getMessage().contains(file.toString()), wrong.getMessage());
        // The random name of the folder may contain these digits.
        String told = wrong.getMessage().replace(file.toString(), "the file");
        assertFalse(told.contains("0101"), told);
        assertEquals(1, told.lines().count());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw----r--", "rw-rw----", "rw------x", "rw-----w-"})
    void rejectsFileReadableByOthersOrWritableByGroup(String mode) throws IOException {
        Path file = write("10.1.0.0/16 " + ONE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        TransportException wrong =
                assertThrows(TransportException.class, () -> KeyFile.check(settings(file)));
        assertTrue(wrong.getMessage().contains("chmod 600"), wrong.getMessage());
    }

    /** Kubernetes mounts a secret this way: as a link to a file of root, readable by a group. */
    @Test
    void acceptsLinkToGroupReadableFile() throws IOException {
        Path file = write("10.1.0.0/16 " + ONE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertEquals(1, KeyFile.of(settings(link)).read().networks());
    }

    @Test
    void rejectsFileOfAnotherUser() throws IOException {
        Path file = write("10.1.0.0/16 " + ONE);
        assumeTrue((int) Files.getAttribute(file, "unix:uid") == 0, "only root gives files away");
        Files.setAttribute(file, "unix:uid", 65534);
        TransportException wrong =
                assertThrows(TransportException.class, () -> KeyFile.check(settings(file)));
        assertTrue(wrong.getMessage().contains("belongs to user"), wrong.getMessage());
    }

    @Test
    void needsNoKeyForOpenNetwork() throws IOException {
        Keys keys =
                KeyFile.of(settings(write("10.1.2.0/24 open\n10.1.0.0/16 " + ONE + "\n"))).read();
        assertEquals(0, keys(keys, "10.1.2.3"));
        assertEquals(1, keys(keys, "10.1.3.3"));
        assertEquals(1, keys.networks());
    }

    /** The file is read while it is being rewritten in place, when only part of it is there. */
    @Test
    void retainsKeyOfNetworkRemovedFromFile() throws IOException {
        KeyFile file =
                KeyFile.of(
                        settings(
                                write(
                                        "10.1.2.0/24 "
                                                + ONE
                                                + "\n10.1.0.0/16 open\nFD00::/8 "
                                                + TWO
                                                + "\n")));
        Keys keys = file.read();
        write("10.1.0.0/16 open\n10.3.0.0/16 " + THREE);
        keys = file.read().keeping(keys);
        assertEquals(1, keys(keys, "10.1.2.3"));
        assertEquals(0, keys(keys, "10.1.3.3"));
        assertEquals(1, keys(keys, "10.3.0.1"));
        assertEquals(1, keys(keys, "fd01::1"));
        assertEquals(3, keys.networks());
        assertEquals(2, keys.kept().size(), keys.kept().toString());
        write("10.1.2.0/24 open\nfd00:0::/8 " + ONE + "\n");
        keys = file.read().keeping(keys);
        assertEquals(0, keys(keys, "10.1.2.3"));
        assertEquals(1, keys(keys, "fd01::1"));
        assertEquals(List.of("10.3.0.0/16"), keys.kept());
    }

    @Test
    void rereadsFileAfterPermissionsChange() throws IOException {
        Path path = write("10.1.0.0/16 " + ONE);
        KeyFile file = KeyFile.of(settings(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
        assertThrows(TransportException.class, file::read);
        assertTrue(file.hasChanged());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        assertTrue(file.hasChanged());
        assertEquals(1, file.read().networks());
        assertFalse(file.hasChanged());
    }

    @Test
    void reportsMissingFile() {
        TransportException wrong =
                assertThrows(
                        TransportException.class,
                        () -> KeyFile.check(settings(folder.resolve("nowhere"))));
        assertTrue(wrong.getMessage().contains("does not exist"), wrong.getMessage());
        wrong = assertThrows(TransportException.class, () -> KeyFile.check(settings(folder)));
        assertTrue(wrong.getMessage().contains("the key file"), wrong.getMessage());
    }

    @Test
    void detectsChangedFile() throws IOException {
        KeyFile file = KeyFile.of(settings(write("10.1.0.0/16 " + ONE)));
        assertTrue(file.hasChanged());
        file.read();
        assertFalse(file.hasChanged());
        write("10.1.0.0/16 " + ONE + "\n10.1.0.0/16 " + TWO);
        assertTrue(file.hasChanged());
        file.read();
        assertFalse(file.hasChanged());
        Files.delete(folder.resolve("keys"));
        assertTrue(file.hasChanged());
    }
}
