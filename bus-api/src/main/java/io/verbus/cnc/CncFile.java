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
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The command-and-control file of a driver directory, mapped into this process.
 *
 * <pre>
 *  +----------------------------+ 0     header page; offsets within it:
 *  |  magic                     |   0   int64, stored last, with release
 *  |  version                   |   8   int32
 *  |  to-driver length          |  12   int32   of the ring buffer without its trailer
 *  |  to-clients length         |  16   int32   of the broadcast buffer without its trailer
 *  |  counter values length     |  20   int32
 *  |  error log length          |  24   int32
 *  |  driver id                 |  32   int64
 *  |  process id                |  40   int64
 *  |  client liveness timeout   |  48   int64   nanoseconds
 *  +----------------------------+ 4096
 *  |  commands                  |  ManyToOneRingBuffer, clients to driver
 *  +----------------------------+
 *  |  events                    |  broadcast buffer, driver to clients
 *  +----------------------------+
 *  |  counters' metadata        |  CountersReader.METADATA_LENGTH for each counter
 *  +----------------------------+
 *  |  counters' values          |  CountersReader.COUNTER_LENGTH for each counter
 *  +----------------------------+
 *  |  error log                 |  DistinctErrorLog
 *  +----------------------------+
 * </pre>
 *
 * Every section begins at a multiple of 4096. The driver's heartbeat is the consumer heartbeat time
 * of the ring buffer, milliseconds since the epoch.
 */
public final class CncFile implements AutoCloseable {
    /** Name of the file within a driver directory. */
    public static final String NAME = "cnc";

    /** "VERBUSCC" in ASCII. */
    public static final long MAGIC_VALUE = 0x4343_5355_4252_4556L;

    /** Version of this layout and of the protocol in it. */
    public static final int VERSION_VALUE = 1;

    static final int MAGIC = 0;
    static final int VERSION = 8;
    static final int TO_DRIVER_LENGTH = 12;
    static final int TO_CLIENTS_LENGTH = 16;
    static final int COUNTER_VALUES_LENGTH = 20;
    static final int ERROR_LOG_LENGTH = 24;
    static final int DRIVER_ID = 32;
    static final int PID = 40;
    static final int CLIENT_LIVENESS_TIMEOUT = 48;
    static final int PAGE = 4096;

    private static final int MIN_SECTION = 4096;
    private static final int MAX_SECTION = 256 * 1024 * 1024;
    private static final int METADATA_PER_VALUE =
            CountersReader.METADATA_LENGTH / CountersReader.COUNTER_LENGTH;

    private final Runnable release;
    private final CncSpec spec;
    private final UnsafeBuffer toDriver;
    private final UnsafeBuffer toClients;
    private final UnsafeBuffer counterMetadata;
    private final UnsafeBuffer counterValues;
    private final UnsafeBuffer errorLog;
    private boolean isClosed;

    private CncFile(Runnable release, MemorySegment segment, CncSpec spec) {
        this.release = release;
        this.spec = spec;
        long at = PAGE;
        int length = ringLength(spec);
        toDriver = view(segment, at, length);
        at += page(length);
        length = broadcastLength(spec);
        toClients = view(segment, at, length);
        at += page(length);
        length = spec.counterValuesLength() * METADATA_PER_VALUE;
        counterMetadata = view(segment, at, length);
        at += page(length);
        length = spec.counterValuesLength();
        counterValues = view(segment, at, length);
        at += page(length);
        errorLog = view(segment, at, spec.errorLogLength());
    }

