// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameCheck;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogScanner;
import io.verbus.transport.FrameTimestamps;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Splits a publication's log into datagrams, which are sent in place: each contains as many whole
 * frames of one term as fit into the MTU. For padding, only the header is sent. Used by the
 * sender's thread only.
 */
final class LogSource {
    private final LogBuffers log;
    private final LogScanner scanner;
    private final int termLength;
    private final int bitsToShift;
    private final int mtu;

    /** Null if the channel does not request timestamps. */
    private final FrameTimestamps timestamps;

    private final DestinationPort port;

    LogSource(LogBuffers log, FrameTimestamps timestamps, DestinationPort port) {
        this.log = log;
        this.port = port;
        this.timestamps = timestamps;
        scanner = new LogScanner(log);
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        mtu = log.spec().mtu();
    }

    /** Returns whether a frame at a position may not be sent yet because of the limit. */
    boolean isHeldBack(long position, long limit) {
        int length = FrameHeader.length(word(position));
        return length > 0
                && position + FrameHeader.align(length) > limit
                && paddingEnd(position, limit) == position;
    }

    /**
     * Stages committed frames until the batch is full.
     *
     * @param position position from which to send.
     * @param limit position up to which the receiver accepts frames; does not apply to the body of
     *     padding.
     * @return position after the staged frames.
     * @throws InvalidFrameException if nothing can be staged because the log is damaged.
     */
    long fill(long position, long limit) {
        long at = position;
        while (!port.isFull() && at < limit) {
            long end;
            try {
                end = scanner.available(at, limit, mtu);
            } catch (InvalidFrameException e) {
                if (at == position) {
                    throw e;
                }
                break; // first send the frames before the damage
            }
            int length = (int) (end - at) - scanner.padding();
            if (end == at) {
                end = paddingEnd(at, limit);
                if (end == at) {
                    break;
                }
                length = FrameHeader.LENGTH;
            }
            stage(at, end, length);
            at = end;
        }
        return at;
    }

    /**
     * Stages frames for retransmission until the batch is full.
     *
     * @param position position named by a receiver.
     * @param end end of the missing range.
     * @param sent position up to which the log was sent.
     * @return position after the staged frames; the initial position if no frame starts there.
     */
    long refill(long position, long end, long sent) {
        long at = position;
        while (!port.isFull() && at < end && isFrame(at)) {
            long next = scanner.available(at, sent, (int) Math.min(mtu, end - at));
            if (next == at) {
                break;
            }
            stage(at, next, (int) (next - at) - scanner.padding());
            at = next;
        }
        return at;
    }

    private void stage(long from, long end, int length) {
        int partition = LogLayout.partition(from, bitsToShift);
        int offset = LogLayout.termOffset(from, termLength);
        if (timestamps != null) {
            timestamps.stamp(log.term(partition), offset, length);
        }
        port.stage(log.address() + (long) partition * termLength + offset, length, end);
    }

    /**
     * Returns the end of a padding frame whose header fits into the limit, or the position itself
     * if there is no such frame.
     */
    private long paddingEnd(long position, long limit) {
        if (position + FrameHeader.LENGTH > limit) {
            return position;
        }
        long word = word(position);
        boolean isPadding =
                FrameHeader.length(word) > 0
                        && FrameHeader.type(word) == FrameHeader.TYPE_PAD
                        && FrameCheck.isValid(
                                word, LogLayout.termOffset(position, termLength), termLength);
        return isPadding ? position + FrameHeader.align(FrameHeader.length(word)) : position;
    }

    /** Returns whether a committed frame of this stream starts at a position. */
    boolean isFrame(long position) {
        UnsafeBuffer term = log.term(LogLayout.partition(position, bitsToShift));
        int offset = LogLayout.termOffset(position, termLength);
        long word = term.getLongAcquire(offset);
        return FrameHeader.length(word) > 0
                && FrameCheck.isValid(word, offset, termLength)
                && term.getInt(offset + FrameHeader.TERM_OFFSET) == offset
                && term.getInt(offset + FrameHeader.SESSION_ID) == log.spec().sessionId()
                && term.getInt(offset + FrameHeader.STREAM_ID) == log.spec().streamId()
                && term.getInt(offset + FrameHeader.TERM_ID)
                        == LogLayout.termId(position, bitsToShift, log.spec().initialTermId());
    }

    private long word(long position) {
        return log.term(LogLayout.partition(position, bitsToShift))
                .getLongAcquire(LogLayout.termOffset(position, termLength));
    }
}
