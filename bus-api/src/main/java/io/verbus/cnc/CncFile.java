// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;
import io.verbus.directory.DirectoryTrust;
import io.verbus.directory.DriverFile;
import io.verbus.memory.ClientMapping;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The command-and-control file of a driver directory, mapped into this process. Its layout is
 * Aeron's.
 *
 * <pre>
 *  +----------------------------+ 0     header; offsets within it:
 *  |  version                   |   0   int32, stored last, with release
 *  |  to-driver length          |   4   int32   of the ring buffer with its trailer
 *  |  to-clients length         |   8   int32   of the broadcast buffer with its trailer
 *  |  counter metadata length   |  12   int32
 *  |  counter values length     |  16   int32
 *  |  error log length          |  20   int32
 *  |  client liveness timeout   |  24   int64   nanoseconds
 *  |  start time                |  32   int64   milliseconds since the epoch
 *  |  process id                |  40   int64
 *  |  page length               |  48   int32   of the file, a power of two; 0 is 4096
 *  |  driver id                 |  56   int64   Verbus only; 0 in the file of another driver
 *  |  lets go                   |  64   int32   Verbus only; 1 if slow subscribers are detached
 *  |                            |              unless their channels set tether
 *  +----------------------------+ 128
 *  |  commands                  |  ManyToOneRingBuffer, clients to driver
 *  +----------------------------+
 *  |  events                    |  broadcast buffer, driver to clients
 *  +----------------------------+
 *  |  counters' metadata        |  CountersReader.METADATA_LENGTH for each counter
 *  +----------------------------+
 *  |  counters' values          |  CountersReader.COUNTER_LENGTH for each counter
 *  +----------------------------+
 *  |  error log                 |  DistinctErrorLog
 *  +----------------------------+  up to a whole page
 * </pre>
 *
 * No section is aligned: each starts where the previous one ends. The driver's heartbeat is the
 * consumer heartbeat time of the ring buffer, milliseconds since the epoch; -1 once the driver has
 * closed.
 */
public final class CncFile implements AutoCloseable {
    /** Name of the file within a driver directory. */
    public static final String NAME = "cnc.dat";

    /** Version of this layout and protocol as major, minor and patch: 0.2.0. */
    public static final int VERSION_VALUE = 2 << 8;

    /** Length of the header in bytes. */
    public static final int HEADER_LENGTH = 128;

    static final int VERSION = 0;
    static final int TO_DRIVER_LENGTH = 4;
    static final int TO_CLIENTS_LENGTH = 8;
    static final int COUNTER_METADATA_LENGTH = 12;
    static final int COUNTER_VALUES_LENGTH = 16;
    static final int ERROR_LOG_LENGTH = 20;
    static final int CLIENT_LIVENESS_TIMEOUT = 24;
    static final int START_TIME = 32;
    static final int PID = 40;
    static final int PAGE_LENGTH = 48;
    static final int DRIVER_ID = 56;
    static final int LETS_GO = 64;
    static final int PAGE = 4096;

    private static final int MAX_PAGE = 1024 * 1024 * 1024;
    private static final int MIN_SECTION = 4096;
    private static final int MAX_SECTION = 500 * 1024 * 1024;
    private static final int METADATA_PER_VALUE =
            CountersReader.METADATA_LENGTH / CountersReader.COUNTER_LENGTH;

    private final Runnable release;
    private final CncSpec spec;
    private final UnsafeBuffer header;
    private final UnsafeBuffer toDriver;
    private final UnsafeBuffer toClients;
    private final UnsafeBuffer counterMetadata;
    private final UnsafeBuffer counterValues;
    private final UnsafeBuffer errorLog;
    private boolean isClosed;

