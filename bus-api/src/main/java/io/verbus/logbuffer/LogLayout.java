// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;
import io.verbus.memory.LogRoom;

import org.agrona.BitUtil;

/**
 * Layout of a log file, identical to Aeron's, and the arithmetic of its positions.
 *
 * <pre>
 *  +----------------------------+ 0
 *  |           term 0           |
 *  +----------------------------+ term length
 *  |           term 1           |
 *  +----------------------------+ 2 * term length
 *  |           term 2           |
 *  +----------------------------+ 3 * term length
 *  |   up to whole file pages   |
 *  +----------------------------+ file length - 4096, the metadata; offsets within it:
 *  |    raw tail of term 0..2   |   0  3 int64, (term id &lt;&lt; 32) | tail offset   publishers
 *  |     active term count      |  24  int32   terms begun before the active one publishers
 *  +----------------------------+
 *  |   end-of-stream position   | 128  int64   written once by the driver
 *  |         connected          | 136  int32   1 if a subscriber receives it   driver
 *  |  active transport count    | 140  int32   transports that deliver an image   driver
 *  +----------------------------+
 *  |      registration id       | 256  fixed when the file is created, like all up to 1024
 *  |      initial term id       | 264
 *  |   default header length    | 268  32
 *  |       longest frame        | 272  MTU
 *  |        term length         | 276
 *  |         page size          | 280
 *  |    default frame header    | 320  with session id and stream id
 *  |         revoked            | 496  uint8, 1 if the publisher revoked the stream   driver
 *  |        log type            | 497  uint8, see LogType
 *  +----------------------------+
 *  |     unblocked position     | 1024 int64   end of the last claim padded by the driver
 *  |        zeroes ahead        | 1032 int32   1 if the writer does   publisher, when it attaches
 *  |          partial           | 1036 int32   1 if only part of the log is in memory
 *  +----------------------------+ 4096
 * </pre>
 *
 * {@link LogNotes} describes the other fields from 284 to 496. Offsets from 1024 are specific to
 * Verbus: Aeron neither reads nor writes them.
 *
 * <p>A position counts the bytes of a stream: {@code (term id - initial term id) * term length +
 * term offset}. It lies in partition {@code (position / term length) % 3}.
 */
public final class LogLayout {
    /** Number of terms of a log. */
    public static final int PARTITIONS = 3;

    /** Minimum term length in bytes. */
    public static final int MIN_TERM_LENGTH = 64 * 1024;

    /** Maximum term length in bytes. */
    public static final int MAX_TERM_LENGTH = 1024 * 1024 * 1024;

    /** Length of the metadata in bytes, at the end of the file. */
    public static final int METADATA_LENGTH = 4096;

    /** Minimum page length of a file in bytes. */
    public static final int MIN_PAGE_LENGTH = 4096;

    /** Maximum page length of a file in bytes. */
    public static final int MAX_PAGE_LENGTH = 1024 * 1024 * 1024;

    /** Offset in the metadata: raw tail of the first partition. */
    public static final int RAW_TAILS = 0;

    /** Offset in the metadata: number of terms begun before the active term. */
    public static final int ACTIVE_TERM_COUNT = RAW_TAILS + PARTITIONS * Long.BYTES;

    /** Offset in the metadata: final position of the stream, or {@link #NOT_ENDED}. */
    public static final int END_OF_STREAM = 128;

    /** Offset in the metadata: whether a subscriber receives the stream. */
    public static final int CONNECTED = 136;

    /** Offset in the metadata: number of transports that deliver an image, int32. */
    public static final int ACTIVE_TRANSPORT_COUNT = 140;

    /** Offset in the metadata: registration id of the publication or image, int64. */
    public static final int REGISTRATION_ID = 256;

    /** Offset in the metadata: id of the first term, int32. */
    public static final int INITIAL_TERM_ID = 264;

    /** Offset in the metadata: length of the default frame header in bytes, int32. */
    public static final int DEFAULT_HEADER_LENGTH = 268;

    /** Offset in the metadata: length of the longest frame in bytes, int32. */
    public static final int MTU = 272;

    /** Offset in the metadata: term length in bytes, int32. */
    public static final int TERM_LENGTH = 276;

    /** Offset in the metadata: page length of the file in bytes, int32. */
    public static final int PAGE_LENGTH = 280;

    /** Offset in the metadata: the frame header that writers copy and complete. */
    public static final int DEFAULT_HEADER = 320;

    /** Offset in the metadata: session id, int32, in the default frame header. */
    public static final int SESSION_ID = DEFAULT_HEADER + FrameHeader.SESSION_ID;

    /** Offset in the metadata: stream id, int32, in the default frame header. */
    public static final int STREAM_ID = DEFAULT_HEADER + FrameHeader.STREAM_ID;

    /** Offset in the metadata: whether the publisher revoked the stream before its end, uint8. */
    public static final int REVOKED = 496;

    /** Offset in the metadata: code of the {@link LogType}, uint8. */
    public static final int TYPE = 497;

