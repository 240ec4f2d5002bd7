// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.BusException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Files that a command writes at its end. Thread-safe. */
public final class OutputFiles {
    private OutputFiles() {}

    /**
     * Checks that files can be written, without changing them, so that a command fails before it
     * measures rather than after.
     *
     * @param files files by the option that names each, such as {@code --json}.
     * @throws BusException if a file cannot be written, or if two options name the same file.
     */
    public static void check(Map<String, Path> files) {
        List<Map.Entry<String, Path>> checked = new ArrayList<>();
        for (Map.Entry<String, Path> file : files.entrySet()) {
            for (Map.Entry<String, Path> other : checked) {
                if (isSameFile(file.getValue(), other.getValue())) {
                    throw new BusException(
                            "%s and %s name the same file, %s: choose two files"
                                    .formatted(other.getKey(), file.getKey(), file.getValue()));
                }
            }
            checked.add(file);
        }
        files.forEach(OutputFiles::checkWritable);
    }

    /**
     * Writes a file.
     *
     * @throws BusException if it cannot be written.
     */
    public static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new BusException("cannot write " + file + remedy(e), e);
        }
    }

    private static void checkWritable(String option, Path file) {
        try {
            if (!Files.exists(file)) {
                Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                        .close();
                Files.delete(file);
            } else if (!Files.isWritable(file) || Files.isDirectory(file)) {
                throw new IOException(Files.isDirectory(file) ? "a directory" : "not writable");
            } else if (Files.isRegularFile(file)) {
                // isWritable is true for root even if the file system refuses writes.
                Files.newByteChannel(file, StandardOpenOption.WRITE).close();
            }
        } catch (IOException e) {
            throw new BusException("cannot write " + option + " " + file + remedy(e), e);
        }
    }

    private static String remedy(IOException e) {
        return " (" + e + "): choose a writable file in an existing directory";
    }

    /** Returns whether two paths are the same file; devices and pipes may be named twice. */
    private static boolean isSameFile(Path one, Path other) {
        try {
            if (Files.exists(one) && Files.exists(other)) {
                return Files.isRegularFile(one) && Files.isSameFile(one, other);
            }
            return !Files.exists(one) && !Files.exists(other) && real(one).equals(real(other));
        } catch (IOException e) {
            return false; // a path that cannot be resolved is reported as not writable
        }
    }

    private static Path real(Path file) throws IOException {
        Path absolute = file.toAbsolutePath().normalize();
        Path folder = absolute.getParent();
        return folder == null ? absolute : folder.toRealPath().resolve(absolute.getFileName());
    }
}
