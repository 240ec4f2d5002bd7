// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.net.InetSocketAddress;
import java.util.OptionalLong;

/** Event from the sender to the conductor. */
sealed interface SenderEvent {
    /** The sender no longer uses the destination's socket. */
    record Detached(Destination destination) implements SenderEvent {}

    /** The sender no longer uses a receiver. */
    record Removed(RemoteReceiver receiver) implements SenderEvent {}

    /** A stream has ended and lingered; its log is no longer read. */
    record Finished(Destination destination, SendStream stream) implements SenderEvent {}

    /** A publication's log is corrupt, so it is not sent any further. */
    record Broken(SendStream stream, String reason) implements SenderEvent {}

    /** A host that is not allowed has sent a datagram. */
    record NotAllowed(String host) implements SenderEvent {}

    /** A receiver cannot receive a stream. */
    record Failed(SendStream stream, String host, String reason) implements SenderEvent {}

    /**
     * A subscriber has rejected the image of a stream.
     *
     * @param at the added receiver at the subscriber's address; null if there is none.
     */
    record ImageRejected(
            SendStream stream,
            RemoteReceiver at,
            long receiverId,
            OptionalLong groupTag,
            InetSocketAddress address,
            String reason)
            implements SenderEvent {}

    /** A receiver of requests has reported the session id of the responses. */
    record Response(SendStream stream, int sessionId) implements SenderEvent {}

    /** There is no route to the receiver of a destination. */
    record Unreachable(Destination destination, String reason) implements SenderEvent {}

    /** The local address of a destination may have changed. */
    record Rebound(Destination destination) implements SenderEvent {}

    /** The kernel rejects datagrams to a receiver of a destination. */
    record Refused(Destination destination, String receiver, int errno) implements SenderEvent {}

    /** The kernel rejects answers to an address claimed by a peer. */
    record Unanswerable(String host, int errno) implements SenderEvent {}

    /** The kernel cannot segment datagrams on the route, so each is now sent separately. */
    record Unjoined(Destination destination, int errno) implements SenderEvent {}
}
