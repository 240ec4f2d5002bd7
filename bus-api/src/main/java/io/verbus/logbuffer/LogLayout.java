// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;
import io.verbus.memory.LogRoom;

import org.agrona.BitUtil;

/**
 * Layout of a log file, which is Aeron's, and the arithmetic of positions in it.
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
 *  |         connected          | 136  int32   1 if somebody receives   driver
 *  |  active transport count    | 140  int32   of an image: who delivers it   driver
 *  +----------------------------+
 *  |      registration id       | 256  fixed when the file is created, as all up to 1024
 *  |      initial term id       | 264
 *  |   default header length    | 268  32
 *  |       longest frame        | 272  MTU
 *  |        term length         | 276
 *  |         page size          | 280
 *  |    default frame header    | 320  with session id and stream id
 *  |         revoked            | 496  uint8, 1 if the stream was taken back   driver
 *  |        log type            | 497  uint8, see LogType
 *  +----------------------------+
 *  |     unblocked position     | 1024 int64   behind the last claim made padding   driver
 *  |        zeroes ahead        | 1032 int32   1 if the writer does   publisher, as it attaches
 *  |          partial           | 1036 int32   1 if not all is in memory
 *  +----------------------------+ 4096
 * </pre>
 *
 * {@link LogNotes} tells what else lies from 284 to 496. What lies at 1024 and behind is Verbus'
 * own: Aeron neither reads nor writes it.
 *
 * <p>A position counts the bytes of a stream: {@code (term id - initial term id) * term length +
 * term offset}. The term at which a position lies is partition {@code (position / term length) %
 * 3}.
 */
public final class LogLayout {
    /** Terms of a log. */
    public static final int PARTITIONS = 3;

    /** Shortest term in bytes. */
    public static final int MIN_TERM_LENGTH = 64 * 1024;

    /** Longest term in bytes. */
    public static final int MAX_TERM_LENGTH = 1024 * 1024 * 1024;

    /** Bytes of the metadata, the last of the file. */
    public static final int METADATA_LENGTH = 4096;

    /** Bytes of the shortest page of a file. */
    public static final int MIN_PAGE_LENGTH = 4096;

    /** Bytes of the longest page of a file. */
    public static final int MAX_PAGE_LENGTH = 1024 * 1024 * 1024;

    /** Offset in the metadata: raw tail of the first partition. */
    public static final int RAW_TAILS = 0;

    /** Offset in the metadata: count of the terms begun before the active one. */
    public static final int ACTIVE_TERM_COUNT = RAW_TAILS + PARTITIONS * Long.BYTES;

    /** Offset in the metadata: final position of the stream, or {@link #NOT_ENDED}. */
    public static final int END_OF_STREAM = 128;

    /** Offset in the metadata: whether a subscriber receives the stream. */
    public static final int CONNECTED = 136;

    /** Offset in the metadata: how many transports deliver an image, int32. */
    public static final int ACTIVE_TRANSPORT_COUNT = 140;

    /** Offset in the metadata: registration id of publication or image, int64. */
    public static final int REGISTRATION_ID = 256;

    /** Offset in the metadata: id of the first term, int32. */
    public static final int INITIAL_TERM_ID = 264;

    /** Offset in the metadata: bytes of the default frame header, int32. */
    public static final int DEFAULT_HEADER_LENGTH = 268;

    /** Offset in the metadata: longest frame in bytes, int32. */
    public static final int MTU = 272;

    /** Offset in the metadata: bytes of a term, int32. */
    public static final int TERM_LENGTH = 276;

    /** Offset in the metadata: bytes of a page of the file, int32. */
    public static final int PAGE_LENGTH = 280;

    /** Offset in the metadata: the frame header that writers begin with. */
    public static final int DEFAULT_HEADER = 320;

    /** Offset in the metadata: session id, int32, in the default frame header. */
    public static final int SESSION_ID = DEFAULT_HEADER + FrameHeader.SESSION_ID;

    /** Offset in the metadata: stream id, int32, in the default frame header. */
    public static final int STREAM_ID = DEFAULT_HEADER + FrameHeader.STREAM_ID;

    /** Offset in the metadata: whether the stream was taken back before its end, uint8. */
    public static final int REVOKED = 496;

    /** Offset in the metadata: code of the {@link LogType}, uint8. */
    public static final int TYPE = 497;

    /**
     * Offset in the metadata: position behind the last claim that an unblocker has made padding of,
     * or is about to, int64. An owner whose claim lies before it has lost it.
     */
    public static final int UNBLOCKED = 1024;

