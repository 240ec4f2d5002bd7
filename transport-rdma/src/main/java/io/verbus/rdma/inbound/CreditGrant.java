// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.InboundImage;
import io.verbus.transport.RoundRobin;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Grants the peer credit for the bytes that an image's subscribers have consumed. Created by the
 * conductor, then used only by the receiver.
 */
class CreditGrant extends RoundRobin.Taker {
    private final InboundImage image;
    private final long registrationId;
    private final long creditAddress;
    private final RemoteKey creditKey;
    private final long startPosition;
    private final int window;
    private final int threshold;
    private final boolean isResumed;
    private final AtomicCounter grants;
    private final AtomicCounter bytes;

    /** Written by the receiver; read by the conductor after the receiver has released the link. */
    private long granted;

    private long grantedAtNs;

    /** Whether one grant must be sent in any case, because the last grant may not have arrived. */
    private boolean isOwed;

    private boolean isNews;

    /**
     * @param image image to grant credit for.
     * @param registrationId registration id of the publication.
     * @param creditAddress address of the slot in the peer.
     * @param creditKey key of the slot.
     * @param startPosition position from which the peer writes.
     * @param window number of bytes granted beyond the consumed position.
     * @param before grant of the lost connection, or null.
     * @param grants counter of grants.
     * @param bytes counter of the bytes that grants release.
     */
    CreditGrant(
            InboundImage image,
            long registrationId,
            long creditAddress,
            RemoteKey creditKey,
            long startPosition,
            int window,
            CreditGrant before,
            AtomicCounter grants,
            AtomicCounter bytes) {
        this.image = image;
        this.registrationId = registrationId;
        this.creditAddress = creditAddress;
        this.creditKey = creditKey;
        this.startPosition = startPosition;
        this.window = window;
        this.threshold = Math.max(1, window / 8);
        this.isResumed = before != null;
        this.grants = grants;
        this.bytes = bytes;
        this.granted = before != null ? before.granted : startPosition;
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

    /** Starts granting when the peer is asked to begin. */
    void begin(long nowNs) {
        grantedAtNs = nowNs;
        isOwed = isResumed;
    }

    /**
     * Returns the position to grant now, or -1 if no grant is due or a subscriber has just joined.
     */
    long due(long nowNs, long statusIntervalNs) {
        long consumed = image.consumedPosition();
        isNews = isOwed || consumed > granted;
        boolean isDue =
                isOwed
                        || consumed - granted >= threshold
                        || isNews && nowNs - grantedAtNs >= statusIntervalNs;
        long position = Math.max(consumed, granted);
        return isDue && image.grant(position) ? position : -1;
    }

    /** Returns whether consumption is waiting to be granted when the interval has passed. */
    @Override
    protected boolean isWaiting() {
        return isNews;
    }

    /** Records a grant. */
    void granted(long position, long nowNs) {
        bytes.getAndAddRelease(position - granted);
        granted = position;
        grantedAtNs = nowNs;
        isOwed = false;
        isNews = false;
        grants.getAndAddRelease(1);
    }
}
