// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Log used by one thread, on tmpfs like a driver's logs. */
final class BenchmarkLog implements AutoCloseable {
    static final int SHORT = 64 * 1024;
    private static final int MTU = 1408;

    final LogBuffers buffers;
    private final Path file = Path.of("/dev/shm", "verbus-jmh-" + UUID.randomUUID());

    BenchmarkLog(int termLength) {
        this(termLength, MTU);
    }

    BenchmarkLog(int termLength, int mtu) {
        buffers =
                LogBuffers.create(
                        file,
                        new LogSpec(
                                LogType.CONCURRENT_PUBLICATION, 1, 2, 3, 0, termLength, mtu, 0));
    }

    @Override
    public void close() {
        buffers.close();
        try {
            Files.delete(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
