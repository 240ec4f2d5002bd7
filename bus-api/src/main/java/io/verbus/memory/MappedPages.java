// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbus.BusException;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Kernel operations on mapped pages: mmap(2) and madvise(2). Thread-safe. */
public final class MappedPages {
    // mmap(2), values of Linux on x86-64 and AArch64.
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE = 0x02;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int NO_FILE = -1;

    private static final int MADV_POPULATE_READ = 22;

    // errno(3)
    private static final int EFAULT = 14;
    private static final int EINVAL = 22;
    private static final int EHWPOISON = 133;

    /** State of pages. */
    public enum State {
        READABLE,

        /**
         * An access would fault, because the file ends before the pages, or the memory is broken.
         */
        LOST,

        /** The kernel is older than Linux 5.14 and does not support the query. */
        UNKNOWN
    }

    private MappedPages() {}

    /**
     * Replaces a mapping by zeroed private pages.
     *
     * @param pages the whole mapping.
     * @throws BusException if the kernel rejects the call, which leaves the mapping unchanged.
     */
    public static void replace(MemorySegment pages) {
        long address = Calls.mmap(pages.address(), pages.byteSize());
        if (address != pages.address()) {
            throw new BusException(
                    "cannot replace "
                            + pages.byteSize()
                            + " bytes of memory shared with the media driver by private pages (mmap"
                            + " failed): raise vm.max_map_count");
        }
    }

    /**
     * Returns the state of pages, without faulting if they are lost.
     *
     * @param pages part of a mapping, starting at a page boundary.
     */
    public static State state(MemorySegment pages) {
        int errno = Calls.madvise(pages.address(), pages.byteSize(), MADV_POPULATE_READ);
        return switch (errno) {
            case EFAULT, EHWPOISON -> State.LOST;
            case EINVAL -> State.UNKNOWN;
            default -> State.READABLE;
        };
    }

    /** Linked on first use, not when an application connects. */
    @SuppressWarnings("restricted")
    private static final class Calls {
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO =
                STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

        // Null if the JVM denies native access.
        private static final MethodHandle MMAP =
                link(
                        "mmap",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT,
                                JAVA_LONG));
        private static final MethodHandle MADVISE =
                link(
                        "madvise",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
                        Linker.Option.captureCallState("errno"));

        private static MethodHandle link(
                String name, FunctionDescriptor function, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            try {
                return linker.downcallHandle(
                        linker.defaultLookup().findOrThrow(name), function, options);
            } catch (IllegalCallerException e) {
                return null;
            }
        }

        private static MethodHandle present(MethodHandle call) {
            if (call == null) {
                throw new BusException(
                        "this JVM denies native access, which is needed to unmap the media driver's"
                                + " memory: start it with "
                                + JvmFlags.needed());
            }
            return call;
        }

        private static long mmap(long address, long length) {
            MethodHandle call = present(MMAP);
            try {
                return (long)
                        call.invokeExact(
                                address,
                                length,
                                PROT_READ_WRITE,
                                MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE,
                                NO_FILE,
                                0L);
            } catch (Throwable e) {
                throw new IllegalStateException("cannot call mmap()", e);
            }
        }

        /** Returns 0 or the errno. */
        private static int madvise(long address, long length, int advice) {
            MethodHandle call = present(MADVISE);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                int result = (int) call.invokeExact(state, address, length, advice);
                return result == 0 ? 0 : (int) ERRNO.get(state, 0L);
            } catch (Throwable e) {
                throw new IllegalStateException("cannot call madvise()", e);
            }
        }
    }
}
