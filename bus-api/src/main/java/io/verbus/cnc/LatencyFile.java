// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;
import io.verbus.directory.DirectoryTrust;
import io.verbus.directory.DriverFile;

import org.agrona.IoUtil;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The sampled durations of a driver's hops, one record for each hop of a stream. A file in the
 * driver's directory: the conductor creates and frees records, one agent fills each ({@link
 * HopRecorder}), and tools of any process read them.
 *
 * <pre>
 *  file      0  format int32                  64  first record
 *  record    0  number int64; 0 if free      384  open since, ns int64; NOT_OPEN if none
 *            8  registration id int64        392  last receiver or subscriber int64
 *           16  hop int32                    400  sum of the least durations, ns int64
 *           20  stream id int32              408  highest of them int64
 *           24  session id int32             416  sum of the most durations, ns int64
 *           32  channel length int32, ASCII  424  highest of them int64
 *          288  peer length int32, ASCII     448  buckets of the least durations, 1024 int64
 *                                           8640  buckets of the most durations, 1024 int64
 * </pre>
 *
 * A record's number is stored last with release, and is never used again while the driver runs.
 */
public final class LatencyFile implements AutoCloseable {
    /** Name of the file in the driver's directory. */
    public static final String NAME = "latency.dat";

    /** Name of the file while it is being created. */
    public static final String UNFINISHED_NAME = NAME + ".new";

    /** Number of records. */
    public static final int CAPACITY = 512;

    /** Value of the "open since" field while no sample is open. */
    public static final long NOT_OPEN = Long.MIN_VALUE;

    static final int OPEN_SINCE = 384;
    static final int LAST = 392;
    static final int LEAST = 400;
    static final int MOST = 416;
    static final int LEAST_BUCKETS = 448;
    static final int MOST_BUCKETS = LEAST_BUCKETS + LatencyBuckets.COUNT * Long.BYTES;
    static final int RECORD_LENGTH = MOST_BUCKETS + LatencyBuckets.COUNT * Long.BYTES;

    private static final int FORMAT = 1;
    private static final int FIRST = 64;
    private static final int NUMBER = 0;
    private static final int REGISTRATION = 8;
    private static final int HOP = 16;
    private static final int STREAM_ID = 20;
    private static final int SESSION_ID = 24;
    private static final int CHANNEL = 32;
    private static final int PEER = 288;
    private static final int LENGTH = FIRST + CAPACITY * RECORD_LENGTH;

    private final MappedByteBuffer memory;
    private final UnsafeBuffer buffer;

    /** Clock of the recorders; null if the file is only read. */
    private final NanoClock clock;

    private long lastNumber;

    /**
     * The stream or connection that a hop belongs to.
     *
     * @param hop hop.
     * @param registrationId registration id of the publication, or of the connection.
     * @param streamId stream id, or 0.
     * @param sessionId session id, or 0.
     * @param channel channel of the publication; truncated if it is too long.
     * @param peer address of the receiver; empty over IPC.
     */
    public record Owner(
            LatencyHop hop,
            long registrationId,
            int streamId,
            int sessionId,
            String channel,
            String peer) {
        /** Returns this owner with another hop. */
        public Owner with(LatencyHop other) {
            return new Owner(other, registrationId, streamId, sessionId, channel, peer);
        }
    }

    /**
     * Durations in nanoseconds.
     *
     * @param counts count for each bucket of {@link LatencyBuckets}.
     * @param sum sum of all durations.
     * @param max highest duration.
     */
    public record Durations(long[] counts, long sum, long max) {
        /** Returns the number of durations. */
        public long count() {
            long all = 0;
            for (long each : counts) {
                all += each;
            }
            return all;
        }

        /**
         * Returns the durations added since an earlier reading; their maximum is the upper bound of
         * its bucket.
         */
        public Durations since(Durations earlier) {
            long[] added = new long[counts.length];
            int highest = -1;
            for (int i = 0; i < added.length; i++) {
                added[i] = Math.max(0, counts[i] - earlier.counts[i]);
                highest = added[i] > 0 ? i : highest;
            }
            long bound = highest < 0 ? 0 : Math.min(max, LatencyBuckets.highest(highest));
            return new Durations(added, sum - earlier.sum, bound);
        }

        /**
         * Returns a percentile of the durations, as the upper bound of its bucket; 0 if there are
         * no durations.
         *
         * @param percentile percentile, from 0 to 100.
         */
        public long at(double percentile) {
            long rank = Math.max(1, (long) Math.ceil(count() * percentile / 100));
            for (int i = 0; i < counts.length; i++) {
                rank -= counts[i];
                if (rank <= 0) {
                    return Math.min(max, LatencyBuckets.highest(i));
                }
            }
            return 0;
        }
    }

    /**
     * A copy of a record.
     *
     * @param number number of the record, which identifies it while the driver runs.
     * @param owner stream or connection that the record belongs to.
     * @param openSinceNs start of the open sample by {@link System#nanoTime}, or {@link #NOT_OPEN}.
     * @param last id of the receiver or subscriber that ended the last sample, or 0.
     * @param least least durations.
     * @param most most durations.
     */
    public record Reading(
            long number,
            Owner owner,
            long openSinceNs,
            long last,
            Durations least,
            Durations most) {}

    private LatencyFile(MappedByteBuffer memory, NanoClock clock) {
        this.memory = memory;
        this.clock = clock;
        buffer = new UnsafeBuffer(memory);
    }

