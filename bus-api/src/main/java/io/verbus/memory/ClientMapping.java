// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import io.verbus.BusException;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;

/**
 * A file mapped into a client. Any thread of the application may be accessing it at any time, such
 * as in a fragment handler that does not return, or by a claim that is not committed.
 *
 * <p>Unmapping therefore takes two steps. {@link #release} replaces the file's pages by zeroed
 * private ones: the file's memory is freed, and a late access reads zeroes or writes memory that
 * nothing reads. The addresses are freed once nothing refers to the mapping or to its buffers.
 */
public final class ClientMapping {
    private final MemorySegment segment;

    private ClientMapping(MemorySegment segment) {
        this.segment = segment;
    }

    /**
     * Maps a file from its start.
     *
     * @param channel channel of the file.
     * @param mode mode of the mapping.
     * @param length length of the mapping in bytes.
     * @return the mapping.
     * @throws IOException if the file cannot be mapped.
     */
    public static ClientMapping map(FileChannel channel, FileChannel.MapMode mode, long length)
            throws IOException {
        return new ClientMapping(channel.map(mode, 0, length, Arena.ofAuto()));
    }

    /** Returns the memory, which exists as long as this object, the segment or a buffer over it. */
    public MemorySegment segment() {
        return segment;
    }

    /** Returns a buffer over part of the memory. */
    public UnsafeBuffer view(long offset, int length) {
        return view(segment, offset, length);
    }

    /**
     * Returns a buffer over part of a segment; the garbage collector frees the segment only after
     * the buffer.
     */
    public static UnsafeBuffer view(MemorySegment segment, long offset, int length) {
        return new UnsafeBuffer(segment.asSlice(offset, length).asByteBuffer());
    }

    /**
     * Replaces the file's pages by zeroed private ones. Thread-safe. Idempotent.
     *
     * @throws BusException if the kernel rejects the call, which leaves the file mapped.
     */
    public void release() {
        MappedPages.replace(segment);
    }
}