    /**
     * Offset in the metadata of an exclusive publication's log: 1 where its writer zeroes the word
     * at which the next frame will begin, so that the log needs no cleaning, int32. A writer stores
     * it before its first frame.
     */
    public static final int ZEROES_AHEAD = 1032;

    /**
     * Offset in the metadata: 1 where only what is in use of the log is in memory ({@link
     * LogRoom}), int32. To touch more of it takes memory that nobody uses.
     */
    public static final int PARTIAL = 1036;

    /** End-of-stream position of a stream that has not ended. */
    public static final long NOT_ENDED = Long.MAX_VALUE;

    private LogLayout() {}

    /** Bytes of a log file on the shortest pages. */
    public static long fileLength(int termLength) {
        return fileLength(termLength, MIN_PAGE_LENGTH);
    }

    /**
     * Bytes of a log file: terms and metadata, in whole pages.
     *
     * @param pageLength a power of two, at least {@link #MIN_PAGE_LENGTH}.
     */
    public static long fileLength(int termLength, long pageLength) {
        return BitUtil.align((long) PARTITIONS * termLength + METADATA_LENGTH, pageLength);
    }

    /** Whether a log can have so many bytes, whatever its terms and pages. */
    static boolean isFileLength(long length) {
        return length >= fileLength(MIN_TERM_LENGTH)
                && length <= fileLength(MAX_TERM_LENGTH, MAX_PAGE_LENGTH)
                && length % MIN_PAGE_LENGTH == 0;
    }

    /** Whether terms and pages of such lengths make a file of such a length. */
    static boolean isFileLength(long length, int termLength, int pageLength) {
        return isTermLength(termLength)
                && pageLength >= MIN_PAGE_LENGTH
                && BitUtil.isPowerOfTwo(pageLength)
                && fileLength(termLength, pageLength) == length;
    }

    /** Where in a file of such a length the metadata begins. */
    static long metadataOffset(long fileLength) {
        return fileLength - METADATA_LENGTH;
    }

    /**
     * Checks that a term length can be used.
     *
     * @throws BusException if not.
     */
    public static void checkTermLength(int termLength) {
        if (!isTermLength(termLength)) {
            throw new BusException(
                    "term length "
                            + termLength
                            + " is not a power of two from "
                            + MIN_TERM_LENGTH
                            + " to "
                            + MAX_TERM_LENGTH
                            + ": choose one, such as 16m");
        }
    }

    private static boolean isTermLength(int termLength) {
        return termLength >= MIN_TERM_LENGTH
                && termLength <= MAX_TERM_LENGTH
                && BitUtil.isPowerOfTwo(termLength);
    }

    /** Number of bits to shift a position by to count terms. */
    public static int positionBitsToShift(int termLength) {
        return Integer.numberOfTrailingZeros(termLength);
    }

    /** Position of an offset in a term. */
    public static long position(int termId, int termOffset, int bitsToShift, int initialTermId) {
        return ((long) (termId - initialTermId) << bitsToShift) + termOffset;
    }

    /** Term id at a position. */
    public static int termId(long position, int bitsToShift, int initialTermId) {
        return (int) (position >>> bitsToShift) + initialTermId;
    }

    /** Offset in its term of a position. */
    public static int termOffset(long position, int termLength) {
        return (int) position & (termLength - 1);
    }

    /** Partition in which a position lies. */
    public static int partition(long position, int bitsToShift) {
        return (int) ((position >>> bitsToShift) % PARTITIONS);
    }

    /**
     * Partition in which the term lies that is the given number after the first. Of a negative
     * number, which only a broken writer stores, some partition.
     */
    public static int partition(int termCount) {
        return (termCount & Integer.MAX_VALUE) % PARTITIONS;
    }

    /** Raw tail of a term. */
    public static long rawTail(int termId, int termOffset) {
        return ((long) termId << 32) | (termOffset & 0xFFFF_FFFFL);
    }

    /** Term id in a raw tail. */
    public static int termId(long rawTail) {
        return (int) (rawTail >> 32);
    }

    /** Offset in a raw tail; larger than the term where claims went past its end. */
    public static long tailOffset(long rawTail) {
        return rawTail & 0xFFFF_FFFFL;
    }

    /** Position at which a stream's last term ends. */
    public static long maxPosition(int termLength) {
        return (long) termLength << 31;
    }

    /** Longest message that can be offered: an eighth of a term, at most 16 MiB. */
    public static int maxMessageLength(int termLength) {
        return Math.min(termLength / 8, 16 * 1024 * 1024);
    }
}
