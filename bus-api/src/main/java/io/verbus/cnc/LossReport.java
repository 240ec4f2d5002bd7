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

/**
 * What was lost on the way to a driver, one entry for each stream, session, channel and source: a
 * file in the driver's directory, written by the conductor alone and read by tools of any process.
 *
 * <pre>
 *  file    0  magic int64          16  entries…
 *          8  reserved
 *  entry   0  observations int64   32  session id int32    40  channel length int32
 *          8  bytes int64          36  stream id int32     44  source length int32
 *         16  first, ms int64                              48  channel, source: ASCII
 *         24  last, ms int64
 * </pre>
 *
 * An entry is there once its observations are not zero, which is stored last, with release. Entries
 * are aligned to 16 bytes.
 */
public final class LossReport implements AutoCloseable {
    /** Name of the file in the driver's directory. */
    public static final String NAME = "losses";

    /** Bytes of the file: room for some thousand entries. */
    public static final int LENGTH = 512 * 1024;

    /** "vbLOSS" and the version of the layout. */
    private static final long MAGIC = 0x7662_4C4F_5353_0001L;

    private static final int ALIGNMENT = 16;
    private static final int FIRST_ENTRY = 16;
    private static final int OBSERVATIONS = 0;
    private static final int BYTES = 8;
    private static final int FIRST = 16;
    private static final int LAST = 24;
    private static final int SESSION_ID = 32;
    private static final int STREAM_ID = 36;
    private static final int CHANNEL_LENGTH = 40;
    private static final int SOURCE_LENGTH = 44;
    private static final int TEXT = 48;

    private final ByteBuffer memory;
    private final UnsafeBuffer buffer;

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
            LossReport report = new LossReport(map);
            report.buffer.putLongRelease(0, MAGIC);
            return report;
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
            if (channel.size() == LENGTH) {
                MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH);
                LossReport report = new LossReport(map);
                if (report.buffer.getLongAcquire(0) == MAGIC) {
                    return report;
                }
                report.close();
            }
        } catch (IOException e) {
            throw new BusException(
                    "cannot read the loss report "
                            + file
                            + " ("
                            + e
                            + "): name the directory of a driver of this version",
                    e);
        }
        throw new BusException(
                file + " is no loss report of this version: name the directory of a driver of it");
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
        int at = FIRST_ENTRY;
        while (at + TEXT + channel.length() + source.length() <= LENGTH) {
            long known = buffer.getLong(at + OBSERVATIONS);
            if (known == 0) {
                buffer.putInt(at + SESSION_ID, sessionId);
                buffer.putInt(at + STREAM_ID, streamId);
                buffer.putInt(at + CHANNEL_LENGTH, channel.length());
                buffer.putInt(at + SOURCE_LENGTH, source.length());
                buffer.putStringWithoutLengthAscii(at + TEXT, channel);
                buffer.putStringWithoutLengthAscii(at + TEXT + channel.length(), source);
                buffer.putLong(at + FIRST, nowMs);
            }
            if (known == 0 || isOf(at, streamId, sessionId, channel, source)) {
                buffer.putLong(at + LAST, nowMs);
                buffer.putLong(at + BYTES, buffer.getLong(at + BYTES) + bytes);
                buffer.putLongRelease(at + OBSERVATIONS, known + observations);
                return true;
            }
            at = next(at);
        }
        return false;
    }

    private boolean isOf(int at, int streamId, int sessionId, String channel, String source) {
        return buffer.getInt(at + STREAM_ID) == streamId
                && buffer.getInt(at + SESSION_ID) == sessionId
                && channel(at).equals(channel)
                && source(at).equals(source);
    }

    private String channel(int at) {
        return buffer.getStringWithoutLengthAscii(at + TEXT, buffer.getInt(at + CHANNEL_LENGTH));
    }

    private String source(int at) {
        return buffer.getStringWithoutLengthAscii(
                at + TEXT + buffer.getInt(at + CHANNEL_LENGTH), buffer.getInt(at + SOURCE_LENGTH));
    }

    private int next(int at) {
        return BitUtil.align(
                at + TEXT + buffer.getInt(at + CHANNEL_LENGTH) + buffer.getInt(at + SOURCE_LENGTH),
                ALIGNMENT);
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
        int at = FIRST_ENTRY;
        while (at + TEXT <= LENGTH) {
            long observations = buffer.getLongAcquire(at + OBSERVATIONS);
            int texts = buffer.getInt(at + CHANNEL_LENGTH) + buffer.getInt(at + SOURCE_LENGTH);
            if (observations == 0 || texts < 0 || texts > LENGTH - at - TEXT) {
                break;
            }
            reader.onEntry(
                    observations,
                    buffer.getLong(at + BYTES),
                    buffer.getLong(at + FIRST),
                    buffer.getLong(at + LAST),
                    buffer.getInt(at + STREAM_ID),
                    buffer.getInt(at + SESSION_ID),
                    channel(at),
                    source(at));
            count++;
            at = next(at);
        }
        return count;
    }

    @Override
    public void close() {
        buffer.wrap(0, 0);
        IoUtil.unmap((MappedByteBuffer) memory);
    }
}
