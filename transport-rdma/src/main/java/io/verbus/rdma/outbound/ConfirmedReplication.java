// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.common.PlacementProbe;
import io.verbus.transport.StreamHops;

/**
 * Writes into the image of a peer whose adapter may place a later write before an earlier one: the
 * word that commits a batch is posted only once the batch is known to be in place.
 *
 * <pre>
 *   WR 1, question ─▶ ... answer ─▶ WR 2 of this batch, WR 1 of the next, question ─▶ ...
 * </pre>
 *
 * <p>Only one batch is in flight. The only writes that can overtake each other within a list are
 * the commit of one batch and the body of the next, which are written to different words.
 */
final class ConfirmedReplication extends Replication {
    private static final long NONE = -1;

    private final PlacementProbe placement;

    /** Position of the uncommitted batch, or {@link #NONE}. */
    private long pending = NONE;

    /** Id of the question whose answer shows that the uncommitted batch is in place. */
    private long question;

    /**
     * @param publication publication to send; its log is registered.
     * @param creditSlot credit slot that the peer writes.
     * @param consumed position up to which the peer has released the log on an earlier connection.
     * @param hops sampler of the stream's hops; null if they are not sampled.
     * @param placement probe that confirms writes through the connection.
     */
    ConfirmedReplication(
            OutboundPublication publication,
            CreditSlots.Slot creditSlot,
            long consumed,
            StreamHops hops,
            PlacementProbe placement) {
        super(publication, creditSlot, consumed, hops);
        this.placement = placement;
    }

    @Override
    int send(OutboundPort port) {
        if (pending == NONE) {
            return super.send(port);
        }
        return settle(port) ? 1 + super.send(port) : 0;
    }

    @Override
    boolean stage(OutboundPort port, long position, int dataLength, int length) {
        if (!port.stageBody(path(), position, dataLength, length)) {
            return false;
        }
        pending = position;
        question = placement.cover();
        return true;
    }

    @Override
    long postedPosition() {
        return pending == NONE ? super.postedPosition() : pending;
    }

    @Override
    boolean commitsLater() {
        return true;
    }

    @Override
    boolean settle(OutboundPort port) {
        if (pending != NONE) {
            if (!placement.isInPlace(question) || !port.stageCommit(path(), pending)) {
                return false;
            }
            pending = NONE;
            onStaged(port, postedPosition());
            if (hops() != null && hops().isCommitAwaited()) {
                port.sampleCommit(hops());
            }
        }
        return true;
    }
}
