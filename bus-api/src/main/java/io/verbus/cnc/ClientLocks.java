// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;
import io.verbus.directory.DriverFile;

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

/**
 * Shows which clients may still write to the driver's memory. Each client locks, in a file of the
 * driver directory, the byte at the offset of its id while it has the memory mapped. A suspended
 * process keeps its lock; the kernel releases it when the process ends for any reason. The file
 * stays empty.
 *
 * <p>The locks belong to open file descriptions, so they also work between clients and a driver in
 * one process, where each sees the others' locks, and closing the file elsewhere in the process
 * does not release them.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/fcntl_locking.2.html">fcntl_locking(2)</a>
 */
public final class ClientLocks implements AutoCloseable {
    /** Name of the file. */
    public static final String NAME = "clients";

    // fcntl.h, x86-64 and AArch64
    private static final int O_RDWR = 2;
    private static final int O_NOFOLLOW = Calls.IS_X86 ? 0x2_0000 : 0x8000;
    private static final int O_CLOEXEC = 0x8_0000;
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;

    /** struct flock: type, whence, start, length, pid. */
    private static final long FLOCK_LENGTH = 32;

    private static final long FLOCK_START = 8;
    private static final long FLOCK_LEN = 16;

    private final Path file;
    private final int descriptor;

    private ClientLocks(Path file, int descriptor) {
        this.file = file;
        this.descriptor = descriptor;
    }

    /**
     * Creates the file, without locks. Called by the driver.
     *
     * @param directory directory of the driver.
     * @throws BusException if the file cannot be created.
     */
    public static ClientLocks create(Path directory) {
        Path file = directory.resolve(NAME);
        try {
            DriverFile.create(file).close();
        } catch (IOException e) {
            throw new BusException(
                    "cannot create "
                            + file
                            + " ("
                            + e
                            + "): check the permissions of the driver directory",
                    e);
        }
        return new ClientLocks(file, Calls.open(file));
    }

    /**
     * Locks a client's byte until the returned object is closed. Called by the client.
     *
     * @param directory directory of the driver.
     * @param clientId id of the client, 0 or more.
     * @return the lock; null if the driver has no such file.
     * @throws BusException if the file cannot be opened, or the byte is locked already.
     */
    public static ClientLocks hold(Path directory, long clientId) {
        Path file = directory.resolve(NAME);
        if (!Files.exists(file)) {
            return null;
        }
        ClientLocks locks = new ClientLocks(file, Calls.open(file));
        try {
            locks.lock(F_OFD_SETLK, clientId);
        } catch (BusException e) {
            locks.close();
            throw e;
        }
        return locks;
    }

    /**
     * Returns whether a client's byte is locked, not counting locks taken through this object.
     * Called by the driver.
     *
     * @param clientId id of the client; false for negative ones.
     * @throws BusException if the query fails.
     */
    public boolean isHeld(long clientId) {
        return clientId >= 0 && lock(F_OFD_GETLK, clientId) != F_UNLCK;
    }

    private short lock(int command, long clientId) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flock = arena.allocate(FLOCK_LENGTH, Long.BYTES);
            flock.set(ValueLayout.JAVA_SHORT, 0, F_WRLCK);
            flock.set(ValueLayout.JAVA_LONG, FLOCK_START, clientId);
            flock.set(ValueLayout.JAVA_LONG, FLOCK_LEN, 1);
            int errno = Calls.fcntl(descriptor, command, flock);
            if (errno != 0) {
                throw new BusException(
                        "the lock of client "
                                + clientId
                                + " in "
                                + file
                                + " cannot be "
                                + (command == F_OFD_SETLK ? "taken" : "queried")
                                + " (fcntl failed with errno "
                                + errno
                                + "): use a driver directory on a local file system"
                                + " that supports record locks, such as /dev/shm");
            }
            return flock.get(ValueLayout.JAVA_SHORT, 0);
        }
    }

    /** Releases the lock. The file stays. */
    @Override
    public void close() {
        Calls.close(descriptor);
    }

    /** Functions of the C library, linked on first use. */
    private static final class Calls {
        static final boolean IS_X86 = System.getProperty("os.arch").equals("amd64");

        private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO_VALUE =
                ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final MethodHandle OPEN =
                link(
                        "open",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                        Linker.Option.firstVariadicArg(2));
        private static final MethodHandle FCNTL =
                link(
                        "fcntl",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS),
                        Linker.Option.firstVariadicArg(2));
        private static final MethodHandle CLOSE =
                link("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

        private Calls() {}

        @SuppressWarnings("restricted")
        private static MethodHandle link(
                String name, FunctionDescriptor descriptor, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            Linker.Option[] all = java.util.Arrays.copyOf(options, options.length + 1);
            all[options.length] = Linker.Option.captureCallState("errno");
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
        }

        static int open(Path file) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(ERRNO);
                MemorySegment path = arena.allocateFrom(file.toString());
                int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
                int result = (int) OPEN.invokeExact(state, path, flags);
                if (result < 0) {
                    throw new BusException(
                            "cannot open "
                                    + file
                                    + " (errno "
                                    + errno(state)
                                    + "): check the permissions of the driver directory");
                }
                return result;
            } catch (BusException e) {
                throw e;
            } catch (Throwable e) {
                throw new BusException("cannot call open(): " + e, e);
            }
        }

        /** Returns 0 or the errno. */
        static int fcntl(int descriptor, int command, MemorySegment argument) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(ERRNO);
                int result = (int) FCNTL.invokeExact(state, descriptor, command, argument);
                return result < 0 ? errno(state) : 0;
            } catch (Throwable e) {
                throw new BusException("cannot call fcntl(): " + e, e);
            }
        }

        static void close(int descriptor) {
            try (Arena arena = Arena.ofConfined()) {
                int result = (int) CLOSE.invokeExact(arena.allocate(ERRNO), descriptor);
                assert result == 0; // a failed close has released the descriptor nevertheless
            } catch (Throwable e) {
                throw new BusException("cannot call close(): " + e, e);
            }
        }

        private static int errno(MemorySegment state) {
            return (int) ERRNO_VALUE.get(state, 0L);
        }
    }
}
