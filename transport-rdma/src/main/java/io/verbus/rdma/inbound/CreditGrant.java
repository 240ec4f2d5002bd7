// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.InboundImage;
import io.verbus.transport.RoundRobin;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * What of an image the peer was told to be consumed. Made by the conductor, then the receiver's
 * alone.
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

    /** Written by the receiver; read by the conductor when the receiver has let go. */
    private long granted;

    private long grantedAtNs;

    /** The peer must be told once, because what it was told last may not have arrived. */
    private boolean isOwed;

    private boolean isNews;

    /**
     * @param image to grant credit of.
     * @param registrationId of the publication.
     * @param creditAddress of the slot in the peer.
     * @param creditKey of the slot.
     * @param startPosition from which the peer writes.
     * @param window past what is consumed.
     * @param before the grant of the connection that was lost, or null.
     * @param grants counts them.
     * @param bytes counts the bytes that they release.
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

    /** The peer is told to begin. */
    void begin(long nowNs) {
        grantedAtNs = nowNs;
        isOwed = isResumed;
    }

    /** The position to grant now, or -1 if there is no need, or a subscriber has just joined. */
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

    /** Whether something was consumed of which the peer is told when the interval has passed. */
    @Override
    protected boolean isWaiting() {
        return isNews;
    }

    /** The position was granted. */
    void granted(long position, long nowNs) {
        bytes.getAndAddRelease(position - granted);
        granted = position;
        grantedAtNs = nowNs;
        isOwed = false;
        isNews = false;
        grants.getAndAddRelease(1);
    }
}
