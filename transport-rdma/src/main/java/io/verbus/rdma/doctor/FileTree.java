// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.KernelFiles;
import io.verbus.transport.ProcFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a host below a root, which is {@code /} except in tests. Absent and unreadable files
 * are both treated as unknown.
 *
 * @param root root directory.
 * @param devices directory of the RDMA devices.
 */
record FileTree(Path root, Path devices) {
    /** Creates a tree with all files below a root. */
    FileTree(Path root) {
        this(root, root.resolve(KernelFiles.DEVICES_PATH.substring(1)));
    }

    /** Returns the file at an absolute path of the host. */
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

    /** Reads a file without surrounding white space; empty if unknown. */
    String read(String path) {
        try {
            return ProcFile.read(at(path));
        } catch (IOException unknown) {
            // Attributes that are not set yield EINVAL.
            return "";
        }
    }

    /** Reads the bytes of a file; empty if unknown. */
    byte[] bytes(String path) {
        try {
            return Files.readAllBytes(at(path));
        } catch (IOException unknown) {
            return new byte[0];
        }
    }

    /** Reads the lines of a file; empty if unknown. */
    List<String> lines(String path) {
        return read(path).lines().toList();
    }

    /** Reads a decimal number from a file; -1 if there is none. */
    long number(String path) {
        try {
            return Long.parseLong(read(path));
        } catch (NumberFormatException unknown) {
            return -1;
        }
    }

    /** Lists the names in a directory, sorted; empty if unknown. */
    List<String> list(String path) {
        try (Stream<Path> entries = Files.list(at(path))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException | UncheckedIOException unknown) {
            return List.of();
        }
    }

    /** Returns the last name of a symbolic link's target; empty if unknown. */
    String target(String path) {
        try {
            return Files.readSymbolicLink(at(path)).getFileName().toString();
        } catch (IOException | UnsupportedOperationException unknown) {
            return "";
        }
    }

    /** Returns the value after a key and a colon, as in {@code /proc/meminfo}; empty if unknown. */
    String field(String path, String key) {
        for (String line : lines(path)) {
            if (line.startsWith(key + ":")) {
                return line.substring(key.length() + 1).strip();
            }
        }
        return "";
    }

    /** Returns the selected value, as in {@code always [madvise] never}; all values if none is. */
    String selected(String path) {
        String values = read(path);
        int begin = values.indexOf('[');
        int end = values.indexOf(']');
        return begin < 0 || end < begin ? values : values.substring(begin + 1, end);
    }

    /** Returns the lines of {@code /proc/mounts}, each split at its spaces. */
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
