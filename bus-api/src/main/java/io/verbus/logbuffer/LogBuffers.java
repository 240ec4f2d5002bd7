// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;
import io.verbus.directory.DirectoryTrust;
import io.verbus.directory.DriverFile;
import io.verbus.memory.ClientMapping;
import io.verbus.memory.LogRoom;
import io.verbus.memory.MappedPages;

import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A log, usually a file mapped into this process; {@link LogLayout} describes its contents.
 *
 * <p>Any thread may use the buffers, subject to the protocol between the log's users. Any thread
 * may close the log. Once {@link #close()} has started, no buffer of a log that this process
 * created may be accessed, because the memory is unmapped. A buffer of a log mapped by {@link #map}
 * reads as zero from then on; see {@link ClientMapping}.
 */
public final class LogBuffers implements AutoCloseable {
    private static final int PAGE = 4096;

    /** Reopens the file of a log. */
    private interface Opening {
        FileChannel open() throws IOException;
    }

    private final Path file;
    private final Opening opening;
    private final Runnable release;
    private final MemorySegment segment;
    private final LogSpec spec;
    private final UnsafeBuffer[] terms = new UnsafeBuffer[LogLayout.PARTITIONS];
    private final UnsafeBuffer metadata;

    /**
     * Sum of the bytes read to touch pages. Without it, the JIT would remove the reads, because
     * they would have no effect.
     */
    private int touched;

    /** Set before the log is shared. */
    private LogRoom room = LogRoom.WHOLE;

    // Accessed under this object's monitor, because one thread may read the file while another
    // closes the log.
    private FileChannel channel;
    private boolean isClosed;

    private LogBuffers(
            Path file, Opening opening, Runnable release, MemorySegment segment, LogSpec spec) {
        this.file = file;
        this.opening = opening;
        this.release = release;
        this.segment = segment;
        this.spec = spec;
        for (int i = 0; i < terms.length; i++) {
            terms[i] = view(segment, (long) i * spec.termLength(), spec.termLength());
        }
        metadata = metadata(segment);
    }

    /**
     * Creates and maps a log file without reserving space for it, so a later access faults if the
     * file system has filled up. A caller that must not fault reserves the file's space first and
     * then calls {@link #initialise}.
     *
     * @param file file to create; must not exist yet.
     * @param spec fixed parameters of the log.
     * @return the log, ready to append at the position of the spec.
     * @throws BusException if the file cannot be created.
     */
    public static LogBuffers create(Path file, LogSpec spec) {
        try {
            DriverFile.create(file).close();
        } catch (FileAlreadyExistsException e) {
            throw new BusException(
                    file + " already exists: remove it, or choose another driver directory", e);
        } catch (IOException e) {
            throw cannotCreate(file, e);
        }
        return initialise(file, file, spec, LogLayout.MIN_PAGE_LENGTH);
    }

    /**
     * Maps a file and initialises it as a log, without touching any page of the terms.
     *
     * @param file existing file: empty, or zeroed and of the log's length. Deleted on failure.
     * @param place path through which to access the file; the same as {@code file}, or a path that
     *     still leads to the file if another file has taken its name.
     * @param spec fixed parameters of the log; the term length must be a multiple of the page
     *     length.
     * @param pageLength page length of the file in bytes, such as {@link
     *     LogLayout#MIN_PAGE_LENGTH}.
     * @return the log, ready to append at the position of the spec.
     * @throws BusException if the file cannot be mapped.
     */
    public static LogBuffers initialise(Path file, Path place, LogSpec spec, long pageLength) {
        long length = LogLayout.fileLength(spec.termLength(), pageLength);
        Arena arena = Arena.ofShared();
        try (FileChannel channel =
                FileChannel.open(place, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
            initialise(metadata(segment), spec, pageLength);
            return new LogBuffers(file, () -> reopened(place), arena::close, segment, spec);
        } catch (IOException e) {
            arena.close();
            discard(place, e);
            throw cannotCreate(file, e);
        }
    }

    private static FileChannel reopened(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    private static BusException cannotCreate(Path file, IOException cause) {
        return new BusException(
                "cannot create the log "
                        + file
                        + " ("
                        + cause
                        + "): free space there, or choose another driver directory",
                cause);
    }

    /**
     * Creates a log in private memory, for a process that is both publisher and subscriber.
     *
     * @param spec fixed parameters of the log.
     * @return the log, ready to append at the position of the spec; it has no file.
     */
    public static LogBuffers inMemory(LogSpec spec) {
        Arena arena = Arena.ofShared();
        MemorySegment segment =
                arena.allocate(LogLayout.fileLength(spec.termLength()), LogLayout.METADATA_LENGTH);
        initialise(metadata(segment), spec, LogLayout.MIN_PAGE_LENGTH);
        return new LogBuffers(null, null, arena::close, segment, spec);
    }

    private static void discard(Path file, IOException failure) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException suppressed) {
            failure.addSuppressed(suppressed);
        }
    }

    /**
     * Maps an existing file after checking that it is a log. Does not touch any page of the terms;
     * see {@link #touch}.
     *
     * @param file file to map.
     * @param readOnly whether to map it read-only.
     * @return the log.
     * @throws BusException if the file is missing, truncated, of another version, or not a log.
     */
    public static LogBuffers map(Path file, boolean readOnly) {
        Path absolute = file.toAbsolutePath();
        return map(absolute.getParent(), absolute, readOnly, DirectoryTrust.OWN);
    }

    /**
     * Maps a driver's file after checking its owner, and that it is a log.
     *
     * @param directory directory of the driver.
     * @param file file to map.
     * @param readOnly whether to map it read-only.
     * @param trust which owners and locations of files to trust.
     * @return the log.
     * @throws BusException as in {@link #map(Path, boolean)}, or if the file is not trusted.
     */
    public static LogBuffers map(
            Path directory, Path file, boolean readOnly, DirectoryTrust trust) {
        try (FileChannel channel = trust.open(directory, file, readOnly)) {
            long length = channel.size();
            if (!LogLayout.isFileLength(length)) {
                throw new BusException(
                        file
                                + " has "
                                + length
                                + " bytes, which is not the length of a log: the file is truncated,"
                                + " or is not a log; restart its driver");
            }
            ClientMapping mapping =
                    ClientMapping.map(
                            channel,
                            readOnly
                                    ? FileChannel.MapMode.READ_ONLY
                                    : FileChannel.MapMode.READ_WRITE,
                            length);
            MemorySegment segment = mapping.segment();
            LogSpec spec = check(file, metadata(segment), length);
            return new LogBuffers(
                    file, () -> trust.open(directory, file, true), mapping::release, segment, spec);
        } catch (IOException e) {
            throw new BusException(
                    "cannot map the log " + file + " (" + e + "): check that its driver is running",
                    e);
        }
    }

    private static void initialise(UnsafeBuffer metadata, LogSpec spec, long pageLength) {
        int bits = LogLayout.positionBitsToShift(spec.termLength());
        int termCount = (int) (spec.position() >>> bits);
        metadata.putLong(LogLayout.END_OF_STREAM, LogLayout.NOT_ENDED);
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            // The raw tail of a term that is not active yet contains a term id one lap behind.
            int partition = (LogLayout.partition(termCount) + i) % LogLayout.PARTITIONS;
            int termId = spec.initialTermId() + termCount + i - (i == 0 ? 0 : LogLayout.PARTITIONS);
            int offset = i == 0 ? LogLayout.termOffset(spec.position(), spec.termLength()) : 0;
            metadata.putLong(
                    LogLayout.RAW_TAILS + partition * Long.BYTES,
                    LogLayout.rawTail(termId, offset));
        }
        metadata.putInt(LogLayout.ACTIVE_TERM_COUNT, termCount);
        metadata.putLong(LogLayout.REGISTRATION_ID, spec.registrationId());
        metadata.putInt(LogLayout.INITIAL_TERM_ID, spec.initialTermId());
        metadata.putInt(LogLayout.DEFAULT_HEADER_LENGTH, FrameHeader.LENGTH);
        metadata.putInt(LogLayout.MTU, spec.mtu());
        metadata.putInt(LogLayout.TERM_LENGTH, spec.termLength());
        metadata.putInt(LogLayout.PAGE_LENGTH, (int) pageLength);
        metadata.putLong(
                LogLayout.DEFAULT_HEADER,
                FrameHeader.word(0, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA));
        metadata.putInt(LogLayout.SESSION_ID, spec.sessionId());
        metadata.putInt(LogLayout.STREAM_ID, spec.streamId());
        metadata.putInt(LogLayout.DEFAULT_HEADER + FrameHeader.TERM_ID, spec.initialTermId());
        metadata.putByte(LogLayout.TYPE, spec.type().code());
        LogNotes.initialise(metadata);
        VarHandle.releaseFence();
    }

    private static LogSpec check(Path file, UnsafeBuffer metadata, long length) {
        VarHandle.acquireFence();
        int termLength = metadata.getInt(LogLayout.TERM_LENGTH);
        int pageLength = metadata.getInt(LogLayout.PAGE_LENGTH);
        if (!LogLayout.isFileLength(length, termLength, pageLength)) {
            throw new BusException(
                    file
                            + " has "
                            + length
                            + " bytes, but its metadata specifies terms of "
                            + termLength
                            + " bytes and pages of "
                            + pageLength
                            + " bytes: the file is truncated, damaged or not a log; restart its"
                            + " driver");
        }
        LogType type = LogType.of(metadata.getByte(LogLayout.TYPE));
        int headerLength = metadata.getInt(LogLayout.DEFAULT_HEADER_LENGTH);
        if (type == null || headerLength != FrameHeader.LENGTH) {
            throw new BusException(
                    file
                            + " is not a supported log: its metadata specifies type "
                            + metadata.getByte(LogLayout.TYPE)
                            + " and frame headers of "
                            + headerLength
                            + " bytes; use the same Verbus release for driver and clients");
        }
        try {
            return new LogSpec(
                    type,
                    metadata.getLong(LogLayout.REGISTRATION_ID),
                    metadata.getInt(LogLayout.SESSION_ID),
                    metadata.getInt(LogLayout.STREAM_ID),
                    metadata.getInt(LogLayout.INITIAL_TERM_ID),
                    termLength,
                    metadata.getInt(LogLayout.MTU),
                    0);
        } catch (BusException e) {
            throw new BusException(
                    file + " is damaged, because its metadata is invalid: " + e.getMessage(), e);
        }
    }

    private static UnsafeBuffer metadata(MemorySegment segment) {
        return view(
                segment, LogLayout.metadataOffset(segment.byteSize()), LogLayout.METADATA_LENGTH);
    }

    private static UnsafeBuffer view(MemorySegment segment, long offset, int length) {
        return ClientMapping.view(segment, offset, length);
    }

    /** Returns the mapped file; null if the log is in private memory. */
    public Path file() {
        return file;
    }

    /**
     * Returns the mapped file, open for reading until the log is closed. Thread-safe.
     *
     * @throws BusException if the log is closed or has no file, or the file cannot be opened.
     */
    public synchronized FileChannel channel() {
        if (file == null || isClosed) {
            throw new BusException(
                    "the log "
                            + (file == null ? "is in memory" : file + " is closed")
                            + ", so there is no file to read: poll its buffer instead");
        }
        try {
            if (channel == null) {
                channel = opening.open();
            }
            return channel;
        } catch (IOException e) {
            throw new BusException(
                    "cannot open the log " + file + " (" + e + "): poll its buffer instead", e);
        }
    }

    /**
     * Returns the fixed parameters of the log; {@link LogSpec#position()} is 0 unless this process
     * created the log.
     */
    public LogSpec spec() {
        return spec;
    }

    /** Returns the buffer over a term. */
    public UnsafeBuffer term(int partition) {
        return terms[partition];
    }

    /**
     * Returns the address of a term, for callers that access the term for each message and check
     * their offsets. Access through a buffer is slower, because a buffer may wrap an array, so each
     * access must load the buffer's fields.
     */
    long termAddress(int partition) {
        return terms[partition].addressOffset();
    }

    /** Returns the buffer over the metadata. */
    public UnsafeBuffer metadata() {
        return metadata;
    }

    /** Returns which part of the log is in memory. */
    public LogRoom room() {
        return room;
    }

    /**
     * Marks the log as only partly in memory. Must be called before the log is shared.
     *
     * @param partial object that allocates and frees the log's memory.
     */
    public void room(LogRoom partial) {
        room = partial;
    }

    /** Returns the length of the mapping in bytes. */
    public long length() {
        return segment.byteSize();
    }

    /** Returns the address of the first term in this process. */
    public long address() {
        return segment.address();
    }

    /**
     * Returns the length in bytes of the three terms, the only part of the log that a peer may
     * write.
     */
    public long termsLength() {
        return (long) LogLayout.PARTITIONS * spec.termLength();
    }

    /**
     * Reads pages so that they are in memory and in this process's page tables, and later accesses
     * cause no page faults. Skips the space between the terms and the metadata, which is unused and
     * may not be backed by memory. Thread-safe, but the log must not be closed during the call.
     *
     * @param from first byte of the mapping to touch.
     * @param count number of bytes to touch; limited to the part of the log that contains the first
     *     byte.
     * @return the byte at which to continue, or {@link #length()} once everything is touched.
     */
    public long touch(long from, long count) {
        long terms = termsLength();
        long end = Math.min(from + count, from < terms ? terms : segment.byteSize());
        int sum = 0;
        for (long at = from; at < end; at += PAGE) {
            sum += segment.get(ValueLayout.JAVA_BYTE, at);
        }
        touched = sum;
        return end == terms ? LogLayout.metadataOffset(segment.byteSize()) : end;
    }

    /**
     * Returns whether another process has truncated the file, in which case an access to this log
     * may fault. Thread-safe, but the log must not be closed during the call.
     */
    public boolean isTruncated() {
        if (file == null) {
            return false;
        }
        // Only the last page is checked: it holds the metadata, and a truncation removes it first.
        long last = LogLayout.metadataOffset(segment.byteSize()) & -PAGE;
        return switch (MappedPages.state(segment.asSlice(last))) {
            case READABLE -> false;
            case LOST -> true;
            case UNKNOWN -> isFileShort();
        };
    }

    private boolean isFileShort() {
        try {
            return Files.size(file) < segment.byteSize();
        } catch (IOException e) {
            return true; // a removed log may have been truncated before
        }
    }

    /**
     * Replaces the mapping with private memory, because another process may have truncated the
     * file. The private memory holds an empty log, so that the remaining users' accesses do not
     * fault. Only for logs that this process created.
     *
     * @throws BusException if the kernel rejects the mapping.
     */
    public void abandon() {
        MappedPages.replace(segment);
        initialise(metadata, spec, LogLayout.MIN_PAGE_LENGTH);
    }

    /**
     * Unmaps the file without deleting it, or frees the private memory. For a log mapped by {@link
     * #map}, zeroed pages take the place of the file, for late accesses.
     */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            CloseHelper.quietClose(channel); // read-only, so a failure loses nothing
            release.run();
        }
    }
}
