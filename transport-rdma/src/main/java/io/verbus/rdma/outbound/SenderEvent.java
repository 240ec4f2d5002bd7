// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.LinkEnd;

/** What the sender tells the conductor. */
sealed interface SenderEvent {
    /**
     * The sender has let go of a connection: its queue pair may be destroyed. Told once.
     *
     * @param link that was let go of.
     * @param reason in words.
     * @param end how it came to that.
     */
    record Released(OutboundLink link, String reason, LinkEnd end) implements SenderEvent {}

    /** The peer has accepted a stream; whether it goes on where it was cut off. */
    record Accepted(OutboundLink link, Transfer transfer, boolean isResumed)
            implements SenderEvent {}

    /** The peer has no image any more of a stream that was cut off: it begins anew. */
    record NotResumed(OutboundLink link, Transfer transfer, long position) implements SenderEvent {}

    /** A destination is so far behind that its publication goes on without it. */
    record Left(FanOutDestination branch) implements SenderEvent {}

    /** The peer has refused a stream. */
    record Refused(OutboundLink link, Transfer transfer, RejectCode code, String text)
            implements SenderEvent {}

    /** A subscriber of the peer has rejected the image of a stream. */
    record ImageRejected(OutboundLink link, Transfer transfer, String reason)
            implements SenderEvent {}

    /** The peer tells in which session the responses to a stream come. */
    record ResponseSession(OutboundLink link, Transfer transfer, int sessionId)
            implements SenderEvent {}

    /** A publication's log holds what no publisher of ours writes: it cannot be sent further. */
    record Broken(OutboundLink link, Transfer transfer, String reason) implements SenderEvent {}

    /** A stream has ended, and no work request reads its log any more. */
    record Finished(OutboundLink link, Transfer transfer) implements SenderEvent {}

    /** The peer has let go of a stream that ended: it writes the credit slot no more. */
    record Forgotten(OutboundLink link, Transfer transfer) implements SenderEvent {}
}
