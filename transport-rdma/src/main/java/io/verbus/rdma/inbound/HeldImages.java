// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.Setup;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Images whose connection was lost, held for a while because their publishing driver may reconnect.
 * Nothing can write them, because their queue pair is destroyed. Used by the conductor's thread.
 *
 * <p>An image resumes only for the driver that began it: the offer must contain the driver's id,
 * the registration id, and the random token of the image's first offer. Any peer can claim the id,
 * but the token is known only to the two drivers.
 */
final class HeldImages {
    private final int capacity;
    private final long durationNs;
    private final List<Held> all = new ArrayList<>();

    /** An image and the peer that wrote it. */
    record Held(IncomingImage image, InboundPeer peer) {}

    /**
     * @param capacity maximum number of held images per host.
     * @param durationNs time to hold each image.
     */
    HeldImages(int capacity, long durationNs) {
        this.capacity = capacity;
        this.durationNs = durationNs;
    }

    /**
     * Holds an image.
     *
     * @param image image to hold.
     * @param peer peer that wrote it; its queue pair is destroyed.
     * @param reason reason of the loss.
     * @param nowNs monotonic time.
     * @return whether there was room.
     */
    boolean hold(IncomingImage image, InboundPeer peer, String reason, long nowNs) {
        if (durationNs == 0 || count(peer.host) >= capacity) {
            return false;
        }
        image.state(IncomingImage.State.HELD);
        image.holdUntil(nowNs + durationNs, reason);
        all.add(new Held(image, peer));
        return true;
    }

    /** Holds an image again, because the returning peer cannot write it. */
    void putBack(IncomingImage image, InboundPeer peer) {
        image.state(IncomingImage.State.HELD);
        all.add(new Held(image, peer));
    }

    /** Replaces a held image, for the same peer. */
    void replace(IncomingImage before, IncomingImage image) {
        all.replaceAll(held -> held.image == before ? new Held(image, held.peer) : held);
    }

    private int count(String host) {
        int count = 0;
        for (Held held : all) {
            count += held.peer.host.equals(host) ? 1 : 0;
        }
        return count;
    }

    /** Returns whether two drivers on the same host offer the same session. */
    static boolean isOfAnotherDriver(
            InboundPeer one, Setup ofOne, InboundPeer other, Setup ofOther) {
        return one.driverId != other.driverId
                && one.listener == other.listener
                && one.host.equals(other.host)
                && ofOne.streamId() == ofOther.streamId()
                && ofOne.sessionId() == ofOther.sessionId();
    }

    /** Returns the held image that a peer's offer resumes, or null. */
    IncomingImage find(InboundPeer peer, Setup offer) {
        for (Held held : all) {
            if (held.peer.driverId == peer.driverId
                    && held.peer.listener == peer.listener
                    && held.image.offer.registrationId() == offer.registrationId()
                    && held.image.offer.resumeToken() == offer.resumeToken()) {
                return held.image;
            }
        }
        return null;
    }

    /**
     * Removes and returns an image of the same session from another driver on the same host, which
     * the offering driver has replaced; returns null if there is none.
     */
    IncomingImage takeReplaced(InboundPeer peer, Setup offer) {
        for (Iterator<Held> each = all.iterator(); each.hasNext(); ) {
            Held held = each.next();
            if (isOfAnotherDriver(held.peer, held.image.offer, peer, offer)) {
                each.remove();
                return held.image;
            }
        }
        return null;
    }

    /** Removes and returns an image whose time has expired; returns null if there is none. */
    Held takeLate(long nowNs) {
        for (int i = 0; i < all.size(); i++) {
            if (nowNs - all.get(i).image.deadlineNs() >= 0) {
                return all.remove(i);
            }
        }
        return null;
    }

    /** Removes an image that resumes, has ended, or is closed by the driver. */
    void remove(IncomingImage image) {
        all.removeIf(held -> held.image == image);
    }
}
