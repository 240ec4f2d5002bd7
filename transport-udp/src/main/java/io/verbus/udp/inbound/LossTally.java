// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.transport.TransportHost;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The gaps of an image: counted by the receiver, told to the driver's loss report by the conductor.
 */
final class LossTally {
    /** The loss report is brought up to date so often. */
    private static final long REPORT_INTERVAL_NS = 100_000_000;

    private final int streamId;
    private final int sessionId;
    private final String channel;
    private final String source;

    /** Bytes of all gaps: stored before their number, so that they are never behind it. */
    private final AtomicLong bytes = new AtomicLong();

    /** Gaps: stored by the receiver with release, acquired by the conductor. */
    private final AtomicLong gaps = new AtomicLong();

    // Conductor's: what it has told.
    private long toldGaps;
    private long toldBytes;
    private long toldNs;

    /**
     * @param channel of the endpoint, for people.
     * @param source where the sender is, for people.
     * @param nowNs monotonic time.
     */
    LossTally(int streamId, int sessionId, String channel, String source, long nowNs) {
        this.streamId = streamId;
        this.sessionId = sessionId;
        this.channel = channel;
        this.source = source;
        toldNs = nowNs - REPORT_INTERVAL_NS;
    }

    /** Counts a gap. Receiver's thread. */
    void add(int length) {
        bytes.setOpaque(bytes.getPlain() + length);
        gaps.setRelease(gaps.getPlain() + 1);
    }

    /** Tells of the gaps since the last time, if it is time to. Conductor's thread. */
    void tell(TransportHost host, long nowNs) {
        if (nowNs - toldNs >= REPORT_INTERVAL_NS && gaps.getOpaque() != toldGaps) {
            toldNs = nowNs;
            tellAll(host);
        }
    }

    /** Tells of the gaps since the last time. Conductor's thread. */
    void tellAll(TransportHost host) {
        long nowGaps = gaps.getAcquire();
        long nowBytes = bytes.getOpaque();
        if (nowGaps != toldGaps) {
            host.onLoss(
                    streamId, sessionId, channel, source, nowGaps - toldGaps, nowBytes - toldBytes);
            toldGaps = nowGaps;
            toldBytes = nowBytes;
        }
    }
}
