// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.ref.Reference;

/**
 * Space in a log into which the application writes one message without copying. After a successful
 * claim, write the payload and call {@link #commit()} or {@link #abort()} soon: until then,
 * subscribers receive no later message of the stream. Reusable, but not thread-safe.
 *
 * <pre>{@code
 * BufferClaim claim = new BufferClaim(); // keep and reuse
 * if (publication.tryClaim(16, claim) > 0) {
 *     try {
 *         claim.buffer().putLong(claim.offset(), orderId);
 *         claim.buffer().putLong(claim.offset() + 8, price);
 *     } catch (RuntimeException e) {
 *         claim.abort();
 *         throw e;
 *     }
 *     claim.commit();
 * }
 * }</pre>
 *
 * <p>The driver revokes a claim on a concurrent publication if the claim stays open longer than the
 * unblock timeout. It also revokes any open claim once the publication has ended or the client was
 * dropped. {@link #commit()} then throws {@link ClaimLostException}. Writes to a revoked claim may
 * corrupt another message, so an application whose process may be suspended should check how much
 * time has passed before it writes.
 */
public final class BufferClaim {
    private static final String NOTHING_CLAIMED =
            "nothing is claimed: commit or abort once after each successful claim";

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private LogBuffers log; // keeps the log mapped: prevents its garbage collection
    private boolean isShared;
    private int termId;
    private int frameLength;
    private int flags;

    /** Creates an empty claim, which {@code tryClaim} fills in. */
    public BufferClaim() {}

    /**
     * Points the claim at a frame whose first word holds the negative frame length.
     *
     * @param log log with the frame.
     * @param isShared whether the log has several writers.
     * @param frame address of the frame.
     * @param termId id of the term with the frame.
     * @param frameLength length of header and payload.
     */
    void wrap(LogBuffers log, boolean isShared, long frame, int termId, int frameLength) {
        // Stored only if it changes, because storing a reference dirties a GC card, and the card's
        // cache line also holds cards of other threads' objects.
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
     * Checks that the claim is not open, if {@link MisuseChecks#ON}.
     *
     * @throws MisuseException if it is open.
     */
    void checkFree() {
        if (MisuseChecks.ON && frameLength != 0) {
            throw new MisuseException(
                    "this claim of "
                            + length()
                            + " bytes in term "
                            + termId
                            + " is still open, and blocks the stream: commit or abort it before"
                            + " reusing this object");
        }
    }

    /**
     * Returns the buffer into which to write the payload, starting at {@link #offset()}; empty if
     * there is no claim.
     */
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    /** Returns the offset of the payload in the buffer. */
    public int offset() {
        return FrameHeader.LENGTH;
    }

    /** Returns the length of the claimed payload in bytes. */
    public int length() {
        return Math.max(0, frameLength - FrameHeader.LENGTH);
    }

    /**
     * Sets the flags of the committed frame.
     *
     * @param flags unsigned byte. Default: {@link FrameHeader#FLAGS_UNFRAGMENTED}.
     * @return this.
     */
    public BufferClaim flags(int flags) {
        this.flags = flags & 0xFF;
        return this;
    }

    /** Returns the flags of the committed frame. */
    public int flags() {
        return flags;
    }

    /**
     * Sets the header's reserved value, which the application may use freely.
     *
     * @param value reserved value. Default: 0.
     * @return this.
     */
    public BufferClaim reservedValue(long value) {
        buffer.putLong(FrameHeader.RESERVED_VALUE, value);
        return this;
    }

    /** Returns the header's reserved value. */
    public long reservedValue() {
        return buffer.getLong(FrameHeader.RESERVED_VALUE);
    }

    /**
     * Makes the message visible to subscribers.
     *
     * @throws ClaimLostException if the driver has revoked the claim; the message is not sent.
     * @throws IllegalStateException if nothing is claimed.
     */
    public void commit() {
        int length = length();
        if (!finish(FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA))) {
            throw new ClaimLostException(length);
        }
    }

    /**
     * Abandons the claim; subscribers skip its space.
     *
     * @return false if the driver had already revoked the claim.
     * @throws IllegalStateException if nothing is claimed.
     */
    public boolean abort() {
        return finish(Framing.padding(frameLength));
    }

    private boolean finish(long word) {
        if (frameLength == 0) {
            throw new IllegalStateException(NOTHING_CLAIMED);
        }
        // This is the last store, so a reader that acquires a positive length sees the payload.
        long frame = buffer.addressOffset();
        boolean isThere =
                isShared
                        ? Framing.commit(frame, termId, frameLength, word)
                        : Framing.commitAlone(frame, termId, frameLength, word);
        Reference.reachabilityFence(log);
        // Subscribers read the frame from now on, so a write through this claim must fail.
        buffer.wrap(0, 0);
        frameLength = 0;
        return isThere;
    }
}
