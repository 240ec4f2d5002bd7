// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.socket.SocketAddress;

/** What the conductor asks of the receiver. */
sealed interface ReceiverCommand {
    /** Receive at an endpoint. */
    record Attach(ReceiveEndpoint endpoint) implements ReceiverCommand {}

    /** Let go of an endpoint; {@link ReceiverEvent.Detached} follows. */
    record Detach(ReceiveEndpoint endpoint) implements ReceiverCommand {}

    /** A stream has a subscription now. */
    record Listen(ReceiveEndpoint endpoint, int streamId) implements ReceiverCommand {}

    /** Ask for the set-up of a stream, while there is no image of it. */
    record Await(ReceiveEndpoint endpoint, int streamId, int sessionId)
            implements ReceiverCommand {}

    /** Ask for a stream no more. */
    record Forget(ReceiveEndpoint endpoint, int streamId, int sessionId)
            implements ReceiverCommand {}

    /**
     * Tell the sender of an image in which session its responses come.
     *
     * @param sessionId of the responses; null: tell nothing more.
     */
    record Respond(ReceiveImage image, Integer sessionId) implements ReceiverCommand {}

    /** Ask the publication, and answer it, at another address. */
    record Move(ReceiveEndpoint endpoint, SocketAddress to) implements ReceiverCommand {}

    /** Fill the image of a stream that was offered. */
    record Accept(ReceiveEndpoint endpoint, ReceiveImage image) implements ReceiverCommand {}

    /**
     * A stream that was offered has no subscription, or no image.
     *
     * @param isWanted whether it has a subscription.
     */
    record Refuse(ReceiveEndpoint endpoint, int streamId, int sessionId, boolean isWanted)
            implements ReceiverCommand {}

    /**
     * A stream has a subscription and cannot have an image: its sender is told why.
     *
     * @param sender where the set-up came from.
     * @param reason in printable ASCII.
     */
    record Fail(
            ReceiveEndpoint endpoint,
            SocketAddress sender,
            int streamId,
            int sessionId,
            byte[] reason)
            implements ReceiverCommand {}

    /**
     * Grant the sender of an image nothing more, and let go of the image when all is there that was
     * sent; {@link ReceiverEvent.Released} follows.
     */
    record Stop(ReceiveImage image) implements ReceiverCommand {}

    /**
     * Let go of an image; {@link ReceiverEvent.Released} follows.
     *
     * @param rejection why a subscriber has rejected it; null if none has.
     */
    record Close(ReceiveImage image, String rejection) implements ReceiverCommand {}
}
