// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.socket.SocketAddress;

/** Event from the receiver to the conductor. */
sealed interface ReceiverEvent {
    /** The receiver no longer uses the endpoint's socket. */
    record Detached(UdpEndpoint endpoint) implements ReceiverEvent {}

    /**
     * A sender offers a stream, whose values are in range.
     *
     * @param endpoint endpoint at which the offer arrived.
     * @param source address of the sender.
     * @param isGroup whether the sender may have other receivers.
     * @param wantsResponses whether the stream consists of requests.
     */
    record Offered(
            UdpEndpoint endpoint,
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

    /** A host that is not allowed has sent a datagram. */
    record NotAllowed(String host) implements ReceiverEvent {}

    /** A sender offers more streams than the limit allows. */
    record Crowded(Offered offered) implements ReceiverEvent {}

    /** An image is complete up to the end of its stream. */
    record Ended(ReceiveImage image, long finalPosition) implements ReceiverEvent {}

    /**
     * A stream was revoked: its image ends immediately, regardless of its subscribers' positions.
     */
    record Revoked(ReceiveImage image, long finalPosition) implements ReceiverEvent {}

    /** The sender of an image is gone, so nothing writes to the image. */
    record Lost(ReceiveImage image, String reason) implements ReceiverEvent {}

    /** Writing to a closed image has stopped. */
    record Released(ReceiveImage image) implements ReceiverEvent {}

    /** A datagram has no adapter timestamp, so it gets the kernel's timestamp. */
    record Untimed(UdpEndpoint endpoint) implements ReceiverEvent {}

    /** The kernel refuses to send from an endpoint. */
    record Refused(UdpEndpoint endpoint, int errno) implements ReceiverEvent {}
}
