// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.StreamEnd;

/**
 * Ends a transfer: notifies the peer, then notifies the conductor twice: once nothing reads the
 * stream's log, and once the peer no longer writes the credit slot. Used by the sender.
 */
final class Ending {
    private final Transfer transfer;
    private final Retention retention;

    /** Number of completed work requests at which nothing reads the log. */
    private long closedAt;

    private boolean isFinished;
    private boolean isForgotten;
    private boolean isOver;

    /**
     * @param transfer transfer to end.
     * @param retention retention of its log.
     */
    Ending(Transfer transfer, Retention retention) {
        this.transfer = transfer;
        this.retention = retention;
    }

    /**
     * Notifies the peer of the stream's end.
     *
     * @param port port to send through.
     * @param position final position.
     * @param end whether the peer's image has all data.
     * @return false if there was no room for the message.
     */
    boolean tellPeer(OutboundPort port, long position, StreamEnd end) {
        return isPosted(port.sendClose(transfer.registrationId(), position, end));
    }

    /**
     * Ends without a message, because the peer does not know the stream; returns false if there was
     * no room.
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

    /** Called when the peer has released the stream. */
    void onForgotten() {
        isForgotten = true;
    }

    /**
     * Returns whether the message has arrived, and the peer's image has everything posted earlier.
     */
    boolean isDelivered(long completed) {
        return completed >= closedAt;
    }

    /** Returns whether the end is complete. */
    boolean isOver() {
        return isOver;
    }

    /**
     * Continues after the peer was notified.
     *
     * @return the work count.
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
