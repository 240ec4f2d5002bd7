// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the next batch: the run of committed frames from a position, within one term. The log is
 * written by other processes, so each frame length is read once (acquire) and checked.
 *
 * <p>A frame may begin while the receiver's credit lasts and end past it, and a batch holds at least
 * one frame, so that neither a small window nor a small batch can hold a long frame back for ever;
 * but nothing goes past the hard limit. Used by the sender only.
 */
public final class BatchScan {
    /** What a scan has found. */
    public enum Result {
        /** No committed frame at the position. */
        NONE,

        /** A batch: see {@link #length()}. */
        BATCH,

        /** A frame, but no credit for it. */
        NO_CREDIT,

        /** No frame can look like what stands at the position. */
        INVALID
    }

    private int length;
    private int dataLength;
    private int wrongLength;

    /**
     * Scans.
     *
     * @param log to scan.
     * @param position from which.
     * @param credit position before which a frame may begin.
     * @param hardLimit position past which no frame may end.
     * @param maxBytes of a batch of more than one frame.
     * @return what was found.
     */
    public Result scan(LogBuffers log, long position, long credit, long hardLimit, int maxBytes) {
        int termLength = log.spec().termLength();
        UnsafeBuffer term =
                log.term(
                        LogLayout.partition(position, LogLayout.positionBitsToShift(termLength)));
        int begin = LogLayout.termOffset(position, termLength);
        int offset = begin;
        int dataEnd = begin;
        boolean padding = false;
        Result end = Result.NONE;

        while (offset < termLength && !padding) {
            int frameLength = term.getIntAcquire(offset + FrameHeader.FRAME_LENGTH);
            if (frameLength <= 0) {
                break;
            }
            if (frameLength < FrameHeader.LENGTH || frameLength > termLength - offset) {
                wrongLength = frameLength;
                end = Result.INVALID;
                break;
            }
            int next = offset + FrameHeader.align(frameLength);
            if (position + (offset - begin) >= credit || position + (next - begin) > hardLimit) {
                end = Result.NO_CREDIT;
                break;
            }
            if (offset > begin && next - begin > maxBytes) {
                break;
            }
            padding =
                    (term.getShort(offset + FrameHeader.TYPE) & 0xFFFF) == FrameHeader.TYPE_PAD;
            dataEnd = padding ? offset + FrameHeader.LENGTH : next;
            offset = next;
        }

        length = offset - begin;
        dataLength = dataEnd - begin;
        return length > 0 ? Result.BATCH : end;
    }

    /** Bytes of the batch. */
    public int length() {
        return length;
    }

    /** Bytes of the batch that are sent: all but the body of a padding frame at its end. */
    public int dataLength() {
        return dataLength;
    }

    /** The frame length that was found invalid. */
    public int wrongLength() {
        return wrongLength;
    }
}
