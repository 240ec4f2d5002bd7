// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
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
 * The file of the option {@link #OPTION}: a line for each key, with the network and 64 hexadecimal
 * digits. A network has at most two, while one takes the place of the other. Lines that are empty
 * or begin with {@code #} count for nothing.
 *
 * <pre>
 *   # network      key
 *   10.1.0.0/16    8f4b…
 * </pre>
 */
public final class KeyFile {
    private static final String NONE = "none";
    private static final int MAX_LENGTH = 64 * 1024;
    private static final int MAX_KEYS = 2;

    /** Who must not read the file, and who must not write it. */
    private static final Set<PosixFilePermission> WRONG =
            Set.of(
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE,
                    PosixFilePermission.OTHERS_EXECUTE);

    /** Where the keys are. */
    public static final Option<String> OPTION =
            Option.of(
                    "rdma.key-file",
                    NONE,
                    "the path of a file, or none",
                    "File with the keys of networks, whose hosts must prove that they have one.",
                    text -> text);

    private final Path path;

    /** When it was read last, as its metadata tell; null before. */
    private Version read;

    private record Version(Object file, long modified, long size) {}

    private KeyFile(Path path) {
        this.path = path;
    }

    /** The file that a setting names; null if it names none. */
    static KeyFile of(TransportSettings settings) {
        String text = OPTION.read(settings);
        return text.equals(NONE) ? null : new KeyFile(Path.of(text));
    }

    /**
     * Reads the file, so that a driver with a wrong one does not start.
     *
     * @throws TransportException that says what is wrong, with the remedy.
     */
    public static void check(TransportSettings settings) {
        KeyFile file = of(settings);
        if (file != null) {
            file.read();
        }
    }

    /** Whether it may have changed since it was read. */
    boolean hasChanged() {
        try {
            return !version(attributes()).equals(read);
        } catch (IOException e) {
            return true; // which the reader reports
        }
    }

    /**
     * Reads it.
     *
     * @throws TransportException that says what is wrong, with the remedy.
     */
    Keys read() {
        try {
            PosixFileAttributes attributes = attributes();
            read = version(attributes);
            checkAccess(attributes);
            if (attributes.size() > MAX_LENGTH) {
                throw wrong("is longer than " + MAX_LENGTH + " bytes: keep nothing else in it");
            }
            return parse(Files.readAllLines(path));
        } catch (NoSuchFileException e) {
            throw wrong("is not there: make it, or correct the option");
        } catch (MalformedInputException e) {
            throw wrong("is no text: " + FORM);
        } catch (IOException e) {
            throw new TransportException(
                    "the key file "
                            + path
                            + " cannot be read ("
                            + e.getMessage()
                            + "): let the driver's user read it",
                    e);
        }
    }

    private PosixFileAttributes attributes() throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class);
    }

    private static Version version(PosixFileAttributes attributes) {
        return new Version(
                attributes.fileKey(), attributes.lastModifiedTime().toMillis(), attributes.size());
    }

    private void checkAccess(PosixFileAttributes attributes) {
        if (!attributes.isRegularFile()) {
            throw wrong("is no file");
        }
        if (!Collections.disjoint(attributes.permissions(), WRONG)) {
            throw wrong(
                    "can be read by others or written by its group: `chmod 600` it, and make new"
                            + " keys if others had access");
        }
    }

    private static final String FORM =
            "write each key in a line, as a network and 64 hexadecimal digits, such as"
                    + " 10.1.0.0/16 and what `openssl rand -hex 32` prints";

    private Keys parse(List<String> lines) {
        Map<String, List<Key>> byNetwork = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                String[] words = line.split("\\s+");
                String at = "has a wrong line " + (i + 1) + ": ";
                if (words.length != 2) {
                    throw wrong(at + FORM);
                }
                List<Key> keys = byNetwork.computeIfAbsent(words[0], none -> new ArrayList<>());
                keys.add(key(words[1], at));
                if (keys.size() > MAX_KEYS) {
                    throw wrong(at + "a network has at most " + MAX_KEYS + " keys, remove one");
                }
                if (keys.size() == MAX_KEYS && keys.getFirst().id() == keys.getLast().id()) {
                    throw wrong(at + "the key stands there already, remove one");
                }
            }
        }
        List<Keys.Entry> entries = new ArrayList<>();
        byNetwork.forEach(
                (network, keys) ->
                        entries.add(
                                new Keys.Entry(
                                        network,
                                        Networks.of("networks of the key file " + path, network),
                                        List.copyOf(keys))));
        return new Keys(List.copyOf(entries));
    }

    private Key key(String digits, String at) {
        try {
            byte[] bytes = HexFormat.of().parseHex(digits);
            if (bytes.length == Key.LENGTH) {
                return new Key(bytes);
            }
        } catch (IllegalArgumentException notHex) {
            // The text would tell the key.
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
