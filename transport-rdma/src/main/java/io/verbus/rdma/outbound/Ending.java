// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.StreamEnd;

/**
 * How a transfer comes to its end: the peer is told, then the conductor; first that nothing reads
 * the stream's log any more, and last that the peer writes its credit slot no more. Sender's.
 */
final class Ending {
    private final Transfer transfer;
    private final Retention retention;

    /** Work requests after which nothing reads the log. */
    private long closedAt;

    private boolean isFinished;
    private boolean isForgotten;
    private boolean isOver;

    /**
     * @param transfer that ends.
     * @param retention of its log.
     */
    Ending(Transfer transfer, Retention retention) {
        this.transfer = transfer;
        this.retention = retention;
    }

    /**
     * Tells the peer that the stream ends.
     *
     * @param port to tell it through.
     * @param position at which it ends.
     * @param end whether the peer's image has all of it.
     * @return whether there was room for it.
     */
    boolean tellPeer(OutboundPort port, long position, StreamEnd end) {
        return isPosted(port.sendClose(transfer.registrationId(), position, end));
    }

    /**
     * Ends without a word, because the peer knows nothing of the stream; whether there was room.
     */
    boolean passOver(OutboundPort port) {
        if (!isPosted(port.sendBarrier())) {
            return false;
        }
        isForgotten = true;
        return true;
    }

    private boolean isPosted(long count) {
        if (count >= 0) {
            closedAt = count;
        }
        return count >= 0;
    }

    /** The peer has let go of the stream. */
    void onForgotten() {
        isForgotten = true;
    }

    /** Whether the peer was told, and its image has all that was posted before. */
    boolean isDelivered(long completed) {
        return completed >= closedAt;
    }

    /** Whether all is said. */
    boolean isOver() {
        return isOver;
    }

    /**
     * Goes on, once the peer was told.
     *
     * @return the amount of work done.
     */
    int work(OutboundPort port) {
        if (!isFinished && isDelivered(port.completed())) {
            isFinished = true;
            retention.onUnread(true);
            port.tell(new SenderEvent.Finished(port.link(), transfer));
            return 1;
        }
        if (isFinished && isForgotten && !isOver) {
            isOver = true;
            port.tell(new SenderEvent.Forgotten(port.link(), transfer));
            return 1;
        }
        return 0;
    }
}