    /**
     * Offset in the metadata: end position of the last claim that an unblocker has padded or is
     * about to pad, int64. Every open claim before this position is lost to its owner.
     */
    public static final int UNBLOCKED = 1024;

    /**
     * Offset in the metadata: whether the log needs no cleaning, int32. The writer of an exclusive
     * publication's log stores 1 before its first frame if it zeroes the word at which each next
     * frame will start.
     */
    public static final int ZEROES_AHEAD = 1032;

    /**
     * Offset in the metadata: whether only the used part of the log is in memory ({@link LogRoom}),
     * int32. Touching more of the log allocates memory needlessly.
     */
    public static final int PARTIAL = 1036;

    /** End-of-stream position of a stream that has not ended. */
    public static final long NOT_ENDED = Long.MAX_VALUE;

    private LogLayout() {}

    /** Returns the length in bytes of a log file with the minimum page length. */
    public static long fileLength(int termLength) {
        return fileLength(termLength, MIN_PAGE_LENGTH);
    }

    /**
     * Returns the length in bytes of a log file: terms and metadata, rounded up to whole pages.
     *
     * @param termLength term length in bytes.
     * @param pageLength page length in bytes: a power of two, {@link #MIN_PAGE_LENGTH} or more.
     */
    public static long fileLength(int termLength, long pageLength) {
        return BitUtil.align((long) PARTITIONS * termLength + METADATA_LENGTH, pageLength);
    }

    /** Returns whether a log with some valid term length and page length has the given length. */
    static boolean isFileLength(long length) {
        return length >= fileLength(MIN_TERM_LENGTH)
                && length <= fileLength(MAX_TERM_LENGTH, MAX_PAGE_LENGTH)
                && length % MIN_PAGE_LENGTH == 0;
    }

    /** Returns whether a log with the given term length and page length has the given length. */
    static boolean isFileLength(long length, int termLength, int pageLength) {
        return isTermLength(termLength)
                && pageLength >= MIN_PAGE_LENGTH
                && BitUtil.isPowerOfTwo(pageLength)
                && fileLength(termLength, pageLength) == length;
    }

    /** Returns the offset of the metadata in a file of the given length. */
    static long metadataOffset(long fileLength) {
        return fileLength - METADATA_LENGTH;
    }

    /**
     * Checks a term length.
     *
     * @throws BusException if the term length is invalid.
     */
    public static void checkTermLength(int termLength) {
        if (!isTermLength(termLength)) {
            throw new BusException(
                    "term length "
                            + termLength
                            + " is invalid: it must be a power of two from "
                            + MIN_TERM_LENGTH
                            + " to "
                            + MAX_TERM_LENGTH
                            + ", such as 16m");
        }
    }

    private static boolean isTermLength(int termLength) {
        return termLength >= MIN_TERM_LENGTH
                && termLength <= MAX_TERM_LENGTH
                && BitUtil.isPowerOfTwo(termLength);
    }

    /** Returns the number of bits by which to shift a position right to get a term count. */
    public static int positionBitsToShift(int termLength) {
        return Integer.numberOfTrailingZeros(termLength);
    }

    /** Returns the position of an offset in a term. */
    public static long position(int termId, int termOffset, int bitsToShift, int initialTermId) {
        return ((long) (termId - initialTermId) << bitsToShift) + termOffset;
    }

    /** Returns the id of the term at a position. */
    public static int termId(long position, int bitsToShift, int initialTermId) {
        return (int) (position >>> bitsToShift) + initialTermId;
    }

    /** Returns the term offset of a position. */
    public static int termOffset(long position, int termLength) {
        return (int) position & (termLength - 1);
    }

    /** Returns the partition of a position. */
    public static int partition(long position, int bitsToShift) {
        return (int) ((position >>> bitsToShift) % PARTITIONS);
    }

    /**
     * Returns the partition of a term, given its count from the first term. For a negative count,
     * which only a faulty writer stores, returns some valid partition.
     */
    public static int partition(int termCount) {
        return (termCount & Integer.MAX_VALUE) % PARTITIONS;
    }

    /** Returns the raw tail for a term id and an offset. */
    public static long rawTail(int termId, int termOffset) {
        return ((long) termId << 32) | (termOffset & 0xFFFF_FFFFL);
    }

    /** Returns the term id in a raw tail. */
    public static int termId(long rawTail) {
        return (int) (rawTail >> 32);
    }

    /**
     * Returns the offset in a raw tail. The offset exceeds the term length once claims have crossed
     * the term's end.
     */
    public static long tailOffset(long rawTail) {
        return rawTail & 0xFFFF_FFFFL;
    }

    /** Returns the position at which a stream's last term ends. */
    public static long maxPosition(int termLength) {
        return (long) termLength << 31;
    }

    /**
     * Returns the length of the longest message that can be offered: an eighth of a term, but at
     * most 16 MiB.
     */
    public static int maxMessageLength(int termLength) {
        return Math.min(termLength / 8, 16 * 1024 * 1024);
    }
}
