// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.Setup;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Images whose connection was lost, kept for a while because their publishing driver may come back.
 * Nothing can write them: the queue pair that could is destroyed. Conductor's thread.
 *
 * <p>An image goes on only for the driver that began it: the offer must bear the driver's id, the
 * registration, and the random token of the offer with which the image began. The id is any peer's
 * to claim; the token was said to this driver only.
 */
final class HeldImages {
    private final int capacity;
    private final long durationNs;
    private final List<Held> all = new ArrayList<>();

    /** An image, and the peer that wrote it. */
    record Held(IncomingImage image, InboundPeer peer) {}

    /**
     * @param capacity most images that are held for the drivers of one host.
     * @param durationNs for which each is held.
     */
    HeldImages(int capacity, long durationNs) {
        this.capacity = capacity;
        this.durationNs = durationNs;
    }

    /**
     * Holds an image.
     *
     * @param image that the peer wrote.
     * @param peer whose queue pair is destroyed.
     * @param reason of the loss.
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

    /** Holds an image as before: the peer that came back for it cannot write it. */
    void putBack(IncomingImage image, InboundPeer peer) {
        image.state(IncomingImage.State.HELD);
        all.add(new Held(image, peer));
    }

    /** Holds an image in the place of another, for the same peer. */
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

    /** The image for which a peer comes back; or null. */
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
     * Takes an image of the same session that another driver on the same host takes the place of:
     * the one that began it was restarted; or null.
     */
    IncomingImage takeReplaced(InboundPeer peer, Setup offer) {
        for (Iterator<Held> each = all.iterator(); each.hasNext(); ) {
            Held held = each.next();
            if (held.peer.driverId != peer.driverId
                    && held.peer.listener == peer.listener
                    && held.peer.host.equals(peer.host)
                    && held.image.offer.streamId() == offer.streamId()
                    && held.image.offer.sessionId() == offer.sessionId()) {
                each.remove();
                return held.image;
            }
        }
        return null;
    }

    /** Takes one that was held for long enough; or null. */
    Held takeLate(long nowNs) {
        for (int i = 0; i < all.size(); i++) {
            if (nowNs - all.get(i).image.deadlineNs() >= 0) {
                return all.remove(i);
            }
        }
        return null;
    }

    /** Lets go of an image: it goes on, has ended, or the driver closes it. */
    void remove(IncomingImage image) {
        all.removeIf(held -> held.image == image);
    }
}
