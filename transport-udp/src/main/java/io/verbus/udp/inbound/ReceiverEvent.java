// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.socket.SocketAddress;

/** What the receiver tells the conductor. */
sealed interface ReceiverEvent {
    /** Nothing uses the endpoint's socket any more. */
    record Detached(ReceiveEndpoint endpoint) implements ReceiverEvent {}

    /**
     * A sender offers a stream, whose values are in range.
     *
     * @param endpoint at which it arrived.
     * @param source where the sender is.
     * @param isGroup whether it sends to others too.
     * @param wantsResponses whether the stream is of requests.
     */
    record Offered(
            ReceiveEndpoint endpoint,
            SocketAddress source,
            int sessionId,
            int streamId,
            int initialTermId,
            int termLength,
            int mtu,
            long position,
            boolean isGroup,
            boolean wantsResponses)
            implements ReceiverEvent {}

    /** A host has sent that is not allowed to. */
    record NotAllowed(String host) implements ReceiverEvent {}

    /** A sender offers one stream too many. */
    record Crowded(Offered offered) implements ReceiverEvent {}

    /** An image is complete up to the end of its stream. */
    record Ended(ReceiveImage image, long finalPosition) implements ReceiverEvent {}

    /** A stream was taken back: its image ends wherever its subscribers are. */
    record Revoked(ReceiveImage image, long finalPosition) implements ReceiverEvent {}

    /** A sender is gone: nothing writes to the image any more. */
    record Lost(ReceiveImage image, String reason) implements ReceiverEvent {}

    /** Nothing writes to an image that was closed any more. */
    record Released(ReceiveImage image) implements ReceiverEvent {}

    /** The kernel refuses to send from an endpoint. */
    record Refused(ReceiveEndpoint endpoint, int errno) implements ReceiverEvent {}
}
