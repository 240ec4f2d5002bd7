// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.KernelFiles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a host below a root, which is {@code /} but in tests. What is absent and what may
 * not be read are the same: unknown.
 *
 * @param root of them.
 * @param devices folder of the RDMA devices.
 */
record FileTree(Path root, Path devices) {
    /** A host whose files are all below a root. */
    FileTree(Path root) {
        this(root, root.resolve(KernelFiles.DEVICES_PATH.substring(1)));
    }

    /** The file at an absolute path of the host. */
    Path at(String path) {
        if (path.equals(KernelFiles.DEVICES_PATH)) {
            return devices;
        }
        return path.startsWith(KernelFiles.DEVICES_PATH + "/")
                ? devices.resolve(path.substring(KernelFiles.DEVICES_PATH.length() + 1))
                : root.resolve(path.substring(1));
    }

    boolean exists(String path) {
        return Files.exists(at(path));
    }

    /** Content without the white space around it; empty if it is unknown. */
    String read(String path) {
        try {
            return Files.readString(at(path)).strip();
        } catch (IOException unknown) {
            // An attribute that is not set gives EINVAL.
            return "";
        }
    }

    /** Bytes of a file; none if it is unknown. */
    byte[] bytes(String path) {
        try {
            return Files.readAllBytes(at(path));
        } catch (IOException unknown) {
            return new byte[0];
        }
    }

    /** Lines of a file; none if it is unknown. */
    List<String> lines(String path) {
        return read(path).lines().toList();
    }

    /** A decimal number in a file, or -1 if there is none. */
    long number(String path) {
        try {
            return Long.parseLong(read(path));
        } catch (NumberFormatException unknown) {
            return -1;
        }
    }

    /** Names in a folder, sorted; none if it is unknown. */
    List<String> list(String path) {
        try (Stream<Path> entries = Files.list(at(path))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException | UncheckedIOException unknown) {
            return List.of();
        }
    }

    /** Last name of what a symbolic link leads to; empty if it is unknown. */
    String target(String path) {
        try {
            return Files.readSymbolicLink(at(path)).getFileName().toString();
        } catch (IOException | UnsupportedOperationException unknown) {
            return "";
        }
    }

    /** The value behind a key and a colon, as in {@code /proc/meminfo}; empty if it is unknown. */
    String field(String path, String key) {
        for (String line : lines(path)) {
            if (line.startsWith(key + ":")) {
                return line.substring(key.length() + 1).strip();
            }
        }
        return "";
    }

    /** The selected one of values as in {@code always [madvise] never}; all if none is. */
    String selected(String path) {
        String values = read(path);
        int begin = values.indexOf('[');
        int end = values.indexOf(']');
        return begin < 0 || end < begin ? values : values.substring(begin + 1, end);
    }

    /** Lines of {@code /proc/mounts}, each split at its spaces. */
    List<String[]> mounts() {
        List<String[]> mounts = new ArrayList<>();
        for (String line : lines("/proc/mounts")) {
            String[] words = line.split(" ");
            if (words.length >= 4) {
                mounts.add(words);
            }
        }
        return mounts;
    }
}
