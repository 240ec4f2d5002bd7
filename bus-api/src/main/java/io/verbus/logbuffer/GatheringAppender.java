// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.status.ReadablePosition;

import java.lang.ref.Reference;

/**
 * Appends messages that are gathered from several buffers, or whose reserved values depend on the
 * content of the frames. The two subclasses implement how frames are claimed, opened and committed.
 * They also have a shorter path for a message in one buffer with a known reserved value.
 *
 * <p>No method allocates, except to reject an invalid argument.
 */
abstract sealed class GatheringAppender permits ConcurrentAppender, ExclusiveAppender {
    /** Returned by {@link #openFrame} for a frame that an unblocker has taken. */
    static final long GONE = 0;

    final LogBuffers log;
    final Framing framing;
    private final ReadablePosition limit;
    private final int termLength;
    private final int bitsToShift;

    /**
     * @param limit publisher limit, or null if the caller reads the limit itself.
     */
    GatheringAppender(LogBuffers log, ReadablePosition limit) {
        this.log = log;
        this.limit = limit;
        framing = new Framing(log.spec());
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Returns the position at which appending stops. The appender holds its log's limit, so a
     * caller that loads the appender once gets the limit of the log to which it appends.
     */
    public final long limit() {
        return limit.getAcquire();
    }

    /**
     * Claims space for all frames of a message. Returns the position of the first frame, or a
     * negative result.
     */
    abstract long claimMessage(int length, long limit);

    /** Opens a frame and writes its header; returns its address, or {@link #GONE}. */
    abstract long openFrame(long position, int frameLength);

    /** Commits a frame; returns false if an unblocker has taken it. */
    abstract boolean commitFrame(long position, long frame, int frameLength, int flags);

    /** Turns an open frame and the rest of its message into padding. */
    abstract void abandon(long position, long frame, int frameLength, long end);

    /**
     * Appends a message of two parts, in fragments if it exceeds the MTU.
     *
     * @param first buffer with the first part.
     * @param firstOffset offset of the first part in its buffer.
     * @param firstLength length of the first part in bytes, 0 or more.
     * @param second buffer with the second part; may be null if that part is empty.
     * @param secondOffset offset of the second part in its buffer.
     * @param secondLength length of the second part in bytes, 0 or more.
     * @param supplier supplier of the reserved value of each frame, or null for 0.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the message, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if the length of a part or of the message is out of range.
     * @throws IndexOutOfBoundsException if a buffer does not contain its part.
     */
    public final long append(
            DirectBuffer first,
            int firstOffset,
            int firstLength,
            DirectBuffer second,
            int secondOffset,
            int secondLength,
            ReservedValueSupplier supplier,
            long limit) {
        int length =
                framing.checkParts(
                        first, firstOffset, firstLength, second, secondOffset, secondLength);
        long start = claimMessage(length, limit);
        if (start < 0) {
            return start;
        }
        long end = start + framing.required(length);
        long at = start;
        int done = 0;
        do {
            int payload = Math.min(length - done, framing.maxPayload());
            int frameLength = FrameHeader.LENGTH + payload;
            long frame = openFrame(at, frameLength);
            if (frame == GONE) {
                return AppendResult.ADMIN_ACTION;
            }
            long to = frame + FrameHeader.LENGTH;
            int ofFirst = Math.clamp((long) firstLength - done, 0, payload);
            if (ofFirst > 0) {
                Framing.payload(to, first, firstOffset + done, ofFirst);
            }
            if (ofFirst < payload) {
                int from = secondOffset + done + ofFirst - firstLength;
                Framing.payload(to + ofFirst, second, from, payload - ofFirst);
            }
            int flags = Framing.flags(done == 0, done + payload == length);
            if (!complete(at, frame, frameLength, flags, supplier, end)) {
                return AppendResult.ADMIN_ACTION;
            }
            done += payload;
            at += FrameHeader.align(frameLength);
        } while (done < length);
        Reference.reachabilityFence(log); // the log may be closed and unreachable in the meantime
        return end;
    }

    /**
     * Appends a message of any number of parts, in fragments if it exceeds the MTU.
     *
     * @param vectors parts of the message, in order; not modified.
     * @param supplier supplier of the reserved value of each frame, or null for 0.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the message, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if the length of a part or of the message is out of range.
     * @throws IndexOutOfBoundsException if a buffer does not contain its part.
     */
    public final long append(
            DirectBufferVector[] vectors, ReservedValueSupplier supplier, long limit) {
        int length = DirectBufferVector.validateAndComputeLength(vectors);
        framing.checkLength(length);
        long start = claimMessage(length, limit);
        if (start < 0) {
            return start;
        }
        long end = start + framing.required(length);
        long at = start;
        int done = 0;
        int part = 0;
        int ofPart = 0; // number of bytes of the current part already appended
        do {
            int payload = Math.min(length - done, framing.maxPayload());
            int frameLength = FrameHeader.LENGTH + payload;
            long frame = openFrame(at, frameLength);
            if (frame == GONE) {
                return AppendResult.ADMIN_ACTION;
            }
            int copied = 0;
            while (copied < payload) {
                DirectBufferVector vector = vectors[part];
                int count = Math.min(vector.length() - ofPart, payload - copied);
                long to = frame + FrameHeader.LENGTH + copied;
                Framing.payload(to, vector.buffer(), vector.offset() + ofPart, count);
                copied += count;
                ofPart += count;
                if (ofPart == vector.length()) {
                    part++;
                    ofPart = 0;
                }
            }
            int flags = Framing.flags(done == 0, done + payload == length);
            if (!complete(at, frame, frameLength, flags, supplier, end)) {
                return AppendResult.ADMIN_ACTION;
            }
            done += payload;
            at += FrameHeader.align(frameLength);
        } while (done < length);
        Reference.reachabilityFence(log);
        return end;
    }

    private boolean complete(
            long position,
            long frame,
            int frameLength,
            int flags,
            ReservedValueSupplier supplier,
            long end) {
        if (supplier != null) {
            boolean isSupplied = false;
            try {
                long value =
                        supplier.get(
                                log.term(LogLayout.partition(position, bitsToShift)),
                                LogLayout.termOffset(position, termLength),
                                frameLength);
                UnsafeApi.putLong(frame + FrameHeader.RESERVED_VALUE, value);
                isSupplied = true;
            } finally {
                if (!isSupplied) {
                    abandon(position, frame, frameLength, end);
                }
            }
        }
        return commitFrame(position, frame, frameLength, flags);
    }
}
