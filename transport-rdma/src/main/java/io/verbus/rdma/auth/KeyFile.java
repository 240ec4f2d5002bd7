// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import io.verbus.directory.HeldPath;
import io.verbus.directory.ProcessAccount;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The file of the option {@link #OPTION}: one line per key, with the network and 64 hexadecimal
 * digits. A network may have two keys while one replaces the other. A network that needs no key has
 * the word {@code open} instead. Empty lines and lines that begin with {@code #} are ignored.
 *
 * <pre>
 *   # network      key
 *   10.1.2.0/24    open
 *   10.1.0.0/16    8f4b…
 * </pre>
 *
 * <p>The file is checked and read through one descriptor, so that it cannot be replaced in between.
 */
public final class KeyFile {
    private static final String NONE = "none";
    private static final String OPEN = "open";
    private static final int MAX_LENGTH = 64 * 1024;
    private static final int MAX_KEYS = 2;
    private static final int MAX_READS = 3;
    private static final int ROOT = 0;

    /** Permissions that the file must not grant. */
    private static final Set<PosixFilePermission> WRONG =
            Set.of(
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE,
                    PosixFilePermission.OTHERS_EXECUTE);

    /** Path of the key file. */
    public static final Option<String> OPTION =
            Option.of(
                    "rdma.key-file",
                    NONE,
                    "the path of a file, or none",
                    "File with a key for each network; hosts in these networks must prove that they"
                            + " hold the key.",
                    text -> text);

    private final Path path;

    /** Metadata of the file when it was last read successfully; null before. */
    private Map<String, Object> read;

    private KeyFile(Path path) {
        this.path = path;
    }

    /** Returns the file of the option; null if it is not set. */
    static KeyFile of(TransportSettings settings) {
        String text = OPTION.read(settings);
        return text.equals(NONE) ? null : new KeyFile(Path.of(text));
    }

    /**
     * Reads the file, so that a driver with an invalid file does not start.
     *
     * @throws TransportException if the file is invalid; the message names the defect and the
     *     remedy.
     */
    public static void check(TransportSettings settings) {
        KeyFile file = of(settings);
        if (file != null) {
            file.read();
        }
    }

    /** Returns whether the file may have changed since it was last read successfully. */
    boolean hasChanged() {
        try {
            return !version(path).equals(read);
        } catch (IOException e) {
            return true; // the reader reports it
        }
    }

    /**
     * Reads the file.
     *
     * @throws TransportException if the file is invalid; the message names the defect and the
     *     remedy.
     */
    Keys read() {
        for (int i = 0; i < MAX_READS; i++) {
            try (HeldPath file = HeldPath.open(path)) {
                checkAccess(file.held());
                Map<String, Object> before = version(file.held());
                List<String> lines = lines(file.held());
                if (before.equals(version(file.held()))) {
                    Keys keys = parse(lines);
                    read = before;
                    return keys;
                }
            } catch (NoSuchFileException e) {
                throw wrong("does not exist: create the file, or correct the option rdma.key-file");
            } catch (CharacterCodingException e) {
                throw wrong("is not UTF-8 text: " + FORM);
            } catch (IOException e) {
                throw new TransportException(
                        "the key file "
                                + path
                                + " cannot be read ("
                                + e.getMessage()
                                + "): make the file readable for the driver's user",
                        e);
            }
        }
        throw wrong("changed each time the driver read it: replace the file atomically, with `mv`");
    }

    private List<String> lines(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_LENGTH + 1);
        }
        if (bytes.length > MAX_LENGTH) {
            throw wrong("is longer than " + MAX_LENGTH + " bytes: keep only keys in it");
        }
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString()
                .lines()
                .toList();
    }

    /**
     * Returns device, inode, length and times, which stay the same while neither content nor
     * permissions change.
     */
    private static Map<String, Object> version(Path file) throws IOException {
        return Files.readAttributes(file, "unix:dev,ino,size,lastModifiedTime,ctime");
    }

    private void checkAccess(Path file) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        if (!attributes.isRegularFile()) {
            throw wrong("is not a regular file: set rdma.key-file to a regular file");
        }
        if (!attributes.owner().equals(ProcessAccount.current().user())
                && (int) Files.getAttribute(file, "unix:uid") != ROOT) {
            throw wrong(
                    "belongs to user "
                            + attributes.owner().getName()
                            + ", who can change the keys: `chown` the file to the driver's user, "
                            + ProcessAccount.current().user().getName()
                            + ", or to root, and replace the keys if that user must not know them");
        }
        if (!Collections.disjoint(attributes.permissions(), WRONG)) {
            throw wrong(
                    "can be read by other users or written by its group: `chmod 600` the file, and"
                            + " replace the keys if other users had access");
        }
    }

    private static final String FORM =
            "write one network per line, such as 10.1.0.0/16, followed by its key, 64 hexadecimal"
                    + " digits as `openssl rand -hex 32` prints them, or by the word `open` if the"
                    + " network needs no key";

    private Keys parse(List<String> lines) {
        Map<String, List<Key>> byNetwork = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                String at = "has an invalid line " + (i + 1) + ": ";
                String[] words = line.split("\\s+");
                if (words.length != 2) {
                    throw wrong(at + FORM);
                }
                for (String each : words[0].split(",", -1)) {
                    String network = networks(each).toString(); // in canonical form
                    boolean isNew = !byNetwork.containsKey(network);
                    List<Key> keys = byNetwork.computeIfAbsent(network, n -> new ArrayList<>());
                    if (!words[1].equals(OPEN)) {
                        add(keys, isNew, key(words[1], at), at);
                    } else if (!isNew) {
                        throw wrong(
                                at
                                        + "the network "
                                        + network
                                        + " is already listed above; remove one of the lines");
                    }
                }
            }
        }
        if (byNetwork.isEmpty()) {
            throw wrong("lists no network, so it may be empty or incomplete: " + FORM);
        }
        List<Keys.Entry> entries = new ArrayList<>();
        byNetwork.forEach(
                (network, keys) ->
                        entries.add(new Keys.Entry(network, networks(network), List.copyOf(keys))));
        return new Keys(List.copyOf(entries), List.of());
    }

    private Networks networks(String text) {
        return Networks.of("rdma.key-file: a network in " + path, text);
    }

    private void add(List<Key> keys, boolean isFirst, Key key, String at) {
        if (keys.isEmpty() && !isFirst) {
            throw wrong(at + "a line above declares the network open; remove one of the lines");
        }
        keys.add(key);
        if (keys.size() > MAX_KEYS) {
            throw wrong(at + "a network may have at most " + MAX_KEYS + " keys; remove a key");
        }
        if (keys.size() == MAX_KEYS && keys.getFirst().id() == keys.getLast().id()) {
            throw wrong(at + "the key is already listed above; remove one of the lines");
        }
    }

    private Key key(String digits, String at) {
        try {
            byte[] bytes = HexFormat.of().parseHex(digits);
            if (bytes.length == Key.LENGTH) {
                return new Key(bytes);
            }
        } catch (IllegalArgumentException notHex) {
            // The exception's text would reveal the key.
        }
        throw wrong(at + FORM);
    }

    private TransportException wrong(String what) {
        return new TransportException("the key file " + path + " " + what);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
