// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.MappedByteBuffer;
import java.nio.file.Path;

/**
 * How far a subscriber process is with each of its streams, in a file that tells it even of a
 * process that was killed. Written by the subscriber's thread, read by the test's.
 *
 * <pre>
 *   64 bytes for each stream:
 *   +--------+----------+--------+-------+--------+
 *   | images | joined   | first  | next  | position
 *   +--------+----------+--------+-------+--------+
 * </pre>
 */
final class SoakLedger implements AutoCloseable {
    private static final int LINE = 64;
    private static final int IMAGES = 0;
    private static final int JOINED = 8;
    private static final int FIRST = 16;
    private static final int NEXT = 24;
    private static final int POSITION = 32;

    private final MappedByteBuffer file;
    private final UnsafeBuffer lines;

    private SoakLedger(MappedByteBuffer file) {
        this.file = file;
        lines = new UnsafeBuffer(file);
    }

    static SoakLedger create(Path path, int streams) {
        return new SoakLedger(IoUtil.mapNewFile(path.toFile(), (long) streams * LINE));
    }

    static SoakLedger open(Path path) {
        return new SoakLedger(IoUtil.mapExistingFile(path.toFile(), "ledger of a subscriber"));
    }

    void joined(int stream, long position) {
        int line = stream * LINE;
        lines.putLong(line + JOINED, position);
        lines.putLong(line + POSITION, position);
        lines.putLong(line + FIRST, -1);
        lines.putLongRelease(line + IMAGES, images(stream) + 1);
    }

    /** Records that the message before {@code next} was read; it ends at the position. */
    void read(int stream, long next, long position) {
        int line = stream * LINE;
        if (lines.getLong(line + FIRST) < 0) {
            lines.putLong(line + FIRST, next - 1);
        }
        lines.putLong(line + POSITION, position);
        lines.putLongRelease(line + NEXT, next);
    }

    /** Number of images of the stream in the process. */
    long images(int stream) {
        return lines.getLongAcquire(stream * LINE + IMAGES);
    }

    /** Join position of its image. */
    long joined(int stream) {
        return lines.getLong(stream * LINE + JOINED);
    }

    /** The first message that was read, or -1. */
    long first(int stream) {
        return lines.getLong(stream * LINE + FIRST);
    }

    /** The next expected message; 0 before the first. */
    long next(int stream) {
        return lines.getLongAcquire(stream * LINE + NEXT);
    }

    /** End position of the last message read. */
    long position(int stream) {
        return lines.getLong(stream * LINE + POSITION);
    }

    @Override
    public void close() {
        IoUtil.unmap(file);
    }
}
