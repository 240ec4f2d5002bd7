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
 * The log of an image that frames are put into in any order, and how far it is complete. Receiver's
 * thread, but for {@link #rebuiltAcquire}.
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

    /** Position up to which every frame is there. */
    long rebuilt() {
        return rebuilt;
    }

    /**
     * The same for another thread. Subscribers may be past it, for they see frames before the
     * receiver has counted them; what lies behind it must stay as it is until then.
     */
    long rebuiltAcquire() {
        return (long) REBUILT.getAcquire(this);
    }

    /** Position up to which the stream was sent, as far as is known here. */
    long highest() {
        return highest;
    }

    boolean hasGap() {
        return rebuilt < highest && !isBroken;
    }

    /** Whether frames overlap, so that none begins where the log is complete. */
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

    /** Bytes of a term. */
    int termLength() {
        return termLength;
    }

    int termId(long position) {
        return LogLayout.termId(position, bitsToShift, initialTermId);
    }

    int termOffset(long position) {
        return LogLayout.termOffset(position, termLength);
    }

    /** Position at which the frame stands that a part of a datagram begins with; -1 if nowhere. */
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

    /** Bytes of the row of frames that a part begins with; 0 if it begins with none. */
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
     * Puts a row of frames in, and goes on to where the log is complete then.
     *
     * @param part that begins with the row.
     * @param position of the row.
     * @param length of the row.
     * @param bound past which nothing is known to be sent.
     * @return how many frames of it were there already.
     */
    int insert(UnsafeBuffer part, long position, int length, long bound) {
        int duplicates =
                FrameRow.insert(
                        term(position), termOffset(position), part, length, rebuilt - position);
        sentUpTo(Math.min(position + FrameHeader.align(length), bound));
        advance();
        return duplicates;
    }

    /** The stream was sent up to a position. */
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
     * Finds what is missing.
     *
     * @param from position behind which to look, where a frame or a gap begins.
     * @param to position up to which to look.
     * @return where the first gap begins; the end of the search if there is none.
     */
    long gapBegin(long from, long to) {
        long at = Math.max(from, rebuilt);
        while (at < to) {
            long word = term(at).getLong(termOffset(at));
            if (word == 0) {
                return at;
            }
            if (!FrameCheck.isValid(word, termOffset(at), termLength)) {
                return to; // found again when the log is complete up to there
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        return to;
    }

    /**
     * Finds where a gap ends: at the next frame, or at the end of its term.
     *
     * @param begin of the gap.
     * @param to position up to which to look.
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
