// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.RejectCode;

import java.util.OptionalLong;

/** Commands from the conductor to the receiver. */
sealed interface ReceiverCommand {
    /** Starts using an established connection. */
    record Attach(InboundLink link) implements ReceiverCommand {}

    /** Releases a connection; {@link ReceiverEvent.Released} follows. */
    record Detach(InboundLink link, String reason) implements ReceiverCommand {}

    /**
     * Releases a connection once the peer has every answer; {@link ReceiverEvent.Released} follows.
     */
    record Leave(InboundLink link, String reason) implements ReceiverCommand {}

    /** Answers the peer. */
    record Reply(InboundLink link, Answer answer) implements ReceiverCommand {}

    /** An answer to a peer. Answers are sent in order. */
    sealed interface Answer {
        /** Returns the registration id of the stream's publication. */
        long registrationId();
    }

    /** Accepts a stream, and starts granting credit. */
    record Accept(CreditGrant grant, long logAddress, int logKey, OptionalLong groupTag)
            implements Answer {
        @Override
        public long registrationId() {
            return grant.registrationId();
        }
    }

    /**
     * Defers a stream.
     *
     * @param streams stream ids of the endpoint's subscriptions, as text; null if one of them will
     *     take the stream.
     */
    record Defer(long registrationId, String streams) implements Answer {}

    /** Requests a deferred stream. */
    record Wanted(long registrationId) implements Answer {}

    /** Stops granting credit, then asks for a written stream to be offered again. */
    record Again(long registrationId) implements Answer {}

    /** Rejects a stream. */
    record Reject(long registrationId, RejectCode code, String text) implements Answer {}

    /** Reports the session id of the responses to a stream. */
    record ResponseSession(long registrationId, int sessionId) implements Answer {}

    /** Stops granting credit, then reports that the image is closed. */
    record ImageClosed(long registrationId) implements Answer {}
}
