// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.status.ReadablePosition;

import java.lang.ref.Reference;

/**
 * Appends messages whose bytes lie in several places, or whose reserved values depend on what was
 * written. How a frame is claimed, opened and committed is the affair of the two kinds of appender;
 * a message in one place, with a reserved value that is known, has a shorter way there.
 *
 * <p>No method allocates, but to refuse a wrong argument.
 */
abstract sealed class GatheringAppender permits ConcurrentAppender, ExclusiveAppender {
    /** Address of a frame that an unblocker has taken. */
    static final long GONE = 0;

    final LogBuffers log;
    final Framing framing;
    private final ReadablePosition limit;
    private final int termLength;
    private final int bitsToShift;

    /**
     * @param limit of the publication, or null if the caller knows it.
     */
    GatheringAppender(LogBuffers log, ReadablePosition limit) {
        this.log = log;
        this.limit = limit;
        framing = new Framing(log.spec());
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Position from which on nothing may be appended. Of the same log as the appender: who has one
     * of them by a single load has both.
     */
    public final long limit() {
        return limit.getAcquire();
    }

    /** Claims all frames of a message. Returns the position of the first, or a negative result. */
    abstract long claimMessage(int length, long limit);

    /** Begins a frame, header included. Returns its address, or {@link #GONE}. */
    abstract long openFrame(long position, int frameLength);

    /** Publishes a frame; false if an unblocker has taken it. */
    abstract boolean commitFrame(long position, long frame, int frameLength, int flags);

    /** Makes padding of a frame that is open, and of the rest of its message. */
    abstract void abandon(long position, long frame, int frameLength, long end);

    /**
     * Appends a message of two parts, in fragments if it is longer than the MTU allows.
     *
     * @param first buffer that holds the first part.
     * @param firstOffset at which it begins.
     * @param firstLength in bytes, 0 or more.
     * @param second buffer that holds the second part; may be null if that has no bytes.
     * @param secondOffset at which it begins.
     * @param secondLength in bytes, 0 or more.
     * @param supplier of the reserved value of each frame, or null: 0.
     * @param limit position from which on nothing may be appended, read by the caller with acquire.
     * @return the position of the stream behind the message, or one of {@link AppendResult}.
     * @throws IllegalArgumentException if a length, or that of the message, is out of range.
     * @throws IndexOutOfBoundsException if a buffer does not hold its part.
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
        Reference.reachabilityFence(log); // which may be closed, and forgotten, meanwhile
        return end;
    }

    /**
     * Appends a message of any number of parts, in fragments if it is longer than the MTU allows.
     *
     * @param vectors the parts, first to last; not changed.
     * @param supplier of the reserved value of each frame, or null: 0.
     * @param limit position from which on nothing may be appended, read by the caller with acquire.
     * @return the position of the stream behind the message, or one of {@link AppendResult}.
     * @throws IllegalArgumentException if a length, or that of the message, is out of range.
     * @throws IndexOutOfBoundsException if a buffer does not hold its part.
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
        int ofPart = 0; // bytes of it that are appended
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
