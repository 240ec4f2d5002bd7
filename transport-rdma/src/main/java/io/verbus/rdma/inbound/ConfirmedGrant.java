// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.InboundImage;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Grants credit to a peer whose adapter may place a later write before an earlier one: the slot is
 * written again only once the previous grant is in place, so that no older grant overwrites it.
 */
final class ConfirmedGrant extends CreditGrant {
    private final PlacementProbe placement;

    /** Question that is answered once the last grant is in place. */
    private long question;

    /**
     * Creates a grant with the parameters of {@link CreditGrant} and a probe.
     *
     * @param placement probe that confirms writes through the connection.
     */
    ConfirmedGrant(
            InboundImage image,
            long registrationId,
            long creditAddress,
            RemoteKey creditKey,
            long startPosition,
            int window,
            CreditGrant before,
            AtomicCounter grants,
            AtomicCounter bytes,
            PlacementProbe placement) {
        super(
                image,
                registrationId,
                creditAddress,
                creditKey,
                startPosition,
                window,
                before,
                grants,
                bytes);
        this.placement = placement;
    }

    @Override
    long due(long nowNs, long statusIntervalNs) {
        return placement.isInPlace(question) ? super.due(nowNs, statusIntervalNs) : -1;
    }

    @Override
    protected boolean isWaiting() {
        return super.isWaiting() || !placement.isInPlace(question);
    }

    @Override
    void granted(long position, long nowNs) {
        super.granted(position, nowNs);
        question = placement.cover();
    }
}
