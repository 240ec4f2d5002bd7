// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/** What the conductor asks of the sender. */
sealed interface SenderCommand {
    /** Use a connection that is ready. */
    record Attach(OutboundLink link) implements SenderCommand {}

    /** Let go of a connection; {@link SenderEvent.Released} follows. */
    record Detach(OutboundLink link, String reason) implements SenderCommand {}

    /** Send a stream through a connection. */
    record Add(OutboundLink link, Transfer transfer) implements SenderCommand {}

    /** A stream that was cut off has not gone on in time: no subscriber receives it. */
    record GiveUp(Transfer transfer) implements SenderCommand {}

    /** Send to a destination no more; {@link End} follows if a transfer is there. */
    record Drop(FanOutDestination branch) implements SenderCommand {}

    /**
     * No queue pair reads the log for a destination any more.
     *
     * @param isOver whether nothing of it may resume.
     */
    record Unread(FanOutDestination branch, boolean isOver) implements SenderCommand {}

    /** End a stream; {@link SenderEvent.Finished} follows unless the link is released before. */
    record End(OutboundLink link, Transfer transfer) implements SenderCommand {}
}
