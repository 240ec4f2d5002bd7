// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Space in a log to write one message into, without a copy. Claim, write, then {@link #commit()} or
 * {@link #abort()} soon: later messages of the stream wait for it. Reusable; one thread at a time.
 */
public final class BufferClaim {
    private static final String NOTHING_CLAIMED =
            "nothing is claimed: commit or abort once after each successful claim";

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private int frameLength;
    private int flags;

    /** A claim of nothing. */
    public BufferClaim() {}

    /**
     * Takes over a frame whose first word holds its negative length.
     *
     * @param frame its address.
     * @param frameLength of header and payload.
     */
    void wrap(long frame, int frameLength) {
        buffer.wrap(frame, frameLength);
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
     * @throws IllegalStateException if nothing is claimed.
     */
    public void commit() {
        finish(FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA));
    }

    /**
     * Gives the space up: subscribers skip it.
     *
     * @throws IllegalStateException if nothing is claimed.
     */
    public void abort() {
        finish(FrameHeader.word(frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_PAD));
    }

    private void finish(long word) {
        if (frameLength == 0) {
            throw new IllegalStateException(NOTHING_CLAIMED);
        }
        // Last: whoever acquires a positive length sees the payload.
        buffer.putLongRelease(FrameHeader.FRAME_LENGTH, word);
        // The frame is the subscribers' now: a write through this claim must fail, not spoil it.
        buffer.wrap(0, 0);
        frameLength = 0;
    }
}
