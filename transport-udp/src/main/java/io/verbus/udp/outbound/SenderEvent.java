// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.net.InetSocketAddress;
import java.util.OptionalLong;

/** What the sender tells the conductor. */
sealed interface SenderEvent {
    /** Nothing uses the destination's socket any more. */
    record Detached(Destination destination) implements SenderEvent {}

    /** Nothing is sent to a receiver any more. */
    record Removed(RemoteReceiver receiver) implements SenderEvent {}

    /** A stream has ended and lingered: nothing reads its log any more. */
    record Finished(Destination destination, SendStream stream) implements SenderEvent {}

    /** A publication's log holds what no publisher of ours writes: it is sent no further. */
    record Broken(SendStream stream, String reason) implements SenderEvent {}

    /** A host has sent that is not allowed to. */
    record NotAllowed(String host) implements SenderEvent {}

    /** A receiver cannot take a stream. */
    record Failed(SendStream stream, String host, String reason) implements SenderEvent {}

    /**
     * A subscriber has rejected the image of a stream.
     *
     * @param at the receiver that was added where it is; null if none was.
     */
    record ImageRejected(
            SendStream stream,
            RemoteReceiver at,
            long receiverId,
            OptionalLong groupTag,
            InetSocketAddress address,
            String reason)
            implements SenderEvent {}

    /** A receiver of requests tells in which session the responses come. */
    record Response(SendStream stream, int sessionId) implements SenderEvent {}

    /** No route leads where the receiver of a destination is. */
    record Unreachable(Destination destination, String reason) implements SenderEvent {}

    /** A destination may be sent to from another address of this host. */
    record Rebound(Destination destination) implements SenderEvent {}

    /** The kernel refuses to send to a receiver of a destination. */
    record Refused(Destination destination, String receiver, int errno) implements SenderEvent {}

    /** The kernel refuses to answer at an address that a peer has named. */
    record Unanswerable(String host, int errno) implements SenderEvent {}

    /** The kernel does not cut datagrams apart on the way there: each is sent by itself now. */
    record Unjoined(Destination destination, int errno) implements SenderEvent {}
}
