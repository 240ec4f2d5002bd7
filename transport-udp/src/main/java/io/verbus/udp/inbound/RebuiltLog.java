// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameCheck;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.udp.wire.NakFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Log of an image, into which frames are inserted in any order, with the position up to which it is
 * complete. Used by the receiver's thread only, except for {@link #rebuiltAcquire}.
 *
 * <pre>
 *       rebuilt                    highest
 *  --------+--------------------------+--------
 *  complete|  frames, and gaps        |  zero
 *  --------+--------------------------+--------
 * </pre>
 */
final class RebuiltLog {
    private static final VarHandle REBUILT;

    static {
        try {
            REBUILT = MethodHandles.lookup().findVarHandle(RebuiltLog.class, "rebuilt", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LogBuffers log;
    private final int sessionId;
    private final int streamId;
    private final int initialTermId;
    private final int termLength;
    private final int bitsToShift;
    private long rebuilt;
    private long highest;
    private boolean isBroken;

    RebuiltLog(LogBuffers log, long position) {
        this.log = log;
        sessionId = log.spec().sessionId();
        streamId = log.spec().streamId();
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        rebuilt = position;
        highest = position;
    }

    /** Returns the position up to which the log is complete. */
    long rebuilt() {
        return rebuilt;
    }

    /**
     * Returns the position up to which the log is complete, for other threads. Subscribers may be
     * ahead of it, because they see frames before the receiver counts them; other threads must not
     * change the log after this position.
     */
    long rebuiltAcquire() {
        return (long) REBUILT.getAcquire(this);
    }

    /** Returns the highest position known to be sent. */
    long highest() {
        return highest;
    }

    boolean hasGap() {
        return rebuilt < highest && !isBroken;
    }

    /**
     * Returns whether frames overlap: no frame starts at the position up to which the log is
     * complete.
     */
    boolean isBroken() {
        return isBroken;
    }

    int sessionId() {
        return sessionId;
    }

    int streamId() {
        return streamId;
    }

    int initialTermId() {
        return initialTermId;
    }

    /** Returns the term length in bytes. */
    int termLength() {
        return termLength;
    }

    int termId(long position) {
        return LogLayout.termId(position, bitsToShift, initialTermId);
    }

    int termOffset(long position) {
        return LogLayout.termOffset(position, termLength);
    }

    /**
     * Returns the position of the frame at the start of a part of a datagram; -1 if it is invalid.
     */
    long position(UnsafeBuffer part) {
        int offset = part.getInt(FrameHeader.TERM_OFFSET);
        long term = (long) (part.getInt(FrameHeader.TERM_ID) - initialTermId) << bitsToShift;
        boolean isPlace =
                term >= 0
                        && offset >= 0
                        && offset <= termLength
                        && offset % FrameHeader.ALIGNMENT == 0;
        return isPlace ? term + offset : -1;
    }

    /** Returns the length of the row of frames at the start of a part; 0 if there is none. */
    int rowLength(UnsafeBuffer part) {
        return FrameRow.length(
                part,
                part.getInt(FrameHeader.TERM_OFFSET),
                termLength,
                part.getInt(FrameHeader.TERM_ID),
                sessionId,
                streamId);
    }

    /**
     * Inserts a row of frames, and advances the position up to which the log is complete.
     *
     * @param part buffer that starts with the row.
     * @param position position of the row.
     * @param length length of the row.
     * @param bound upper bound for the highest position known to be sent.
     * @return number of duplicate frames.
     */
    int insert(UnsafeBuffer part, long position, int length, long bound) {
        int duplicates =
                FrameRow.insert(
                        term(position), termOffset(position), part, length, rebuilt - position);
        sentUpTo(Math.min(position + FrameHeader.align(length), bound));
        advance();
        return duplicates;
    }

    /** Records that the stream was sent up to a position. */
    void sentUpTo(long position) {
        highest = Math.max(highest, position);
    }

    private void advance() {
        long at = rebuilt;
        while (at < highest) {
            int offset = termOffset(at);
            long word = term(at).getLong(offset);
            if (word == 0) {
                break;
            }
            if (!FrameCheck.isValid(word, offset, termLength)) {
                isBroken = true;
                break;
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        REBUILT.setRelease(this, at);
    }

    /**
     * Finds the first gap.
     *
     * @param from start of the search, at which a frame or a gap starts.
     * @param to end of the search.
     * @return start of the first gap; {@code to} if there is none.
     */
    long gapBegin(long from, long to) {
        long at = Math.max(from, rebuilt);
        while (at < to) {
            long word = term(at).getLong(termOffset(at));
            if (word == 0) {
                return at;
            }
            if (!FrameCheck.isValid(word, termOffset(at), termLength)) {
                return to; // the gap is found again once the log is complete up to it
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        return to;
    }

    /**
     * Returns the end of a gap: the next frame, or the end of its term.
     *
     * @param begin start of the gap.
     * @param to end of the search.
     */
    long gapEnd(long begin, long to) {
        int offset = termOffset(begin);
        int bound = (int) Math.min(to - begin + offset, termLength);
        return begin - offset + TermRebuilder.gapEnd(term(begin), offset, bound);
    }

    /** Writes a NAK for a gap. */
    void writeNak(UnsafeBuffer frame, long begin, int length) {
        NakFrame.write(frame, sessionId, streamId, termId(begin), termOffset(begin), length);
    }

    /** Fills a gap with padding. */
    void skip(long begin, int length) {
        TermRebuilder.fill(
                term(begin), termOffset(begin), length, sessionId, streamId, termId(begin));
        advance();
    }

    private UnsafeBuffer term(long position) {
        return log.term(LogLayout.partition(position, bitsToShift));
    }
}