    private CncFile(Runnable release, MemorySegment segment, CncSpec spec) {
        this.release = release;
        this.spec = spec;
        header = view(segment, 0, HEADER_LENGTH);
        long at = HEADER_LENGTH;
        int length = ringLength(spec);
        toDriver = view(segment, at, length);
        at += length;
        length = broadcastLength(spec);
        toClients = view(segment, at, length);
        at += length;
        length = spec.counterValuesLength() * METADATA_PER_VALUE;
        counterMetadata = view(segment, at, length);
        at += length;
        length = spec.counterValuesLength();
        counterValues = view(segment, at, length);
        at += length;
        errorLog = view(segment, at, spec.errorLogLength());
    }

    /**
     * Creates and maps the file of a starting driver, with the smallest page length.
     *
     * @param file file to create; must not exist yet.
     * @param spec sizes, and identity of the driver.
     * @return the mapped file. Clients treat it as incomplete until {@link #publish()}.
     * @throws BusException if the file cannot be created or there is too little space.
     */
    public static CncFile create(Path file, CncSpec spec) {
        return create(file, spec, PAGE);
    }

    /**
     * Creates and maps the file of a starting driver. The unused end of its last page takes almost
     * no memory.
     *
     * @param file file to create; must not exist yet.
     * @param spec sizes, and identity of the driver.
     * @param pageLength page length in bytes, a power of two from 4096 to 1 GiB; the file is a
     *     whole number of pages long. @return the mapped file. Clients treat it as incomplete until
     *     {@link #publish()}.
     * @throws BusException if the file cannot be created or there is too little space.
     */
    public static CncFile create(Path file, CncSpec spec, int pageLength) {
        long length = fileLength(spec, pageLength);
        if (length > Integer.MAX_VALUE) {
            throw new BusException(
                    "the driver's command-and-control file would have "
                            + length
                            + " bytes, more than its layout allows (2 GiB): choose smaller buffers,"
                            + " fewer counters or smaller pages");
        }
        Arena arena = Arena.ofShared();
        try (FileChannel channel = DriverFile.create(file)) {
            // Write zeros rather than extend the file: a hole that cannot be filled later would
            // fault. Write the last byte first: a client may map the file as soon as it exists, and
            // waits for the version but not for the length.
            ByteBuffer zeros = ByteBuffer.allocateDirect(64 * 1024);
            channel.write(zeros.limit(1), length - 1);
            long used = fileLength(spec, PAGE);
            for (long at = 0; at < used; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), used - at));
                at += channel.write(zeros, at);
            }
            MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
            UnsafeBuffer header = view(segment, 0, HEADER_LENGTH);
            header.putInt(TO_DRIVER_LENGTH, ringLength(spec));
            header.putInt(TO_CLIENTS_LENGTH, broadcastLength(spec));
            header.putInt(COUNTER_METADATA_LENGTH, spec.counterValuesLength() * METADATA_PER_VALUE);
            header.putInt(COUNTER_VALUES_LENGTH, spec.counterValuesLength());
            header.putInt(ERROR_LOG_LENGTH, spec.errorLogLength());
            header.putLong(CLIENT_LIVENESS_TIMEOUT, spec.clientLivenessTimeoutNs());
            header.putLong(START_TIME, spec.startMs());
            header.putLong(PID, spec.pid());
            header.putInt(PAGE_LENGTH, pageLength);
            header.putLong(DRIVER_ID, spec.driverId());
            header.putInt(LETS_GO, spec.letsGo() ? 1 : 0);
            return new CncFile(arena::close, segment, spec);
        } catch (FileAlreadyExistsException e) {
            arena.close();
            throw new BusException(
                    file + " already exists: remove it, or choose another driver directory", e);
        } catch (IOException e) {
            arena.close();
            discard(file, e);
            throw new BusException(
                    "cannot create the driver's command-and-control file of "
                            + length
                            + " bytes at "
                            + file
                            + " ("
                            + e.getMessage()
                            + "); "
                            + DriverFile.remedy(file),
                    e);
        }
    }

    private static void discard(Path file, IOException failure) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException suppressed) {
            failure.addSuppressed(suppressed);
        }
    }

    /**
     * Maps the file of a driver that runs as this user or as root, after checking the file.
     *
     * @param file file to map.
     * @return the mapped file.
     * @throws BusException if the file is missing, incomplete, truncated, of another version, or
     *     not a CnC file.
     */
    public static CncFile map(Path file) {
        return map(file, DirectoryTrust.OWN);
    }

    /**
     * Maps the file of a driver, after checking its owner and its content.
     *
     * @param file file to map.
     * @param trust owners and permissions to trust.
     * @return the mapped file.
     * @throws BusException as in {@link #map(Path)}, or if the file is not trusted.
     */
    public static CncFile map(Path file, DirectoryTrust trust) {
        return map(file, trust, false);
    }

    /**
     * Maps the file of a driver read-only, which an account without write access may do. Writing to
     * the mapping crashes the process.
     *
     * @param file file to map.
     * @param trust owners and permissions to trust.
     * @return the mapped file.
     * @throws BusException as in {@link #map(Path, DirectoryTrust)}.
     */
    public static CncFile mapToRead(Path file, DirectoryTrust trust) {
        return map(file, trust, true);
    }

    private static CncFile map(Path file, DirectoryTrust trust, boolean readOnly) {
        try (FileChannel channel =
                trust.open(file.toAbsolutePath().getParent(), file.toAbsolutePath(), readOnly)) {
            long length = channel.size();
            if (length < HEADER_LENGTH) {
                throw new BusException(
                        file
                                + " has only "
                                + length
                                + " bytes, because the driver is still starting or the"
                                + " file is truncated: try again, or restart the driver");
            }
            // Read the header rather than map it: a client that waits for a driver tries often.
            ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH);
            channel.read(header.limit(Integer.BYTES), VERSION);
            channel.read(
                    header.clear(),
                    0); // read again, now that everything before the version is stored
            CncSpec spec = check(file, new UnsafeBuffer(header), length);
            ClientMapping mapping =
                    ClientMapping.map(
                            channel,
                            readOnly
                                    ? FileChannel.MapMode.READ_ONLY
                                    : FileChannel.MapMode.READ_WRITE,
                            length);
            return new CncFile(mapping::release, mapping.segment(), spec);
        } catch (IOException e) {
            throw new BusException(
                    "cannot open "
                            + file
                            + " ("
                            + e
                            + "): start a media driver with this driver directory first",
                    e);
        }
    }

    /**
     * Returns whether a file still belongs to a driver, and is neither missing nor a later
     * driver's.
     *
     * @param file file to examine.
     * @param spec spec of the driver's file.
     * @return false if the file is missing or was created by another driver.
     */
    public static boolean belongsTo(Path file, CncSpec spec) {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_LENGTH);
        UnsafeBuffer header = new UnsafeBuffer(bytes);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.read(bytes, 0) == HEADER_LENGTH
                    && header.getLong(DRIVER_ID) == spec.driverId()
                    && header.getLong(START_TIME) == spec.startMs()
                    && header.getLong(PID) == spec.pid();
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            // Unknown, such as for lack of file descriptors: leave the decision to the heartbeat.
            return true;
        }
    }

    private static CncSpec check(Path file, UnsafeBuffer header, long length) {
        int version = header.getIntAcquire(VERSION);
        if (version == 0) {
            throw new BusException(
                    file
                            + " has no version yet: its driver is still starting, or it is not a"
                            + " driver's command-and-control file; try again, or choose another"
                            + " driver directory");
        }
        if (version >>> 16 != 0 || version >>> 8 < VERSION_VALUE >>> 8) {
            throw new BusException(
                    file
                            + " has version "
                            + (version >>> 16)
                            + "."
                            + (version >>> 8 & 0xFF)
                            + "."
                            + (version & 0xFF)
                            + ", but this process reads 0.2.0 and later 0.x versions: update driver"
                            + " and clients, or choose another directory if this is not a driver's"
                            + " command-and-control file");
        }
        CncSpec spec =
                new CncSpec(
                        header.getLong(DRIVER_ID),
                        header.getLong(START_TIME),
                        header.getLong(PID),
                        header.getLong(CLIENT_LIVENESS_TIMEOUT),
                        header.getInt(TO_DRIVER_LENGTH) - RingBufferDescriptor.TRAILER_LENGTH,
                        header.getInt(TO_CLIENTS_LENGTH) - BroadcastBufferDescriptor.TRAILER_LENGTH,
                        header.getInt(COUNTER_VALUES_LENGTH),
                        header.getInt(ERROR_LOG_LENGTH),
                        header.getLong(DRIVER_ID) != 0 && header.getInt(LETS_GO) == 1);
        boolean isSane =
                isSane(spec)
                        && header.getInt(COUNTER_METADATA_LENGTH)
                                == (long) spec.counterValuesLength() * METADATA_PER_VALUE;
        int page = header.getInt(PAGE_LENGTH) == 0 ? PAGE : header.getInt(PAGE_LENGTH);
        boolean isPage = page >= PAGE && page <= MAX_PAGE && BitUtil.isPowerOfTwo(page);
        if (!isSane || !isPage || fileLength(spec, page) > length || length > Integer.MAX_VALUE) {
            throw new BusException(
                    file
                            + " has "
                            + length
                            + " bytes, which do not match its header: the file is truncated or "
                            + "damaged; restart its driver");
        }
        return spec;
    }

    private static boolean isSane(CncSpec spec) {
        return isSection(spec.toDriverLength())
                && BitUtil.isPowerOfTwo(spec.toDriverLength())
                && isSection(spec.toClientsLength())
                && BitUtil.isPowerOfTwo(spec.toClientsLength())
                && isSection(spec.counterValuesLength())
                && spec.counterValuesLength() % CountersReader.COUNTER_LENGTH == 0
                && isSection(spec.errorLogLength())
                && spec.errorLogLength() % Long.BYTES == 0;
    }

    private static boolean isSection(int length) {
        return length >= MIN_SECTION && length <= MAX_SECTION;
    }

    private static long fileLength(CncSpec spec, int page) {
        long sections =
                (long) ringLength(spec)
                        + broadcastLength(spec)
                        + (long) spec.counterValuesLength() * (METADATA_PER_VALUE + 1)
                        + spec.errorLogLength();
        return BitUtil.align(HEADER_LENGTH + sections, page);
    }

    private static int ringLength(CncSpec spec) {
        return spec.toDriverLength() + RingBufferDescriptor.TRAILER_LENGTH;
    }

    private static int broadcastLength(CncSpec spec) {
        return spec.toClientsLength() + BroadcastBufferDescriptor.TRAILER_LENGTH;
    }

    private static UnsafeBuffer view(MemorySegment segment, long offset, int length) {
        return ClientMapping.view(segment, offset, length);
    }

    /** Marks a created file as valid for clients. The buffers must be initialised first. */
    public void publish() {
        header.putIntRelease(VERSION, VERSION_VALUE);
    }

    /** Returns the sizes, and the identity of the driver. */
    public CncSpec spec() {
        return spec;
    }

    /** Returns the buffer of commands, for an Agrona {@code ManyToOneRingBuffer}. */
    public UnsafeBuffer toDriver() {
        return toDriver;
    }

    /**
     * Returns the buffer of events, for an Agrona {@code BroadcastTransmitter} and {@code
     * BroadcastReceiver}.
     */
    public UnsafeBuffer toClients() {
        return toClients;
    }

    /**
     * Returns the metadata of the counters, for an Agrona {@code CountersManager} or {@code
     * CountersReader}.
     */
    public UnsafeBuffer counterMetadata() {
        return counterMetadata;
    }

    /** Returns the values of the counters. */
    public UnsafeBuffer counterValues() {
        return counterValues;
    }

    /** Returns the error log, for an Agrona {@code DistinctErrorLog} or {@code ErrorLogReader}. */
    public UnsafeBuffer errorLog() {
        return errorLog;
    }

    /**
     * Unmaps the file, which stays. The buffers of a created file must no longer be used; those of
     * a mapped file read as zero from now on, see {@link ClientMapping}.
     */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            release.run();
        }
    }
}
