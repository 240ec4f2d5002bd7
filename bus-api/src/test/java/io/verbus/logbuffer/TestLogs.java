// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates logs for tests; deletes each file immediately, so that none is left behind. */
public final class TestLogs {
    public static final int SESSION_ID = -77;
    public static final int STREAM_ID = 1001;

    private TestLogs() {}

    public static LogSpec spec(int termLength, int mtu, int initialTermId, long position) {
        return spec(LogType.CONCURRENT_PUBLICATION, termLength, mtu, initialTermId, position);
    }

    static LogSpec spec(LogType type, int termLength, int mtu, int initialTermId, long position) {
        return new LogSpec(
                type, 42, SESSION_ID, STREAM_ID, initialTermId, termLength, mtu, position);
    }

    public static LogBuffers create(int termLength, int mtu) {
        return create(spec(termLength, mtu, 7, 0));
    }

    public static LogBuffers create(LogSpec spec) {
        try {
            Path directory = Files.createTempDirectory("verbus-log");
            Path file = directory.resolve("test.log");
            try {
                return LogBuffers.create(file, spec);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Marks the image of a header as closed. */
    public static void closeStream(Header header) {
        header.closeStream();
    }
}
