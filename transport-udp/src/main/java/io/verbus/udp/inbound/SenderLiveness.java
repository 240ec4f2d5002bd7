// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/** Decides whether a stream's sender still serves this receiver. Used by the receiver. */
final class SenderLiveness {
    private static final String REMEDY =
            ": set fc=min on the publication's channel, or consume faster";

    private final Distance distance;
    private final boolean isGroup;
    private final long timeoutNs;
    private long frameNs;

    /**
     * Whether the sender is too far ahead for this receiver, which is missing earlier frames. Then
     * only retransmitted frames show that the sender is alive; some senders cannot retransmit them.
     */
    private boolean isOutpaced;

    /**
     * Called by the conductor's thread.
     *
     * @param termLength term length of the stream.
     * @param isGroup whether the stream may have other receivers.
     * @param timeoutNs silence after which a sender is lost.
     * @param nowNs monotonic time.
     */
    SenderLiveness(int termLength, boolean isGroup, long timeoutNs, long nowNs) {
        distance = new Distance(termLength);
        this.isGroup = isGroup;
        this.timeoutNs = timeoutNs;
        frameNs = nowNs;
    }

    /** Handles a frame that this receiver can use. */
    void onFrame(long nowNs) {
        isOutpaced = false;
        frameNs = nowNs;
        distance.onNear();
    }

    /** Handles a frame that is a number of bytes ahead of what is complete, and cannot be used. */
    void onBeyond(long bytes, long nowNs) {
        distance.onBeyond(bytes, nowNs);
    }

    /** Handles that the sender is too far ahead, although this receiver has room. */
    void onOutpaced() {
        isOutpaced = true;
    }

    /**
     * Returns why the stream is lost; null if it is not.
     *
     * @param complete position up to which everything has arrived.
     * @param hasEnded whether the end of the stream has arrived.
     */
    String lost(long complete, boolean hasEnded, long nowNs) {
        if (isGroup && distance.isTooFar()) {
            return "the sender left this receiver behind at position " + complete + REMEDY;
        }
        if (hasEnded || nowNs - frameNs < timeoutNs) {
            return null;
        }
        String silence = timeoutNs / 1_000_000 + " ms";
        return isOutpaced
                ? "the sender is ahead, and has not retransmitted the data at position "
                        + complete
                        + " for "
                        + silence
                        + REMEDY
                : "the sender has been silent for " + silence;
    }
}
