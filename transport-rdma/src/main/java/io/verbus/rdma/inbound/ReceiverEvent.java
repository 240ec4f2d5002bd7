// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.Setup;

/** What the receiver tells the conductor. */
sealed interface ReceiverEvent {
    /** Where it happened. */
    InboundLink link();

    /** The peer proves that it has a key. */
    record Proved(InboundLink link, Proof proof) implements ReceiverEvent {}

    /** The peer offers a stream. */
    record Offered(InboundLink link, Setup offer) implements ReceiverEvent {}

    /** The peer ends a stream, or has stopped to write an image that was closed. */
    record Closed(InboundLink link, long registrationId, long finalPosition, StreamEnd end)
            implements ReceiverEvent {}

    /**
     * The receiver has let go of a connection: its queue pair may be destroyed. Told once, after
     * all else of the link.
     *
     * @param link that was let go of.
     * @param reason in words.
     * @param end how it came to that.
     */
    record Released(InboundLink link, String reason, LinkEnd end) implements ReceiverEvent {}
}
