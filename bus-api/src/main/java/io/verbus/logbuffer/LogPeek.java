// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.logbuffer.ControlledFragmentHandler.Action;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Shows what a reader will deliver, without consuming it. The reading thread's, but for {@link
 * #close}.
 *
 * <p>What lies behind the frontier of a log may be left over from an earlier lap. So a peek begins
 * only where a frame begins to which committed frames lead: from the reader's position, or from
 * where the peek before has ended.
 *
 * <p>No method allocates, but to refuse a wrong position and to report an invalid frame.
 */
public final class LogPeek {
    private final LogBuffers log;
    private final LogReader reader;
    private final Header header;
    private final int termLength;
    private final int bitsToShift;

    /** Where a frame begins, unless the reader has gone past it. */
    private long known;

    private long position;
    private long result;

    /**
     * @param log to read.
     * @param reader of the log, whose position no peek is in front of.
     */
    public LogPeek(LogBuffers log, LogReader reader) {
        this.log = log;
        this.reader = reader;
        header = new Header(log.spec());
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Begins a peek.
     *
     * @param from where a frame begins or the frontier is: from the reader's position to the end of
     *     the term that is read.
     * @throws IllegalArgumentException if it is another position.
     * @throws InvalidFrameException if there is what no appender writes in front of it.
     */
    public void begin(long from) {
        long first = reader.position();
        long end = reader.termPosition() + termLength;
        position = known >= first && known <= from ? known : first;
        if (from < first || from > end) {
            throw new IllegalArgumentException(
                    "position " + from + " is not from " + first + " to " + end);
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
                    "no fragment that has arrived ends at position "
                            + from
                            + ": take one that a peek or the header of a fragment has told");
        }
        known = from;
        result = from;
    }

    /**
     * Delivers fragments from where the peek has begun, of one term at most.
     *
     * @param handler to call for each; {@code COMMIT} means no more than {@code CONTINUE}.
     * @param limit position at which no fragment is delivered any more.
     * @throws InvalidFrameException if the log holds what no appender writes.
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
                    break; // the handler refuses, or has peeked, too
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
                    "the controlled fragment handler has returned null: return one of ABORT, BREAK,"
                            + " COMMIT and CONTINUE");
        }
        return action;
    }

    /** Position behind the last whole message that was delivered. */
    public long result() {
        return result;
    }

    /** Position of the frame that is looked at. */
    public long position() {
        return position;
    }

    /** The image is closed: nothing more will come. Any thread. */
    public void close() {
        header.closeStream();
    }

    /** Bytes that the frame at the position takes. */
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
