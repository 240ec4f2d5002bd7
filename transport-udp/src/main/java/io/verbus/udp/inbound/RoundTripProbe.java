// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.wire.RttFrame;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Measures the round-trip time to a sender with one request at a time, and accepts only answers to
 * its own requests. Used by the receiver's thread only.
 */
final class RoundTripProbe {
    private static final long INTERVAL_NS = 100_000_000;

    /** Time after which a request without an answer is repeated. */
    private static final long TIMEOUT_NS = 1_000_000_000;

    private final long receiverId;
    private long askedNs;
    private boolean isAsked;
    private boolean wasAsked;

    RoundTripProbe(long receiverId) {
        this.receiverId = receiverId;
    }

    /** Returns whether to send a request now. */
    boolean isDue(long nowNs) {
        return !wasAsked || nowNs - askedNs >= (isAsked ? TIMEOUT_NS : INTERVAL_NS);
    }

    /** Writes a request. */
    void ask(UnsafeBuffer frame, int sessionId, int streamId, long nowNs) {
        RttFrame.ask(frame, sessionId, streamId, nowNs, receiverId);
        isAsked = true;
        wasAsked = true;
        askedNs = nowNs;
    }

    /**
     * Handles an answer.
     *
     * @return round-trip time in nanoseconds; -1 if the frame is not a valid answer to this
     *     receiver's last request.
     */
    long onAnswer(UnsafeBuffer frame, long nowNs) {
        boolean isOurs =
                isAsked
                        && RttFrame.receiverId(frame) == receiverId
                        && RttFrame.echoTimestamp(frame) == askedNs;
        if (!isOurs) {
            return -1;
        }
        isAsked = false;
        long delta = RttFrame.receptionDelta(frame);
        long elapsed = nowNs - askedNs;
        return delta < 0 || delta > elapsed || elapsed > TIMEOUT_NS ? -1 : elapsed - delta;
    }
}
