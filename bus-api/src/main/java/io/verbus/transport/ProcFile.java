// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a file below {@code /proc} or {@code /sys}. */
public final class ProcFile {
    private ProcFile() {}

    /**
     * Returns the text of a file, without white space around it. The kernel returns a number below
     * {@code /proc/sys} to the first read only, but {@link Files#readString} first reads a single
     * byte of a file whose length is unknown.
     *
     * @param file file to read.
     * @throws IOException if the file cannot be read.
     */
    public static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        }
    }
}
