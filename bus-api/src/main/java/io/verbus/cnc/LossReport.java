// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;
import io.verbus.directory.DirectoryTrust;
import io.verbus.directory.DriverFile;

import org.agrona.BitUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The losses in the streams that a driver receives, with one entry for each combination of stream,
 * session, channel and source. A file in the driver's directory that only the conductor writes and
 * tools of any process read. Its layout is Aeron's.
 *
 * <pre>
 *  entry   0  observations int64   32  session id int32    40  channel length int32, ASCII
 *          8  bytes int64          36  stream id int32         source length int32, ASCII
 *         16  first, ms int64
 *         24  last, ms int64
 * </pre>
 *
 * An entry exists once its observations, which are stored last with release, are not zero. Entries
 * are aligned to 64 bytes, the source's length to 4. The first entry that does not exist ends the
 * report.
 */
public final class LossReport implements AutoCloseable {
    /** Name of the file in the driver's directory. */
    public static final String NAME = "loss-report.dat";

    /** Length of the file in bytes: room for several thousand entries. */
    public static final int LENGTH = 1024 * 1024;

    private static final int ENTRY_ALIGNMENT = 64;
    private static final int OBSERVATIONS = 0;
    private static final int BYTES = 8;
    private static final int FIRST = 16;
    private static final int LAST = 24;
    private static final int SESSION_ID = 32;
    private static final int STREAM_ID = 36;
    private static final int CHANNEL = 40;

    private final MappedByteBuffer memory;
    private final UnsafeBuffer buffer;

    /** Offsets of the writer's entries. */
    private final Map<Key, Integer> entries = new HashMap<>();

    private int end;

    private record Key(int streamId, int sessionId, String channel, String source) {}

    private LossReport(MappedByteBuffer memory) {
        this.memory = memory;
        buffer = new UnsafeBuffer(memory);
    }

    /**
     * Creates the file of a driver.
     *
     * @throws BusException if the file cannot be created.
     */
    public static LossReport create(Path file) {
        return new LossReport(DriverFile.createZeroed(file, LENGTH, "loss report"));
    }

    /**
     * Maps the file of a live or dead driver read-only.
     *
     * @throws BusException if the file is not a loss report.
     */
    public static LossReport map(Path file) {
        return map(file, DirectoryTrust.OWN);
    }

    /**
     * Maps the file of a live or dead driver read-only.
     *
     * @param file file to map.
     * @param trust owners and permissions to trust.
     * @throws BusException if the file is not a loss report, or is not trusted.
     */
    public static LossReport map(Path file, DirectoryTrust trust) {
        Path absolute = file.toAbsolutePath();
        try (FileChannel channel = trust.open(absolute.getParent(), absolute, true)) {
            long length = channel.size();
            if (length > 0 && length <= Integer.MAX_VALUE) {
                return new LossReport(channel.map(FileChannel.MapMode.READ_ONLY, 0, length));
            }
        } catch (IOException e) {
            throw new BusException(
                    "cannot read the loss report "
                            + file
                            + " ("
                            + e
                            + "): choose the directory of a driver",
                    e);
        }
        throw new BusException(file + " is not a loss report: choose the directory of a driver");
    }

    /**
     * Adds losses of a stream. Not thread-safe.
     *
     * @param streamId stream id.
     * @param sessionId session id of the publication.
     * @param channel channel of the endpoint that receives the stream.
     * @param source address of the sender.
     * @param observations number of gaps observed since the last call, at least one.
     * @param bytes length of the gaps in bytes.
     * @param nowMs current time in milliseconds since the epoch.
     * @return false if there is no room for another entry.
     */
    public boolean add(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes,
            long nowMs) {
        Key key = new Key(streamId, sessionId, channel, source);
        Integer known = entries.get(key);
        if (known == null) {
            int sourceAt = source(end, channel.length());
            int next = BitUtil.align(sourceAt + Integer.BYTES + source.length(), ENTRY_ALIGNMENT);
            if (next > buffer.capacity()) {
                return false;
            }
            known = end;
            entries.put(key, known);
            buffer.putInt(end + SESSION_ID, sessionId);
            buffer.putInt(end + STREAM_ID, streamId);
            buffer.putStringAscii(end + CHANNEL, channel);
            buffer.putStringAscii(sourceAt, source);
            buffer.putLong(end + FIRST, nowMs);
            end = next;
        }
        int at = known;
        buffer.putLongRelease(at + LAST, nowMs);
        buffer.putLongRelease(at + BYTES, buffer.getLong(at + BYTES) + bytes);
        buffer.putLongRelease(at + OBSERVATIONS, buffer.getLong(at + OBSERVATIONS) + observations);
        return true;
    }

    /** Returns the offset of the length of an entry's source. */
    private static int source(int entry, int channelLength) {
        return entry + CHANNEL + BitUtil.align(Integer.BYTES + channelLength, Integer.BYTES);
    }

    /** Reads the entries of a loss report. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Called for each entry.
         *
         * @param observations number of gaps observed.
         * @param bytes length of the gaps in bytes.
         * @param firstMs time of the first observation in milliseconds since the epoch.
         * @param lastMs time of the last observation in milliseconds since the epoch.
         * @param streamId stream id.
         * @param sessionId session id of the publication.
         * @param channel channel of the endpoint that receives the stream.
         * @param source address of the sender.
         */
        void onEntry(
                long observations,
                long bytes,
                long firstMs,
                long lastMs,
                int streamId,
                int sessionId,
                String channel,
                String source);
    }

    /**
     * Reads all entries.
     *
     * @return number of entries.
     */
    public int forEach(Reader reader) {
        int count = 0;
        int at = 0;
        // Read each length once and use the checked value: the writer may be hostile.
        while (at <= buffer.capacity() - CHANNEL - Integer.BYTES) {
            long observations = buffer.getLongAcquire(at + OBSERVATIONS);
            int channel = buffer.getInt(at + CHANNEL);
            if (observations <= 0 || !isText(at + CHANNEL, channel)) {
                break;
            }
            int sourceAt = source(at, channel);
            int source = isText(sourceAt, 0) ? buffer.getInt(sourceAt) : -1;
            if (!isText(sourceAt, source)) {
                break;
            }
            reader.onEntry(
                    observations,
                    buffer.getLongAcquire(at + BYTES),
                    buffer.getLong(at + FIRST),
                    buffer.getLongAcquire(at + LAST),
                    buffer.getInt(at + STREAM_ID),
                    buffer.getInt(at + SESSION_ID),
                    buffer.getStringWithoutLengthAscii(at + CHANNEL + Integer.BYTES, channel),
                    buffer.getStringWithoutLengthAscii(sourceAt + Integer.BYTES, source));
            count++;
            at = BitUtil.align(sourceAt + Integer.BYTES + source, ENTRY_ALIGNMENT);
        }
        return count;
    }

    /**
     * Returns whether a text of the length, stored after its length field, lies within the file.
     */
    private boolean isText(int at, int length) {
        return length >= 0 && length <= buffer.capacity() - Integer.BYTES - at;
    }

    @Override
    public void close() {
        buffer.wrap(0, 0);
        IoUtil.unmap(memory);
    }
}
