// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/** When a sender is told how far an image is consumed, and how it is told. Receiver's thread. */
final class StatusMessages {
    /** Status messages that set-ups ask for are at least so far apart. */
    private static final long MIN_INTERVAL_NS = 10_000_000;

    /** Parts of the window, each of which is worth a message when it is consumed. */
    private static final int PARTS = 4;

    private final RebuiltLog log;
    private final long receiverId;
    private final Long groupTag;
    private final long intervalNs;
    private boolean isDue = true;
    private long toldPosition;
    private long toldNs;

    /**
     * @param log whose positions are told.
     * @param endpoint that receives it.
     * @param intervalNs longest time between messages.
     * @param nowNs monotonic time.
     */
    StatusMessages(RebuiltLog log, ReceiveEndpoint endpoint, long intervalNs, long nowNs) {
        this.log = log;
        this.intervalNs = intervalNs;
        receiverId = endpoint.receiverId();
        groupTag = endpoint.terms().groupTag();
        toldPosition = log.rebuilt();
        toldNs = nowNs;
    }

    /** The sender asks for a message. */
    void onAsked(long nowNs) {
        isDue |= nowNs - toldNs >= MIN_INTERVAL_NS;
    }

    /** One is to go out, whenever the last one did. */
    void due() {
        isDue = true;
    }

    /** Whether to send one now. */
    boolean isDue(long consumed, int window, long nowNs) {
        return isDue || consumed - toldPosition >= window / PARTS || nowNs - toldNs >= intervalNs;
    }

    /**
     * A message has gone out, or the kernel has refused it.
     *
     * @param isSent false if it was refused: the next one is tried when it is due again.
     */
    void told(long consumed, boolean isSent, long nowNs) {
        if (isSent) {
            toldPosition = consumed;
            isDue = false;
        }
        toldNs = nowNs;
    }

    /**
     * Writes a message at the beginning of a buffer.
     *
     * @param flags of the message.
     * @param position up to which the image is consumed.
     * @param window bytes past that which the sender may send.
     * @return bytes of the message.
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