    /**
     * Creates and maps the file of a driver that starts.
     *
     * @param file that must not exist yet.
     * @param spec its sizes and the driver's identity.
     * @return the mapped file. Clients see it as incomplete until {@link #publish()}.
     * @throws BusException if it cannot be created or there is too little space for it.
     */
    public static CncFile create(Path file, CncSpec spec) {
        long length = fileLength(spec);
        Arena arena = Arena.ofShared();
        try (FileChannel channel = DriverFile.create(file)) {
            // Written, not merely sized: a hole that cannot be filled later would be a fault.
            ByteBuffer zeros = ByteBuffer.allocateDirect(64 * 1024);
            for (long at = 0; at < length; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), length - at));
                at += channel.write(zeros, at);
            }
            MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
            UnsafeBuffer header = view(segment, 0, PAGE);
            header.putInt(VERSION, VERSION_VALUE);
            header.putInt(TO_DRIVER_LENGTH, spec.toDriverLength());
            header.putInt(TO_CLIENTS_LENGTH, spec.toClientsLength());
            header.putInt(COUNTER_VALUES_LENGTH, spec.counterValuesLength());
            header.putInt(ERROR_LOG_LENGTH, spec.errorLogLength());
            header.putLong(DRIVER_ID, spec.driverId());
            header.putLong(PID, spec.pid());
            header.putLong(CLIENT_LIVENESS_TIMEOUT, spec.clientLivenessTimeoutNs());
            return new CncFile(arena::close, segment, spec);
        } catch (FileAlreadyExistsException e) {
            arena.close();
            throw new BusException(
                    file + " exists already: remove it, or choose another driver directory", e);
        } catch (IOException e) {
            arena.close();
            discard(file, e);
            throw new BusException(
                    "cannot create the driver's file of "
                            + length
                            + " bytes at "
                            + file
                            + " ("
                            + e.getMessage()
                            + "), where "
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
     * Maps the file of a driver that runs as this user or as root, after checking that it is one.
     *
     * @param file to map.
     * @return the mapped file.
     * @throws BusException if it is absent, still incomplete, truncated, of another version, or
     *     something else.
     */
    public static CncFile map(Path file) {
        return map(file, DirectoryTrust.OWN);
    }

    /**
     * Maps the file of a driver, after checking whose it is and that it is one.
     *
     * @param file to map.
     * @param trust that decides whose file may be mapped.
     * @return the mapped file.
     * @throws BusException as {@link #map(Path)}, or if it is not to be trusted.
     */
    public static CncFile map(Path file, DirectoryTrust trust) {
        try (FileChannel channel =
                trust.open(file.toAbsolutePath().getParent(), file.toAbsolutePath(), false)) {
            long length = channel.size();
            if (length < PAGE) {
                throw new BusException(
                        file
                                + " has only "
                                + length
                                + " bytes: the driver is still starting, or"
                                + " the file is truncated");
            }
            // Read, not mapped: a client that waits for a driver to start looks a thousand times.
            ByteBuffer header = ByteBuffer.allocate(PAGE);
            channel.read(header, 0);
            CncSpec spec = check(file, new UnsafeBuffer(header), length);
            ClientMapping mapping =
                    ClientMapping.map(channel, FileChannel.MapMode.READ_WRITE, length);
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
     * Tells whether a file is still that of a driver, and not absent or that of a later one.
     *
     * @param file to look at.
     * @param driverId of the driver.
     * @return false if another driver has made the file, or there is none.
     */
    public static boolean belongsTo(Path file, long driverId) {
        ByteBuffer id = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.read(id, DRIVER_ID) == Long.BYTES && id.getLong(0) == driverId;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            // Nothing is known, such as without a free file descriptor: the heartbeat decides.
            return true;
        }
    }

    private static CncSpec check(Path file, UnsafeBuffer header, long length) {
        if (header.getLongAcquire(MAGIC) != MAGIC_VALUE) {
            throw new BusException(
                    file
                            + " is not a driver's command-and-control file, or its driver is still"
                            + " starting");
        }
        int version = header.getInt(VERSION);
        if (version != VERSION_VALUE) {
            throw new BusException(
                    file
                            + " is of version "
                            + version
                            + ", this process reads version "
                            + VERSION_VALUE
                            + ": use the same Verbus release for driver and clients");
        }
        CncSpec spec =
                new CncSpec(
                        header.getLong(DRIVER_ID),
                        header.getLong(PID),
                        header.getLong(CLIENT_LIVENESS_TIMEOUT),
                        header.getInt(TO_DRIVER_LENGTH),
                        header.getInt(TO_CLIENTS_LENGTH),
                        header.getInt(COUNTER_VALUES_LENGTH),
                        header.getInt(ERROR_LOG_LENGTH));
        if (!isSane(spec) || fileLength(spec) != length) {
            throw new BusException(
                    file
                            + " has "
                            + length
                            + " bytes, which do not fit what its header says: it is truncated or"
                            + " damaged");
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
                && isSection(spec.errorLogLength());
    }

    private static boolean isSection(int length) {
        return length >= MIN_SECTION && length <= MAX_SECTION;
    }

    private static long fileLength(CncSpec spec) {
        return PAGE
                + page(ringLength(spec))
                + page(broadcastLength(spec))
                + page((long) spec.counterValuesLength() * METADATA_PER_VALUE)
                + page(spec.counterValuesLength())
                + page(spec.errorLogLength());
    }

    private static int ringLength(CncSpec spec) {
        return spec.toDriverLength() + RingBufferDescriptor.TRAILER_LENGTH;
    }

    private static int broadcastLength(CncSpec spec) {
        return spec.toClientsLength() + BroadcastBufferDescriptor.TRAILER_LENGTH;
    }

    private static long page(long length) {
        return BitUtil.align(length, PAGE);
    }

    private static UnsafeBuffer view(MemorySegment segment, long offset, int length) {
        return ClientMapping.view(segment, offset, length);
    }

    /** Makes a created file valid for clients. The buffers must be initialised before. */
    public void publish() {
        // The header page lies one page before the first section.
        new UnsafeBuffer(toDriver.addressOffset() - PAGE, PAGE).putLongRelease(MAGIC, MAGIC_VALUE);
    }

    /** Sizes and identity. */
    public CncSpec spec() {
        return spec;
    }

    /** Commands, for an Agrona {@code ManyToOneRingBuffer}. */
    public UnsafeBuffer toDriver() {
        return toDriver;
    }

    /** Events, for an Agrona {@code BroadcastTransmitter} and {@code BroadcastReceiver}s. */
    public UnsafeBuffer toClients() {
        return toClients;
    }

    /**
     * Metadata of the counters, for an Agrona {@code CountersManager} or {@code CountersReader}.
     */
    public UnsafeBuffer counterMetadata() {
        return counterMetadata;
    }

    /** Values of the counters. */
    public UnsafeBuffer counterValues() {
        return counterValues;
    }

    /** Errors, for an Agrona {@code DistinctErrorLog} or {@code ErrorLogReader}. */
    public UnsafeBuffer errorLog() {
        return errorLog;
    }

    /**
     * Unmaps the file, which stays. Nothing may use the buffers of a file that was created any
     * more; those of a file that was mapped are empty from now on, see {@link ClientMapping}.
     */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            release.run();
        }
    }
}
