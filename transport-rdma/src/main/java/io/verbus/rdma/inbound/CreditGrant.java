// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.InboundImage;

/**
 * What of an image the peer was told to be consumed. Made by the conductor, then the receiver's
 * alone.
 */
final class CreditGrant {
    private final InboundImage image;
    private final long registrationId;
    private final long creditAddress;
    private final RemoteKey creditKey;
    private final long startPosition;
    private final int window;
    private final int threshold;
    private long granted;
    private long grantedAtNs;

    CreditGrant(
            InboundImage image,
            long registrationId,
            long creditAddress,
            RemoteKey creditKey,
            long startPosition,
            int window) {
        this.image = image;
        this.registrationId = registrationId;
        this.creditAddress = creditAddress;
        this.creditKey = creditKey;
        this.startPosition = startPosition;
        this.window = window;
        this.threshold = Math.max(1, window / 8);
        this.granted = startPosition;
    }

    long registrationId() {
        return registrationId;
    }

    long startPosition() {
        return startPosition;
    }

    int window() {
        return window;
    }

    long creditAddress() {
        return creditAddress;
    }

    RemoteKey creditKey() {
        return creditKey;
    }

    /** The peer is told to begin. */
    void begin(long nowNs) {
        grantedAtNs = nowNs;
    }

    /** The position to grant now, or -1 if there is no need. */
    long due(long nowNs, long statusIntervalNs) {
        long consumed = image.consumedPosition();
        return consumed - granted >= threshold || nowNs - grantedAtNs >= statusIntervalNs
                ? Math.max(consumed, granted)
                : -1;
    }

    /** The position was granted. */
    void granted(long position, long nowNs) {
        granted = position;
        grantedAtNs = nowNs;
        image.grantedPosition(position);
    }
}
