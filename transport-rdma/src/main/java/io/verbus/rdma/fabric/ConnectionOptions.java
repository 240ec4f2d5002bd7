// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Properties of a connection. Each side sets its own, except the traffic class and the retry count,
 * which the connecting side decides.
 *
 * @param sendDepth maximum number of outstanding work requests.
 * @param receiveDepth number of control messages that can arrive before the queue is polled.
 * @param messageLength maximum length of a control message in bytes.
 * @param maxInline requested inline bytes; the device may grant fewer.
 * @param retryCount transport retries before the connection fails, 0 to 6 (with 7 the software
 *     device retries forever).
 * @param rnrRetryCount retries while the peer has no receive posted, 0 to 6, or 7 for unlimited.
 * @param ackTimeout exponent of the acknowledgement time-out: 4.096 us * 2^ackTimeout, 1 to 31.
 * @param trafficClass traffic class of the packets, 0 to 255, or {@link #ANY}.
 * @param pathMtu required payload bytes of a packet, or {@link #ANY}.
 * @param device name of the required device, or null for any.
 */
public record ConnectionOptions(
        int sendDepth,
        int receiveDepth,
        int messageLength,
        int maxInline,
        int retryCount,
        int rnrRetryCount,
        int ackTimeout,
        int trafficClass,
        int pathMtu,
        String device) {
    /** Accepts the value that the fabric chooses. */
    public static final int ANY = -1;

    /**
     * Requested inline bytes: perftest's default, and the most that fit into an entry that mlx5
     * pushes as a whole.
     */
    public static final int MAX_INLINE = 220;

    /** 256 outstanding requests, 64 messages of 256 bytes, 6 retries of 67 ms. */
    public static final ConnectionOptions DEFAULT =
            new ConnectionOptions(256, 64, 256, MAX_INLINE, 6, 7, 14, ANY, ANY, null);
}
