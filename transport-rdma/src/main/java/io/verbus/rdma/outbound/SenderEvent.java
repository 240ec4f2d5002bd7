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
     * @param reason text that explains why.
     * @param end how the connection ended.
     */
    record Released(OutboundLink link, String reason, LinkEnd end) implements SenderEvent {}

    /** The peer has released a stream that has ended, and no longer writes to the credit slot. */
    record Forgotten(OutboundLink link, Transfer transfer) implements SenderEvent {}

    /** The sender has executed all commands about a stream, which may now be released. */
    record Unused(OutboundPublication publication) implements SenderEvent {}

    /** A destination is so far behind that its publication continues without it. */
    record Left(FanOutDestination branch) implements SenderEvent {}

    /** An event of a stream's transfer; ignored once the stream has another transfer. */
    sealed interface OfStream extends SenderEvent {
        /** Returns the stream's transfer. */
        Transfer transfer();
    }

    /** The peer has accepted a stream, which may have resumed. */
    record Accepted(Transfer transfer, boolean isResumed) implements OfStream {}

    /** The peer no longer has an image of a stream that was cut off, so the stream starts over. */
    record NotResumed(Transfer transfer, long position) implements OfStream {}

    /**
     * The peer has no subscription for a stream yet; the text lists the streams for which it has
     * one.
     */
    record Deferred(Transfer transfer, String streams) implements OfStream {}

    /** The peer has refused a stream. */
    record Refused(Transfer transfer, RejectCode code, String text) implements OfStream {}

    /** One of the peer's subscribers has rejected the image of a stream. */
    record ImageRejected(Transfer transfer, String reason) implements OfStream {}

    /** The peer reports the session id of the responses to a stream. */
    record ResponseSession(Transfer transfer, int sessionId) implements OfStream {}

    /** A publication's log contains invalid frames, so it cannot be sent further. */
    record Broken(Transfer transfer, InvalidFrameException defect) implements OfStream {}

    /** A stream has ended, and work requests have stopped reading its log. */
    record Finished(Transfer transfer) implements OfStream {}
}
