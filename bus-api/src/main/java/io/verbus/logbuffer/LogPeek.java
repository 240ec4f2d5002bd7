// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.logbuffer.ControlledFragmentHandler.Action;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Delivers the fragments that a reader would deliver, but without consuming them. Used by the
 * reading thread only, except for {@link #close}.
 *
 * <p>The log past the frontier may hold data of an earlier lap. A peek therefore starts only at a
 * frame reachable through committed frames: from the reader's position, or from the end of the
 * previous peek.
 *
 * <p>No method allocates, except to reject an invalid position or to report an invalid frame.
 */
public final class LogPeek {
    private final LogBuffers log;
    private final LogReader reader;
    private final Header header;
    private final int termLength;
    private final int bitsToShift;

    /** A valid frame start, unless the reader has passed it. */
    private long known;

    private long position;
    private long result;

    /**
     * @param log log to read.
     * @param reader reader of the log; no peek starts before its position.
     */
    public LogPeek(LogBuffers log, LogReader reader) {
        this.log = log;
        this.reader = reader;
        header = new Header(log.spec());
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Starts a peek.
     *
     * @param from position of a frame or of the frontier, between the reader's position and the end
     *     of the current term.
     * @throws IllegalArgumentException if no frame starts at the position.
     * @throws InvalidFrameException if an invalid frame precedes the position.
     */
    public void begin(long from) {
        long first = reader.position();
        long end = reader.termPosition() + termLength;
        position = known >= first && known <= from ? known : first;
        if (from < first || from > end) {
            throw new IllegalArgumentException(
                    "position "
                            + from
                            + " is invalid: it must be between "
                            + first
                            + " and "
                            + end);
        }
        while (position < from) {
            long word = term(position).getLongAcquire(offset(position));
            if (reader.isEnd(word)) {
                break;
            }
            position += length(word);
        }
        if (position != from) {
            throw new IllegalArgumentException(
                    "no received fragment ends at position "
                            + from
                            + ": use a position returned by a peek or by a fragment's header");
        }
        known = from;
        result = from;
    }

    /**
     * Delivers fragments from the start of the peek onwards, from at most one term.
     *
     * @param handler handler to call for each fragment; {@code COMMIT} acts as {@code CONTINUE}.
     * @param limit position before which a fragment must start to be delivered.
     * @throws InvalidFrameException if the log holds an invalid frame.
     */
    public void deliver(ControlledFragmentHandler handler, long limit) {
        UnsafeBuffer term = term(position);
        long end = Math.min(limit, position - offset(position) + termLength);
        boolean isNested = reader.beginDelivery();
        try {
            while (position < end && !reader.isClosed()) {
                long at = position;
                int offset = offset(at);
                long word = term.getLongAcquire(offset);
                if (reader.isEnd(word)) {
                    break;
                }
                long next = at + length(word);
                if (FrameHeader.type(word) == FrameHeader.TYPE_PAD) {
                    position = next;
                    result = next;
                    continue;
                }
                Action action = show(handler, term, offset, word);
                if (action == Action.ABORT || position != at) {
                    break; // the handler has aborted, or has itself peeked
                }
                position = next;
                if ((FrameHeader.flags(word) & FrameHeader.FLAG_END) != 0) {
                    result = next;
                }
                if (action == Action.BREAK) {
                    break;
                }
            }
        } finally {
            known = result;
            reader.endDelivery(isNested);
        }
    }

    private Action show(
            ControlledFragmentHandler handler, UnsafeBuffer term, int offset, long word) {
        header.wrap(term, offset, word, position);
        Action action =
                handler.onFragment(
                        term,
                        offset + FrameHeader.LENGTH,
                        FrameHeader.length(word) - FrameHeader.LENGTH,
                        header);
        if (action == null) {
            throw new IllegalStateException(
                    "the controlled fragment handler returned null: return one of ABORT, BREAK,"
                            + " COMMIT and CONTINUE");
        }
        return action;
    }

    /** Returns the position after the last complete message delivered. */
    public long result() {
        return result;
    }

    /** Returns the position of the current frame. */
    public long position() {
        return position;
    }

    /** Marks that nothing more will be delivered because the image is closed. Thread-safe. */
    public void close() {
        header.closeStream();
    }

    /** Returns the length in bytes that the frame at the position occupies. */
    private int length(long word) {
        int offset = offset(position);
        if (!FrameCheck.isValid(word, offset, termLength)) {
            throw FrameCheck.invalid(word, position, offset, termLength);
        }
        return FrameHeader.align(FrameHeader.length(word));
    }

    private UnsafeBuffer term(long at) {
        return log.term(LogLayout.partition(at, bitsToShift));
    }

    private int offset(long at) {
        return LogLayout.termOffset(at, termLength);
    }
}
