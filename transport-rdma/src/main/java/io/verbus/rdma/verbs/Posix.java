// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.nio.file.Files;
import java.nio.file.Path;

/** The functions needed from the C library, and readers for {@code /proc}. */
final class Posix {
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final short POLLIN = 1;
    private static final int POLL_FD = 0;
    private static final int POLL_EVENTS = 4;
    private static final int POLL_LENGTH = 8;

    private static final NativeFunction FCNTL = standard("fcntl");
    private static final NativeFunction POLL = standard("poll");
    private static final NativeFunction STRERROR = standard("strerror");

    private Posix() {}

    /**
     * Makes a file descriptor non-blocking.
     *
     * @see <a href="https://man7.org/linux/man-pages/man2/fcntl.2.html">fcntl(2)</a>
     */
    static void setNonBlocking(int fd) {
        int flags = (int) FCNTL.call(fd, F_GETFL, 0);
        if (flags < 0 || (int) FCNTL.call(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
            throw VerbsException.of(
                    "fcntl",
                    NativeFunction.errno(),
                    "cannot make an event channel non-blocking",
                    "");
        }
    }

    /**
     * Allocates a {@code struct pollfd} for {@link #isReadable}.
     *
     * @see <a href="https://man7.org/linux/man-pages/man2/poll.2.html">poll(2)</a>
     */
    static long allocatePoll(Arena arena, int fd) {
        long poll = arena.allocate(POLL_LENGTH, Long.BYTES).address();
        Memory.putInt(poll + POLL_FD, fd);
        Memory.putInt(poll + POLL_EVENTS, POLLIN);
        return poll;
    }

    /** Returns whether a file descriptor is readable or has an error; does not block. */
    static boolean isReadable(long poll) {
        return (int) POLL.call(poll, 1, 0) > 0;
    }

    /**
     * Returns the description of an error number.
     *
     * @see <a href="https://man7.org/linux/man-pages/man3/strerror.3.html">strerror(3)</a>
     */
    static String errorText(int errno) {
        return Memory.getString(STRERROR.call(errno));
    }

    /** Returns the process's soft limit for locked memory, from {@code /proc/self/limits}. */
    static String lockedMemoryLimit() {
        try {
            return Files.readAllLines(Path.of("/proc/self/limits")).stream()
                    .filter(line -> line.startsWith("Max locked memory"))
                    .map(line -> line.substring(26).strip().split("\\s+"))
                    .map(words -> words[0].equals("unlimited") ? words[0] : words[0] + " bytes")
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException unreadable) {
            return "unknown";
        }
    }

    /** Returns the file mapped at an address of this process, or an empty string. */
    static String mappedFile(long address) {
        try {
            return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> contains(line, address))
                    .map(line -> line.indexOf('/') < 0 ? "" : line.substring(line.indexOf('/')))
                    .findFirst()
                    .orElse("");
        } catch (IOException unreadable) {
            return "";
        }
    }

    private static boolean contains(String line, long address) {
        int dash = line.indexOf('-');
        long begin = Long.parseUnsignedLong(line, 0, dash, 16);
        long end = Long.parseUnsignedLong(line, dash + 1, line.indexOf(' '), 16);
        return Long.compareUnsigned(begin, address) <= 0 && Long.compareUnsigned(address, end) < 0;
    }

    private static NativeFunction standard(String symbol) {
        return new NativeFunction(Linker.nativeLinker().defaultLookup().findOrThrow(symbol));
    }
}
