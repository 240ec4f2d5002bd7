// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Decides when to send status messages for an image, and writes them. Used by the receiver's thread
 * only.
 */
final class StatusMessages {
    /** Minimum interval of status messages requested by setups. */
    private static final long MIN_INTERVAL_NS = 10_000_000;

    /**
     * Divisor of the window that gives the number of consumed bytes after which a message is due.
     */
    private static final int PARTS = 4;

    private final RebuiltLog log;
    private final long receiverId;
    private final Long groupTag;
    private final long intervalNs;
    private boolean isDue = true;
    private long toldPosition;
    private long toldNs;

    /**
     * @param log log of the image.
     * @param endpoint endpoint that receives it.
     * @param intervalNs maximum interval between messages in nanoseconds.
     * @param nowNs monotonic time.
     */
    StatusMessages(RebuiltLog log, UdpEndpoint endpoint, long intervalNs, long nowNs) {
        this.log = log;
        this.intervalNs = intervalNs;
        receiverId = endpoint.receiverId();
        groupTag = endpoint.terms().groupTag();
        toldPosition = log.rebuilt();
        toldNs = nowNs;
    }

    /** Handles the sender's request for a message. */
    void onAsked(long nowNs) {
        isDue |= nowNs - toldNs >= MIN_INTERVAL_NS;
    }

    /** Makes a message due, regardless of the last message. */
    void due() {
        isDue = true;
    }

    /** Returns whether to send a message now. */
    boolean isDue(long consumed, int window, long nowNs) {
        return isDue || consumed - toldPosition >= window / PARTS || nowNs - toldNs >= intervalNs;
    }

    /**
     * Records that a message was sent, or refused by the kernel.
     *
     * @param isSent false if the kernel refused the message, which is sent again when the next
     *     message is due.
     */
    void told(long consumed, boolean isSent, long nowNs) {
        if (isSent) {
            toldPosition = consumed;
            isDue = false;
        }
        toldNs = nowNs;
    }

    /**
     * Writes a message at the start of a buffer.
     *
     * @param flags flags of the message.
     * @param position position up to which the image is consumed.
     * @param window number of bytes that the sender may send beyond the position.
     * @return length of the message.
     */
    int write(UnsafeBuffer frame, int flags, long position, int window) {
        StatusFrame.write(
                frame,
                flags,
                log.sessionId(),
                log.streamId(),
                log.termId(position),
                log.termOffset(position),
                window,
                receiverId);
        if (groupTag == null) {
            return StatusFrame.LENGTH;
        }
        StatusFrame.tag(frame, groupTag);
        return StatusFrame.TAGGED_LENGTH;
    }
}
