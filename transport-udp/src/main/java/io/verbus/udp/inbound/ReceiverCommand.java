// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.socket.SocketAddress;

/** Command from the conductor to the receiver. */
sealed interface ReceiverCommand {
    /** Attaches an endpoint. */
    record Attach(UdpEndpoint endpoint) implements ReceiverCommand {}

    /** Detaches an endpoint; {@link ReceiverEvent.Detached} follows. */
    record Detach(UdpEndpoint endpoint) implements ReceiverCommand {}

    /** Records that a stream has a subscription. */
    record Listen(UdpEndpoint endpoint, int streamId) implements ReceiverCommand {}

    /** Requests the setup of a stream while it has no image. */
    record Await(UdpEndpoint endpoint, int streamId, int sessionId) implements ReceiverCommand {}

    /** Stops requesting a stream. */
    record Forget(UdpEndpoint endpoint, int streamId, int sessionId) implements ReceiverCommand {}

    /**
     * Reports the session id of the responses to the sender of an image.
     *
     * @param sessionId session id of the responses; null to stop reporting.
     */
    record Respond(ReceiveImage image, Integer sessionId) implements ReceiverCommand {}

    /** Changes the control address of the publication. */
    record Move(UdpEndpoint endpoint, SocketAddress to) implements ReceiverCommand {}

    /** Fills the image of an offered stream. */
    record Accept(UdpEndpoint endpoint, ReceiveImage image) implements ReceiverCommand {}

    /**
     * Refuses an offered stream that has no subscription, or no image.
     *
     * @param isWanted whether the stream has a subscription.
     */
    record Refuse(UdpEndpoint endpoint, int streamId, int sessionId, boolean isWanted)
            implements ReceiverCommand {}

    /**
     * Tells a sender why its stream, which has a subscription, cannot have an image.
     *
     * @param sender source of the setup.
     * @param reason reason in printable ASCII.
     */
    record Fail(
            UdpEndpoint endpoint, SocketAddress sender, int streamId, int sessionId, byte[] reason)
            implements ReceiverCommand {}

    /**
     * Stops extending the window of an image, and releases the image when everything sent has
     * arrived; {@link ReceiverEvent.Released} follows.
     */
    record Stop(ReceiveImage image) implements ReceiverCommand {}

    /**
     * Closes an image; {@link ReceiverEvent.Released} follows.
     *
     * @param rejection reason given by a subscriber that rejected it; null if none did.
     */
    record Close(ReceiveImage image, String rejection) implements ReceiverCommand {}
}
