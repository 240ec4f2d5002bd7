// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

import org.agrona.BitUtil;

/**
 * Layout of a log file, and the arithmetic of positions in it.
 *
 * <pre>
 *  +----------------------------+ 0
 *  |           term 0           |
 *  +----------------------------+ term length
 *  |           term 1           |
 *  +----------------------------+ 2 * term length
 *  |           term 2           |
 *  +----------------------------+ 3 * term length, the metadata page; offsets within it:
 *  |   end-of-stream position   |   0  int64   written once by the driver
 *  +----------------------------+
 *  |    raw tail of term 0..2   | 128  3 int64, (term id << 32) | tail offset   publishers
 *  |     active term count      | 152  int32   terms begun before the active one publishers
 *  +----------------------------+
 *  |         connected          | 256  int32   1 if somebody receives   driver
 *  +----------------------------+
 *  |  magic, version, page, ... | 384  fixed when the file is created; magic is stored last
 *  +----------------------------+
 *  |     unblocked position     | 1024 int64   behind the last claim made padding   driver
 *  +----------------------------+ 4096
 * </pre>
 *
 * A position counts the bytes of a stream: {@code (term id - initial term id) * term length + term
 * offset}. The term at which a position lies is partition {@code (position / term length) % 3}.
 */
public final class LogLayout {
    /** Terms of a log. */
    public static final int PARTITIONS = 3;

    /** Shortest term in bytes. */
    public static final int MIN_TERM_LENGTH = 64 * 1024;

    /** Longest term in bytes. */
    public static final int MAX_TERM_LENGTH = 1024 * 1024 * 1024;

    /** Bytes of the metadata page. */
    public static final int METADATA_LENGTH = 4096;

    /** Offset in the metadata page: final position of the stream, or {@link #NOT_ENDED}. */
    public static final int END_OF_STREAM = 0;

    /** Offset in the metadata page: raw tail of the first partition. */
    public static final int RAW_TAILS = 128;

    /** Offset in the metadata page: count of the terms begun before the active one. */
    public static final int ACTIVE_TERM_COUNT = RAW_TAILS + PARTITIONS * Long.BYTES;

    /** Offset in the metadata page: whether a subscriber receives the stream. */
    public static final int CONNECTED = 256;

    /** Offset in the metadata page: {@link #MAGIC_VALUE}, int64. */
    public static final int MAGIC = 384;

    /** Offset in the metadata page: {@link #VERSION_VALUE}, int32. */
    public static final int VERSION = 392;

    /** Offset in the metadata page: bytes of a term, int32. */
    public static final int TERM_LENGTH = 396;

    /** Offset in the metadata page: id of the first term, int32. */
    public static final int INITIAL_TERM_ID = 400;

    /** Offset in the metadata page: longest frame in bytes, int32. */
    public static final int MTU = 404;

    /** Offset in the metadata page: session id, int32. */
    public static final int SESSION_ID = 408;

    /** Offset in the metadata page: stream id, int32. */
    public static final int STREAM_ID = 412;

    /** Offset in the metadata page: registration id of publication or image, int64. */
    public static final int REGISTRATION_ID = 416;

    /**
     * Offset in the metadata page: position behind the last claim that an unblocker has made
     * padding of, or is about to, int64. An owner whose claim lies before it has lost it.
     */
    public static final int UNBLOCKED = 1024;

    /** "VERBUSLG" in ASCII. */
    public static final long MAGIC_VALUE = 0x474C_5355_4252_4556L;

    /** Version of this layout. */
    public static final int VERSION_VALUE = 1;

    /** End-of-stream position of a stream that has not ended. */
    public static final long NOT_ENDED = Long.MAX_VALUE;

    private LogLayout() {}

    /** Bytes of a log file. */
    public static long fileLength(int termLength) {
        return fileLength(termLength, METADATA_LENGTH);
    }

    /**
     * Bytes of a log file on pages of another length than the metadata page's: that has a page of
     * its own, and its data at the beginning of it.
     *
     * @param termLength a multiple of the page length.
     * @param pageLength a power of two, at least {@link #METADATA_LENGTH}.
     */
    public static long fileLength(int termLength, long pageLength) {
        return (long) PARTITIONS * termLength + pageLength;
    }

    /** Whether a log can have so many bytes: three terms, and a page of any length. */
    static boolean isFileLength(long length) {
        return length >= fileLength(MIN_TERM_LENGTH)
                && length <= fileLength(MAX_TERM_LENGTH, MAX_TERM_LENGTH)
                && length - metadataOffset(length) >= METADATA_LENGTH
                && BitUtil.isPowerOfTwo(length - metadataOffset(length));
    }

    /** Where in a file of such a length the metadata page begins. */
    static long metadataOffset(long fileLength) {
        return PARTITIONS * Long.highestOneBit((fileLength - 1) / PARTITIONS);
    }

    /**
     * Checks that a term length can be used.
     *
     * @throws BusException if not.
     */
    public static void checkTermLength(int termLength) {
        if (termLength < MIN_TERM_LENGTH
                || termLength > MAX_TERM_LENGTH
                || !BitUtil.isPowerOfTwo(termLength)) {
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

    /** Partition in which the term lies that is the given number after the first. */
    public static int partition(int termCount) {
        return termCount % PARTITIONS;
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
