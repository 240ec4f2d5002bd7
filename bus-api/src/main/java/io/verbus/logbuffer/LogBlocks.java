// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.channels.FileChannel;

/**
 * Consumes a log in blocks of whole frames. Used by the reading thread only.
 *
 * <p>A block ends at the end of its term at the latest. A padding frame forms a block of its own,
 * in which only the header is meaningful. The subscriber's position is published once per block,
 * even if the handler throws.
 *
 * <p>No method allocates, except to report an invalid frame or to open the file.
 */
public final class LogBlocks {
    private final LogBuffers log;
    private final LogReader reader;
    private final int termLength;
    private final int bitsToShift;

    /**
     * @param log log to read.
     * @param reader reader of the log, which is moved past each block.
     */
    public LogBlocks(LogBuffers log, LogReader reader) {
        this.log = log;
        this.reader = reader;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Delivers one block.
     *
     * @param handler handler to call if there is a block.
     * @param lengthLimit maximum length in bytes of a block of data; a longer frame is never
     *     delivered.
     * @return number of bytes delivered.
     * @throws InvalidFrameException if the log holds an invalid frame; the position stays before
     *     it.
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
     * Delivers one block together with the file that contains it.
     *
     * @param handler handler to call if there is a block.
     * @param lengthLimit limit, as in {@link #poll}.
     * @return number of bytes delivered.
     * @throws InvalidFrameException as in {@link #poll}.
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

    /** Moves the reader past a block, unless the block's handler has itself polled. */
    private void end(long start, int length, boolean isNested) {
        if (reader.position() == start) {
            reader.moveTo(start + length);
        }
        reader.endDelivery(isNested);
    }

    /** Returns the length in bytes of the block that starts at a position. */
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
                    break; // deliver the frames before it first
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
