// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import io.verbus.BusException;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
        MappedPages.replace(segment);
    }
}
