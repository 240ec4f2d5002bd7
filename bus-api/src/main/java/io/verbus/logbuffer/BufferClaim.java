// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.ref.Reference;

/**
 * Space in a log to write one message into, without a copy. Claim, write, then {@link #commit()} or
 * {@link #abort()} soon: later messages of the stream wait for it. Reusable; one thread at a time.
 *
 * <p>The driver takes a claim away that is open for longer than its unblock timeout, and those of a
 * client that it has given up: {@link #commit()} says so. What is written into a claim after that
 * may be written into another message, so check how long a process was stopped before, where that
 * can be.
 */
public final class BufferClaim {
    private static final String NOTHING_CLAIMED =
            "nothing is claimed: commit or abort once after each successful claim";

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private LogBuffers log; // which a claim keeps from being unmapped by the garbage collector
    private boolean isShared;
    private int termId;
    private int frameLength;
    private int flags;

    /** A claim of nothing. */
    public BufferClaim() {}

    /**
     * Takes over a frame whose first word holds its negative length.
     *
     * @param log that holds the frame.
     * @param isShared whether the log has more than one writer.
     * @param frame its address.
     * @param termId of the term that holds the frame.
     * @param frameLength of header and payload.
     */
    void wrap(LogBuffers log, boolean isShared, long frame, int termId, int frameLength) {
        // Storing a reference marks a card, and cards of objects of other threads share its line.
        if (this.log != log) {
            this.log = log;
        }
        buffer.wrap(frame, frameLength);
        this.isShared = isShared;
        this.termId = termId;
        this.frameLength = frameLength;
        flags = FrameHeader.FLAGS_UNFRAGMENTED;
    }

    /**
     * Buffer to write the payload into, from {@link #offset()} on. Empty when nothing is claimed.
     */
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    /** Offset of the payload in the buffer. */
    public int offset() {
        return FrameHeader.LENGTH;
    }

    /** Bytes of payload that were claimed. */
    public int length() {
        return Math.max(0, frameLength - FrameHeader.LENGTH);
    }

    /**
     * Sets the flags that the frame is committed with.
     *
     * @param flags an unsigned byte; {@link FrameHeader#FLAGS_UNFRAGMENTED} unless set.
     * @return this.
     */
    public BufferClaim flags(int flags) {
        this.flags = flags & 0xFF;
        return this;
    }

    /** Flags that the frame will be committed with. */
    public int flags() {
        return flags;
    }

    /**
     * Sets the header's value that is the application's to use.
     *
     * @param value any; 0 unless set.
     * @return this.
     */
    public BufferClaim reservedValue(long value) {
        buffer.putLong(FrameHeader.RESERVED_VALUE, value);
        return this;
    }

    /** The header's value that is the application's to use. */
    public long reservedValue() {
        return buffer.getLong(FrameHeader.RESERVED_VALUE);
    }

    /**
     * Makes the message visible to subscribers.
     *
     * @throws ClaimLostException if the driver has taken the claim away: the message is not sent.
     * @throws IllegalStateException if nothing is claimed.
     */
    public void commit() {
        int length = length();
        if (!finish(FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA))) {
            throw new ClaimLostException(length);
        }
    }

    /**
     * Gives the space up: subscribers skip it.
     *
     * @return whether it was still there; false if the driver has taken it away, so that it was
     *     skipped before.
     * @throws IllegalStateException if nothing is claimed.
     */
    public boolean abort() {
        return finish(Framing.padding(frameLength));
    }

    private boolean finish(long word) {
        if (frameLength == 0) {
            throw new IllegalStateException(NOTHING_CLAIMED);
        }
        // Last: a reader that acquires a positive length sees the payload.
        long frame = buffer.addressOffset();
        boolean isThere =
                isShared
                        ? Framing.commit(frame, termId, frameLength, word)
                        : Framing.commitAlone(frame, termId, frameLength, word);
        Reference.reachabilityFence(log);
        // The frame is the subscribers' now: a write through this claim must fail, not spoil it.
        buffer.wrap(0, 0);
        frameLength = 0;
        return isThere;
    }
}
