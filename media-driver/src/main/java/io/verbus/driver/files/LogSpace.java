// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.directory.FileStores;
import io.verbus.directory.HeldPath;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates the space of log files. Checks the free space, then allocates it without writing pages,
 * which is much faster than writing them. No later access can fail because space has run out.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/posix_fallocate.3.html">
 *     posix_fallocate(3)</a>
 */
final class LogSpace {
    private static final int ENOSPC = 28;
    private static final MethodHandle ALLOCATE = allocate();
    private static final MethodHandle GIVE_BACK = giveBack();
    private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_VALUE =
            ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** Combines FALLOC_FL_PUNCH_HOLE and FALLOC_FL_KEEP_SIZE. */
    private static final int PUNCH_HOLE = 3;

    /** Bytes reserved by logs in progress and not allocated yet. */
    private final AtomicLong promised = new AtomicLong();

    @SuppressWarnings("restricted")
    private static MethodHandle allocate() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("posix_fallocate"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle giveBack() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("fallocate"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.captureCallState("errno"));
    }

    /**
     * Reserves space for a log, if enough is free after all earlier reservations.
     *
     * @param directory directory on the file system.
     * @param length length of the log in bytes.
     * @throws BusException if there is too little space.
     */
    void promise(Path directory, long length) {
        long free;
        try {
            free = Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            throw new BusException(
                    "cannot read the free space at " + directory + ": " + FileStores.problem(e), e);
        }
        if (free - promised.get() < length) {
            throw tooLittle(directory, length);
        }
        promised.addAndGet(length);
    }

    /** Ends the reservation of bytes that have been allocated or are not needed. Thread-safe. */
    void settle(long bytes) {
        promised.addAndGet(-bytes);
    }

    /** Returns the error for a log whose space cannot be allocated. */
    static BusException tooLittle(Path directory, long length, int errno) {
        return errno == ENOSPC
                ? tooLittle(directory, length)
                : new BusException(
                        "cannot reserve space for a log of "
                                + length
                                + " bytes at "
                                + directory
                                + " (posix_fallocate failed with errno "
                                + errno
                                + "): raise the limit on file sizes (`ulimit -f`) and disk quotas,"
                                + " shorten the term length, or choose another driver directory");
    }

    /** Returns the error for too little space. For a given length, its text is always the same. */
    private static BusException tooLittle(Path directory, long length) {
        return new BusException(
                "there is too little space at "
                        + directory
                        + " for a log of "
                        + length
                        + " bytes: free space there (see `df`), shorten the term length, or "
                        + "choose another driver directory");
    }

    /**
     * Allocates space for a part of a file, which grows to the end of the part.
     *
     * @param file existing file.
     * @param from offset of the part in bytes.
     * @param count length of the part in bytes.
     * @return 0, or the errno of the failure.
     * @throws BusException if the file cannot be opened.
     */
    static int take(Path file, long from, long count) {
        try (HeldPath held = HeldPath.openToWrite(file)) {
            return (int) ALLOCATE.invokeExact(held.descriptor(), from, count);
        } catch (IOException e) {
            throw new BusException(
                    "cannot open the log " + file + " to reserve space (" + e + ")", e);
        } catch (Throwable e) {
            throw new BusException("cannot call posix_fallocate(): " + e, e);
        }
    }

    /**
     * Releases the space of a part of a file, which then reads as zero.
     *
     * @param file existing file, which keeps its length.
     * @param from offset of the part in bytes.
     * @param count length of the part in bytes.
     * @throws BusException if the file system does not support this.
     * @see <a href="https://man7.org/linux/man-pages/man2/fallocate.2.html">fallocate(2)</a>
     */
    static void giveBack(Path file, long from, long count) {
        int errno;
        try (HeldPath held = HeldPath.openToWrite(file);
                Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO);
            int result =
                    (int) GIVE_BACK.invokeExact(state, held.descriptor(), PUNCH_HOLE, from, count);
            errno = result == 0 ? 0 : (int) ERRNO_VALUE.get(state, 0L);
        } catch (IOException e) {
            throw new BusException(
                    "cannot open the log " + file + " to release space (" + e + ")", e);
        } catch (Throwable e) {
            throw new BusException("cannot call fallocate(): " + e, e);
        }
        if (errno != 0) {
            throw new BusException(
                    "cannot release the space of consumed parts of logs at "
                            + file.getParent()
                            + " (fallocate failed with errno "
                            + errno
                            + "): use a driver directory on tmpfs, or lower udp.max-term-length to"
                            + " 64m");
        }
    }
}
