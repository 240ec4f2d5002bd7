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
 * A log, mostly a file mapped into this process. See {@link LogLayout} for what it holds.
 *
 * <p>The buffers may be used by any thread, as their users agree; creation and {@link #close()} are
 * for one thread. Nothing may touch a buffer of a log that was created once {@link #close()} has
 * begun: its memory is gone. A buffer of a log that was mapped is empty from then on, see {@link
 * ClientMapping}.
 */
public final class LogBuffers implements AutoCloseable {
    private static final int PAGE = 4096;

    /** Opens the file of a log again. */
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

    /** What was read to touch pages: the compiler leaves out what is not kept. */
    private int touched;

    /** Set before others know of the log. */
    private LogRoom room = LogRoom.WHOLE;

    // Under this object's monitor, as one thread reads the file and another closes the log.
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
     * Creates and maps a log file. Its space is not reserved: where the file system fills up, a
     * later access fails. A caller that cannot afford that reserves the file's space first, and
     * calls {@link #initialise}.
     *
     * @param file that must not exist yet.
     * @param spec what the log is for.
     * @return the log, ready to append at the position of the spec.
     * @throws BusException if the file cannot be created.
     */
    public static LogBuffers create(Path file, LogSpec spec) {
        try {
            DriverFile.create(file).close();
        } catch (FileAlreadyExistsException e) {
            throw new BusException(
                    file + " exists already: remove it, or choose another driver directory", e);
        } catch (IOException e) {
            throw cannotCreate(file, e);
        }
        return initialise(file, file, spec, LogLayout.MIN_PAGE_LENGTH);
    }

    /**
     * Maps a file that is to be a log, and makes it one. No page of its terms is touched.
     *
     * @param file that exists: empty, or of the log's length and zero. It is deleted on failure.
     * @param place path that leads to the file whatever its name leads to by now, or its name.
     * @param spec what the log is for; its term length is a multiple of the page length.
     * @param pageLength bytes of a page of the file, such as {@link LogLayout#MIN_PAGE_LENGTH}.
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
     * Makes a log in this process' memory that no other process can map: for who is publisher and
     * subscriber in one.
     *
     * @param spec what the log is for.
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
     * Maps a log file that exists, after checking that it is one. No page of its terms is touched:
     * see {@link #touch}.
     *
     * @param file to map.
     * @param readOnly whether this process may only read it.
     * @return the log.
     * @throws BusException if the file is absent, truncated, of another version, or no log.
     */
    public static LogBuffers map(Path file, boolean readOnly) {
        Path absolute = file.toAbsolutePath();
        return map(absolute.getParent(), absolute, readOnly, DirectoryTrust.OWN);
    }

    /**
     * Maps a log file of a driver, after checking whose it is and that it is one.
     *
     * @param directory of the driver.
     * @param file to map.
     * @param readOnly whether this process may only read it.
     * @param trust that decides whose file may be mapped, and where it may lie.
     * @return the log.
     * @throws BusException as {@link #map(Path, boolean)}, or if it is not to be trusted.
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
                                + " bytes, which no log has: it is truncated or"
                                + " not a log");
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
            throw new BusException("cannot map the log " + file + ": " + e, e);
        }
    }

    private static void initialise(UnsafeBuffer metadata, LogSpec spec, long pageLength) {
        int bits = LogLayout.positionBitsToShift(spec.termLength());
        int termCount = (int) (spec.position() >>> bits);
        metadata.putLong(LogLayout.END_OF_STREAM, LogLayout.NOT_ENDED);
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            // A term that is not active yet is found to be so by its id: one cycle behind its next.
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
                            + " bytes but says that its terms have "
                            + termLength
                            + " and its pages "
                            + pageLength
                            + ": it is truncated, damaged or not a log");
        }
        LogType type = LogType.of(metadata.getByte(LogLayout.TYPE));
        int headerLength = metadata.getInt(LogLayout.DEFAULT_HEADER_LENGTH);
        if (type == null || headerLength != FrameHeader.LENGTH) {
            throw new BusException(
                    file
                            + " is not a log that this process knows: its metadata says that it is"
                            + " of type "
                            + metadata.getByte(LogLayout.TYPE)
                            + " with frame headers of "
                            + headerLength
                            + " bytes");
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
                    file + " is damaged: its metadata says that its " + e.getMessage(), e);
        }
    }

    private static UnsafeBuffer metadata(MemorySegment segment) {
        return view(
                segment, LogLayout.metadataOffset(segment.byteSize()), LogLayout.METADATA_LENGTH);
    }

    private static UnsafeBuffer view(MemorySegment segment, long offset, int length) {
        return ClientMapping.view(segment, offset, length);
    }

    /** The file that is mapped; null if the log is in memory. */
    public Path file() {
        return file;
    }

    /**
     * The file that is mapped, open for reading until the log is closed. Any thread.
     *
     * @throws BusException if the log has no file, or it cannot be opened, or the log is closed.
     */
    public synchronized FileChannel channel() {
        if (file == null || isClosed) {
            throw new BusException(
                    "the log "
                            + (file == null ? "is in memory" : file + " is closed")
                            + ", and has no file to read: poll its buffer instead");
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

    /** What the log is for; {@link LogSpec#position()} is 0 where the file was not created here. */
    public LogSpec spec() {
        return spec;
    }

    /** Buffer over a term. */
    public UnsafeBuffer term(int partition) {
        return terms[partition];
    }

    /**
     * Address of a term, for callers that access it for each message and check its offsets: a
     * buffer may also be an array, which the compiler has to assume, and loads its fields at each
     * access.
     */
    long termAddress(int partition) {
        return terms[partition].addressOffset();
    }

    /** Buffer over the metadata. */
    public UnsafeBuffer metadata() {
        return metadata;
    }

    /** The memory of the log. */
    public LogRoom room() {
        return room;
    }

    /**
     * Says that not all of the log is in memory. Before others know of the log.
     *
     * @param partial what takes its memory, and gives it back.
     */
    public void room(LogRoom partial) {
        room = partial;
    }

    /** Bytes of all that is mapped. */
    public long length() {
        return segment.byteSize();
    }

    /** Address of the first term in this process. */
    public long address() {
        return segment.address();
    }

    /** Bytes of the three terms: what a peer may write. */
    public long termsLength() {
        return (long) LogLayout.PARTITIONS * spec.termLength();
    }

    /**
     * Brings pages into memory and into this process' tables, without a change to what they hold,
     * so that later accesses meet no page fault. What lies between the terms and the metadata is
     * left out: nothing uses it, and it may have no memory. Any thread; the log must not be closed
     * meanwhile.
     *
     * @param from byte of the mapping.
     * @param count bytes; those behind the part that the first one is in are left out.
     * @return the byte to go on at, or {@link #length()} behind the last.
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
     * Whether another process has truncated the file, so that an access to this log may be a fault.
     * Any thread; the log must not be closed meanwhile.
     */
    public boolean isTruncated() {
        if (file == null) {
            return false;
        }
        // The last page holds the metadata, and goes first.
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
            return true; // whoever removes a log may have truncated it before
        }
    }

    /**
     * Puts memory of this process in the place of the file, which others may have truncated. The
     * log is one that nothing was appended to, and that nobody else sees: who still has it meets no
     * fault. For logs that were created here.
     *
     * @throws BusException if the kernel refuses.
     */
    public void abandon() {
        MappedPages.replace(segment);
        initialise(metadata, spec, LogLayout.MIN_PAGE_LENGTH);
    }

    /**
     * Unmaps the file, which stays, or frees the memory. Of a log that was mapped by {@link #map},
     * empty pages stay for late users.
     */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            CloseHelper.quietClose(channel); // which was only read
            release.run();
        }
    }
}
