// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.channels.FileChannel;

/**
 * Consumes a log by blocks of whole frames. The reading thread's.
 *
 * <p>A block ends with its term at the latest. Padding is a block of its own: of its frame only the
 * header means anything. The subscriber's position is published once a block, also when the handler
 * throws.
 *
 * <p>No method allocates, but to report an invalid frame and to open the file.
 */
public final class LogBlocks {
    private final LogBuffers log;
    private final LogReader reader;
    private final int termLength;
    private final int bitsToShift;

    /**
     * @param log to read.
     * @param reader of the log, which goes on behind each block.
     */
    public LogBlocks(LogBuffers log, LogReader reader) {
        this.log = log;
        this.reader = reader;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Hands over one block.
     *
     * @param handler to call, unless there is none.
     * @param lengthLimit bytes of the longest block of data; a shorter frame must fit, or none is
     *     ever handed over.
     * @return bytes that were handed over.
     * @throws InvalidFrameException if the log holds what no appender writes; the position stays in
     *     front of it.
     */
    public int poll(BlockHandler handler, int lengthLimit) {
        long start = reader.position();
        UnsafeBuffer term = term(start);
        int offset = LogLayout.termOffset(start, termLength);
        int length = scan(term, start, lengthLimit);
        if (length > 0) {
            boolean isNested = reader.beginDelivery();
            try {
                handler.onBlock(term, offset, length, log.spec().sessionId(), termId(start));
            } finally {
                end(start, length, isNested);
            }
        }
        return length;
    }

    /**
     * Hands over one block, and the file that it lies in.
     *
     * @param handler to call, unless there is none.
     * @param lengthLimit as of {@link #poll}.
     * @return bytes that were handed over.
     * @throws InvalidFrameException as {@link #poll}.
     * @throws io.verbus.BusException if the file cannot be opened.
     */
    public int rawPoll(RawBlockHandler handler, int lengthLimit) {
        long start = reader.position();
        UnsafeBuffer term = term(start);
        int offset = LogLayout.termOffset(start, termLength);
        int length = scan(term, start, lengthLimit);
        if (length > 0) {
            long at = (long) LogLayout.partition(start, bitsToShift) * termLength + offset;
            int sessionId = log.spec().sessionId();
            FileChannel channel = log.channel();
            boolean isNested = reader.beginDelivery();
            try {
                handler.onBlock(channel, at, term, offset, length, sessionId, termId(start));
            } finally {
                end(start, length, isNested);
            }
        }
        return length;
    }

    private UnsafeBuffer term(long position) {
        return log.term(LogLayout.partition(position, bitsToShift));
    }

    private int termId(long position) {
        return LogLayout.termId(position, bitsToShift, log.spec().initialTermId());
    }

    /** Goes on behind a block, unless its handler has polled, too. */
    private void end(long start, int length, boolean isNested) {
        if (reader.position() == start) {
            reader.moveTo(start + length);
        }
        reader.endDelivery(isNested);
    }

    /** Returns the bytes of the block that begins at a position. */
    private int scan(UnsafeBuffer term, long position, int lengthLimit) {
        int start = LogLayout.termOffset(position, termLength);
        int limit = (int) Math.min((long) start + lengthLimit, termLength);
        int offset = start;
        while (offset < limit && !reader.isClosed()) {
            long word = term.getLongAcquire(offset);
            if (reader.isEnd(word)) {
                break;
            }
            if (!FrameCheck.isValid(word, offset, termLength)) {
                if (offset > start) {
                    break; // what is before it first
                }
                throw FrameCheck.invalid(word, position, offset, termLength);
            }
            int end = offset + FrameHeader.align(FrameHeader.length(word));
            if (FrameHeader.type(word) == FrameHeader.TYPE_PAD) {
                return offset == start ? end - start : offset - start;
            }
            if (end > limit) {
                break;
            }
            offset = end;
        }
        return offset - start;
    }
}
