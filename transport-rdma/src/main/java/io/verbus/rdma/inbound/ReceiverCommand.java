// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.RejectCode;

import java.util.OptionalLong;

/** What the conductor asks of the receiver. */
sealed interface ReceiverCommand {
    /** Use a connection that is ready. */
    record Attach(InboundLink link) implements ReceiverCommand {}

    /** Let go of a connection; {@link ReceiverEvent.Released} follows. */
    record Detach(InboundLink link, String reason) implements ReceiverCommand {}

    /**
     * Let go of a connection once the peer has every answer that was given; {@link
     * ReceiverEvent.Released} follows.
     */
    record Leave(InboundLink link, String reason) implements ReceiverCommand {}

    /** Answer the peer. */
    record Reply(InboundLink link, Answer answer) implements ReceiverCommand {}

    /** An answer to a peer; sent in the order in which they are given. */
    sealed interface Answer {
        /** Of the stream's publication. */
        long registrationId();
    }

    /** Accept, and grant credit from now on. */
    record Accept(CreditGrant grant, long logAddress, int logKey, OptionalLong groupTag)
            implements Answer {
        @Override
        public long registrationId() {
            return grant.registrationId();
        }
    }

    /** Put off. */
    record Defer(long registrationId) implements Answer {}

    /** Ask to be offered anew what was put off. */
    record Wanted(long registrationId) implements Answer {}

    /** Grant no more credit, then ask to be offered anew what is written. */
    record Again(long registrationId) implements Answer {}

    /** Refuse. */
    record Reject(long registrationId, RejectCode code, String text) implements Answer {}

    /** Tell in which session the responses to a stream come. */
    record ResponseSession(long registrationId, int sessionId) implements Answer {}

    /** Grant no more credit, then tell that the image is closed. */
    record ImageClosed(long registrationId) implements Answer {}
}
