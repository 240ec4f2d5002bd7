// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.rdma.common.LinkEnd;

/** Events from the sender to the conductor. */
sealed interface SenderEvent {
    /**
     * The sender has released a connection, so its queue pair may be destroyed. Sent once.
     *
     * @param link released link.
     * @param reason description of the reason.
     * @param end type of the end.
     */
    record Released(OutboundLink link, String reason, LinkEnd end) implements SenderEvent {}

    /** The peer has accepted a stream, which may have resumed. */
    record Accepted(OutboundLink link, Transfer transfer, boolean isResumed)
            implements SenderEvent {}

    /** The peer no longer has an image of a stream that was cut off: the stream starts over. */
    record NotResumed(OutboundLink link, Transfer transfer, long position) implements SenderEvent {}

    /** A destination is so far behind that its publication continues without it. */
    record Left(FanOutDestination branch) implements SenderEvent {}

    /** The peer has no subscription for a stream yet, only for other streams, given as text. */
    record Deferred(OutboundLink link, Transfer transfer, String streams) implements SenderEvent {}

    /** The peer has refused a stream. */
    record Refused(OutboundLink link, Transfer transfer, RejectCode code, String text)
            implements SenderEvent {}

    /** A subscriber of the peer has rejected the image of a stream. */
    record ImageRejected(OutboundLink link, Transfer transfer, String reason)
            implements SenderEvent {}

    /** The peer reports the session id of the responses to a stream. */
    record ResponseSession(OutboundLink link, Transfer transfer, int sessionId)
            implements SenderEvent {}

    /** A publication's log contains invalid frames, so it cannot be sent further. */
    record Broken(OutboundLink link, Transfer transfer, InvalidFrameException defect)
            implements SenderEvent {}

    /** A stream has ended, and work requests have stopped reading its log. */
    record Finished(OutboundLink link, Transfer transfer) implements SenderEvent {}

    /** The peer has released an ended stream, and no longer writes the credit slot. */
    record Forgotten(OutboundLink link, Transfer transfer) implements SenderEvent {}
}
