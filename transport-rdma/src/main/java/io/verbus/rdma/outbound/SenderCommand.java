// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/** Commands from the conductor to the sender. */
sealed interface SenderCommand {
    /** Starts using an established connection. */
    record Attach(OutboundLink link) implements SenderCommand {}

    /** Releases a connection; {@link SenderEvent.Released} follows. */
    record Detach(OutboundLink link, String reason) implements SenderCommand {}

    /** Sends a stream through a connection. */
    record Add(OutboundLink link, Transfer transfer) implements SenderCommand {}

    /** Gives up a stream that has not resumed in time, so that no subscriber receives it. */
    record GiveUp(Transfer transfer) implements SenderCommand {}

    /** Stops sending to a destination. {@link End} follows if there is a transfer. */
    record Drop(FanOutDestination branch) implements SenderCommand {}

    /**
     * Reports that queue pairs have stopped reading the log for a destination.
     *
     * @param isOver whether the transfer has ended and cannot resume.
     */
    record Unread(FanOutDestination branch, boolean isOver) implements SenderCommand {}

    /** Ends a stream. {@link SenderEvent.Finished} follows unless the link is released first. */
    record End(OutboundLink link, Transfer transfer) implements SenderCommand {}

    /**
     * The last command about a stream, which has no transfer. {@link SenderEvent.Unused} follows.
     */
    record Free(OutboundPublication publication) implements SenderCommand {}
}