    /**
     * Creates the file of a driver.
     *
     * @param file file to create.
     * @param clock monotonic clock that the recorders read.
     * @throws BusException if the file cannot be created.
     */
    public static LatencyFile create(Path file, NanoClock clock) {
        Path unfinished = file.resolveSibling(UNFINISHED_NAME);
        LatencyFile created =
                new LatencyFile(DriverFile.createZeroed(unfinished, LENGTH, "latency file"), clock);
        created.buffer.putIntRelease(0, FORMAT);
        try {
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            created.close();
            throw new BusException(
                    "cannot rename "
                            + unfinished
                            + " to "
                            + file
                            + " ("
                            + e.getMessage()
                            + "): choose another driver directory",
                    e);
        }
        return created;
    }

    /**
     * Maps the file of a live or dead driver read-only.
     *
     * @param file file to map.
     * @param trust owners and permissions to trust.
     * @return null if there is no file, because the driver does not sample.
     * @throws BusException if the file is not a latency file, or is not trusted.
     */
    public static LatencyFile map(Path file, DirectoryTrust trust) {
        Path absolute = file.toAbsolutePath();
        if (Files.notExists(absolute)) {
            return null;
        }
        try (FileChannel channel = trust.open(absolute.getParent(), absolute, true)) {
            if (channel.size() == LENGTH) {
                LatencyFile mapped =
                        new LatencyFile(
                                channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH), null);
                if (mapped.buffer.getIntAcquire(0) == FORMAT) {
                    return mapped;
                }
                mapped.close();
            }
        } catch (IOException e) {
            throw new BusException(
                    "cannot read the latency file "
                            + file
                            + " ("
                            + e
                            + "): choose the directory of a driver",
                    e);
        }
        throw new BusException(
                file
                        + " is not a latency file that this version can read: use tools of the same"
                        + " version as the driver");
    }

    /**
     * Creates a record. Called on the conductor's thread.
     *
     * @return its recorder; null if all records are in use.
     */
    public HopRecorder add(Owner owner) {
        for (int i = 0; i < CAPACITY; i++) {
            int at = FIRST + i * RECORD_LENGTH;
            if (buffer.getLong(at + NUMBER) == 0) {
                UnsafeBuffer record = new UnsafeBuffer(buffer, at, RECORD_LENGTH);
                record.setMemory(0, RECORD_LENGTH, (byte) 0);
                record.putLong(REGISTRATION, owner.registrationId);
                record.putInt(HOP, owner.hop.ordinal());
                record.putInt(STREAM_ID, owner.streamId);
                record.putInt(SESSION_ID, owner.sessionId);
                record.putStringAscii(CHANNEL, cut(owner.channel, PEER - CHANNEL));
                record.putStringAscii(PEER, cut(owner.peer, OPEN_SINCE - PEER));
                record.putLong(OPEN_SINCE, NOT_OPEN);
                record.putLongRelease(NUMBER, ++lastNumber);
                return new HopRecorder(record, clock);
            }
        }
        return null;
    }

    private static String cut(String text, int length) {
        return text.substring(0, Math.min(text.length(), length - Integer.BYTES));
    }

    /** Frees a record that its agent no longer fills. Called on the conductor's thread. */
    public void remove(HopRecorder recorder) {
        recorder.record().putLongRelease(NUMBER, 0);
    }

    /** Returns all records. */
    public List<Reading> read() {
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            int at = FIRST + i * RECORD_LENGTH;
            long number = buffer.getLongAcquire(at + NUMBER);
            LatencyHop hop = LatencyHop.of(buffer.getInt(at + HOP));
            if (number != 0 && hop != null) {
                Reading reading = read(at, number, hop);
                if (buffer.getLongVolatile(at + NUMBER) == number) {
                    readings.add(reading);
                }
            }
        }
        return readings;
    }

    private Reading read(int at, long number, LatencyHop hop) {
        Owner owner =
                new Owner(
                        hop,
                        buffer.getLong(at + REGISTRATION),
                        buffer.getInt(at + STREAM_ID),
                        buffer.getInt(at + SESSION_ID),
                        text(at + CHANNEL, PEER - CHANNEL),
                        text(at + PEER, OPEN_SINCE - PEER));
        return new Reading(
                number,
                owner,
                buffer.getLongAcquire(at + OPEN_SINCE),
                buffer.getLongAcquire(at + LAST),
                durations(at + LEAST, at + LEAST_BUCKETS),
                durations(at + MOST, at + MOST_BUCKETS));
    }

    /**
     * Returns a text after checking its length and characters, because the writer may be hostile.
     */
    private String text(int at, int room) {
        int length = buffer.getInt(at);
        boolean isText = length >= 0 && length <= room - Integer.BYTES;
        return isText
                ? buffer.getStringWithoutLengthAscii(at + Integer.BYTES, length)
                        .replaceAll("[^ -~]", "?")
                : "";
    }

    private Durations durations(int sums, int buckets) {
        long[] counts = new long[LatencyBuckets.COUNT];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = buffer.getLongAcquire(buckets + i * Long.BYTES);
        }
        return new Durations(
                counts, buffer.getLongAcquire(sums), buffer.getLongAcquire(sums + Long.BYTES));
    }

    @Override
    public void close() {
        buffer.wrap(0, 0);
        IoUtil.unmap(memory);
    }
}
