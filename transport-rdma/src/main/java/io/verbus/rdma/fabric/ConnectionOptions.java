// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Properties of a connection. Both sides give their own, but for the traffic class and the retry
 * count, which are those of the side that connects.
 *
 * @param sendDepth most work requests outstanding in the send queue.
 * @param receiveDepth control messages that can arrive before one is polled.
 * @param messageLength most bytes of a control message.
 * @param maxInline bytes wanted inline; the device may give fewer.
 * @param retryCount transport retries before the connection fails, 0 to 6 (with 7 the software
 *     device retries for ever).
 * @param rnrRetryCount retries while the peer has no receive posted, 0 to 6, or 7 for retries
 *     without end.
 * @param ackTimeout exponent of the time that an acknowledgement may take: 4.096 us * 2^ackTimeout,
 *     1 to 31.
 * @param trafficClass of the packets, 0 to 255, or {@link #ANY}.
 * @param pathMtu bytes that packets must carry, or {@link #ANY}.
 * @param device that must carry the connection, or null for any.
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
    /** What the fabric chooses is taken. */
    public static final int ANY = -1;

    /**
     * Bytes inline that are asked for: as many as perftest asks for, and as fit into the entry that
     * mlx5 pushes whole.
     */
    public static final int MAX_INLINE = 220;

    /** 256 outstanding, 64 messages of 256 bytes, 6 retries of 67 ms. */
    public static final ConnectionOptions DEFAULT =
            new ConnectionOptions(256, 64, 256, MAX_INLINE, 6, 7, 14, ANY, ANY, null);
}
