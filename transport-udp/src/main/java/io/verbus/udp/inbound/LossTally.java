// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.transport.TransportHost;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Gaps of an image: counted by the receiver, reported to the driver's loss report by the conductor.
 */
final class LossTally {
    /** Interval at which the loss report is updated. */
    private static final long REPORT_INTERVAL_NS = 100_000_000;

    private final int streamId;
    private final int sessionId;
    private final String channel;
    private final String source;

    /**
     * Total length of all gaps; stored before the number of gaps, so that a reader never sees a
     * total that is too small for the number.
     */
    private final AtomicLong bytes = new AtomicLong();

    /** Number of gaps; stored with release by the receiver, acquired by the conductor. */
    private final AtomicLong gaps = new AtomicLong();

    // State at the last report, used by the conductor.
    private long toldGaps;
    private long toldBytes;
    private long toldNs;

    /**
     * @param channel channel of the endpoint, as shown in the report.
     * @param source address of the sender, as shown in the report.
     * @param nowNs monotonic time.
     */
    LossTally(int streamId, int sessionId, String channel, String source, long nowNs) {
        this.streamId = streamId;
        this.sessionId = sessionId;
        this.channel = channel;
        this.source = source;
        toldNs = nowNs - REPORT_INTERVAL_NS;
    }

    /** Counts a gap. Called on the receiver's thread. */
    void add(int length) {
        bytes.setOpaque(bytes.getPlain() + length);
        gaps.setRelease(gaps.getPlain() + 1);
    }

    /** Reports new gaps, if the interval has passed. Called on the conductor's thread. */
    void tell(TransportHost host, long nowNs) {
        if (nowNs - toldNs >= REPORT_INTERVAL_NS && gaps.getOpaque() != toldGaps) {
            toldNs = nowNs;
            tellAll(host);
        }
    }

    /** Reports new gaps. Called on the conductor's thread. */
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
