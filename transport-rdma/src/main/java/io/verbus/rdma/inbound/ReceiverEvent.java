// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.Setup;

/** Events from the receiver to the conductor. */
sealed interface ReceiverEvent {
    /** Returns the link of the event. */
    InboundLink link();

    /** The peer proves that it has a key. */
    record Proved(InboundLink link, Proof proof) implements ReceiverEvent {}

    /** The peer offers a stream. */
    record Offered(InboundLink link, Setup offer) implements ReceiverEvent {}

    /** The peer ends a stream, or has stopped writing a closed image. */
    record Closed(InboundLink link, long registrationId, long finalPosition, StreamEnd end)
            implements ReceiverEvent {}

    /**
     * The receiver has released a connection, so its queue pair may be destroyed. Sent once, as the
     * link's last event.
     *
     * @param link released link.
     * @param reason description of the reason.
     * @param end type of the end.
     */
    record Released(InboundLink link, String reason, LinkEnd end) implements ReceiverEvent {}
}
