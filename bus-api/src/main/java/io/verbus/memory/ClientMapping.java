// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbus.BusException;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;

/**
 * A file mapped into a client. Any thread of the application may be using it at any time, such as
 * in a fragment handler that does not return, or with a claim that was not committed.
 *
 * <p>So the file is let go of in two steps. {@link #release} puts empty pages of this process in
 * the place of the file's: the file's memory is free, and a late user reads zeroes or writes what
 * nothing reads. The addresses are free when nothing refers to the mapping or to its buffers.
 */
public final class ClientMapping {
    // mmap(2), as Linux has it on x86-64 and on AArch64.
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE = 0x02;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int NO_FILE = -1;

    private final MemorySegment segment;

    private ClientMapping(MemorySegment segment) {
        this.segment = segment;
    }

    /**
     * Maps a file from its beginning.
     *
     * @param channel of the file.
     * @param mode in which to map it.
     * @param length in bytes.
     * @return the mapping.
     * @throws IOException if it cannot be mapped.
     */
    public static ClientMapping map(FileChannel channel, FileChannel.MapMode mode, long length)
            throws IOException {
        return new ClientMapping(channel.map(mode, 0, length, Arena.ofAuto()));
    }

    /** The memory, which exists as long as this object, the segment or a buffer of it does. */
    public MemorySegment segment() {
        return segment;
    }

    /** Buffer over part of the memory. */
    public UnsafeBuffer view(long offset, int length) {
        return view(segment, offset, length);
    }

    /**
     * Buffer over part of a segment, which is not freed by the garbage collector before the buffer
     * is.
     */
    public static UnsafeBuffer view(MemorySegment segment, long offset, int length) {
        return new UnsafeBuffer(segment.asSlice(offset, length).asByteBuffer());
    }

    /**
     * Lets go of the file, and leaves empty pages behind. Any thread; does no more the second time.
     *
     * @throws BusException if the kernel refuses, which leaves the file mapped.
     */
    public void release() {
        long address = Calls.mmap(segment.address(), segment.byteSize());
        if (address != segment.address()) {
            throw new BusException(
                    "mmap cannot put empty pages in the place of "
                            + segment.byteSize()
                            + " bytes that were shared with the media driver: raise"
                            + " vm.max_map_count");
        }
    }

    /** Linked when first needed, not when an application connects. */
    @SuppressWarnings("restricted")
    private static final class Calls {
        /** Null where the JVM was told to deny native access. */
        private static final MethodHandle MMAP = link();

        private static MethodHandle link() {
            Linker linker = Linker.nativeLinker();
            try {
                return linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("mmap"),
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT,
                                JAVA_LONG));
            } catch (IllegalCallerException e) {
                return null;
            }
        }

        private static long mmap(long address, long length) {
            if (MMAP == null) {
                throw new BusException(
                        "this JVM denies native access, without which the media driver's memory"
                                + " stays mapped: start it with "
                                + JvmFlags.NEEDED);
            }
            try {
                return (long)
                        MMAP.invokeExact(
                                address,
                                length,
                                PROT_READ_WRITE,
                                MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE,
                                NO_FILE,
                                0L);
            } catch (Throwable e) {
                throw new IllegalStateException("mmap cannot be called", e);
            }
        }
    }
}
