// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.BusException;
import io.verbus.directory.DirectoryTrust;
import io.verbus.directory.DriverFile;

import org.agrona.BitUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What was lost on the way to a driver, one entry for each stream, session, channel and source: a
 * file in the driver's directory, written by the conductor alone and read by tools of any process.
 * Its layout is Aeron's.
 *
 * <pre>
 *  entry   0  observations int64   32  session id int32    40  channel length int32, ASCII
 *          8  bytes int64          36  stream id int32         source length int32, ASCII
 *         16  first, ms int64
 *         24  last, ms int64
 * </pre>
 *
 * An entry is there once its observations are not zero, which is stored last, with release. Entries
 * are aligned to 64 bytes, the source's length to 4. The first entry that is not there ends the
 * report.
 */
public final class LossReport implements AutoCloseable {
    /** Name of the file in the driver's directory. */
    public static final String NAME = "loss-report.dat";

    /** Bytes of the file: room for some thousand entries. */
    public static final int LENGTH = 1024 * 1024;

    private static final int ENTRY_ALIGNMENT = 64;
    private static final int OBSERVATIONS = 0;
    private static final int BYTES = 8;
    private static final int FIRST = 16;
    private static final int LAST = 24;
    private static final int SESSION_ID = 32;
    private static final int STREAM_ID = 36;
    private static final int CHANNEL = 40;

    private final ByteBuffer memory;
    private final UnsafeBuffer buffer;

    /** Where the writer's entries begin. */
    private final Map<Key, Integer> entries = new HashMap<>();

    private int end;

    private record Key(int streamId, int sessionId, String channel, String source) {}

    private LossReport(ByteBuffer memory) {
        this.memory = memory;
        buffer = new UnsafeBuffer(memory);
    }

    /**
     * Makes the file of a driver.
     *
     * @throws BusException if that is impossible.
     */
    public static LossReport create(Path file) {
        try (FileChannel channel = DriverFile.create(file)) {
            // Written, not merely sized: a hole that cannot be filled later would be a fault.
            ByteBuffer zeros = ByteBuffer.allocate(LENGTH);
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
            return new LossReport(map);
        } catch (IOException e) {
            throw new BusException(
                    "cannot create the loss report of "
                            + LENGTH
                            + " bytes at "
                            + file
                            + " ("
                            + e.getMessage()
                            + "), where "
                            + DriverFile.remedy(file),
                    e);
        }
    }

    /**
     * Maps the file of a driver, dead or alive, to be read.
     *
     * @throws BusException if it is none.
     */
    public static LossReport map(Path file) {
        return map(file, DirectoryTrust.OWN);
    }

    /**
     * Maps the file of a driver, dead or alive, to be read.
     *
     * @param file to map.
     * @param trust that decides whose file may be mapped.
     * @throws BusException if it is none, or not to be trusted.
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
                            + "): name the directory of a driver",
                    e);
        }
        throw new BusException(file + " is no loss report: name the directory of a driver");
    }

    /**
     * Adds to what is known of a stream's losses. One thread.
     *
     * @param streamId of the stream.
     * @param sessionId of its publication.
     * @param channel of the endpoint at which it is received.
     * @param source where its sender is.
     * @param observations gaps that were seen since the last time, at least one.
     * @param bytes of them.
     * @param nowMs time since the epoch.
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

    /** Where the length of the source of an entry lies. */
    private static int source(int entry, int channelLength) {
        return entry + CHANNEL + BitUtil.align(Integer.BYTES + channelLength, Integer.BYTES);
    }

    /** What was lost of one stream of one session. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Takes an entry.
         *
         * @param observations gaps that were seen.
         * @param bytes of them.
         * @param firstMs when the first was seen, since the epoch.
         * @param lastMs when the last was seen.
         * @param streamId of the stream.
         * @param sessionId of its publication.
         * @param channel of the endpoint at which it is received.
         * @param source where its sender is.
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
     * @return how many there are.
     */
    public int forEach(Reader reader) {
        int count = 0;
        int at = 0;
        // What is read once is checked, and used as it was read: the writer may be hostile.
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

    /** Whether a text of such a length, which stands in front of it, lies within the file. */
    private boolean isText(int at, int length) {
        return length >= 0 && length <= buffer.capacity() - Integer.BYTES - at;
    }

    @Override
    public void close() {
        buffer.wrap(0, 0);
        IoUtil.unmap((MappedByteBuffer) memory);
    }
}
