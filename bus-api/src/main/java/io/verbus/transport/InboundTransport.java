// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;

/** The subscribing side of a transport, as the driver sees it. Used by the conductor's thread. */
public interface InboundTransport {
    /**
     * Opens the endpoint on which a subscription's channel receives, or joins it if it exists. Does
     * not wait for a device: see {@link InboundEndpoint#opened}. Each call is paired with one of
     * {@link #closeEndpoint}.
     *
     * @param channel channel of the subscription.
     * @return the endpoint; the same object for channels that receive on the same address.
     * @throws TransportException if the transport cannot use the address.
     */
    InboundEndpoint openEndpoint(ChannelUri channel);

    /**
     * Opens an endpoint for one destination of a subscription, as {@link #openEndpoint} does. No
     * other subscription shares it, though several may receive the same multicast group. Paired
     * with {@link #closeEndpoint}.
     *
     * @param channel channel of the destination.
     * @return the endpoint, which {@link #openEndpoint} never returns.
     * @throws TransportException if the transport cannot use the address, or it is in use.
     */
    InboundEndpoint openDestination(ChannelUri channel);

    /**
     * Joins an open endpoint, as if {@link #openEndpoint} had returned it.
     *
     * @param endpoint endpoint of another subscription.
     * @param channel channel of the subscription.
     * @throws TransportException if the channel's settings conflict with those of the endpoint.
     */
    void joinEndpoint(InboundEndpoint endpoint, ChannelUri channel);

    /**
     * Leaves an endpoint, which may still be opening; the endpoint closes when its last
     * subscription leaves.
     *
     * @param endpoint endpoint to leave.
     */
    void closeEndpoint(InboundEndpoint endpoint);

    /**
     * Reports that the driver now has a subscription for a stream: the transport offers deferred
     * set-ups to {@link TransportHost#onSetup} again.
     *
     * @param endpoint endpoint of the subscription.
     * @param streamId stream id of the subscription.
     */
    void onSubscriptionAdded(InboundEndpoint endpoint, int streamId);

    /**
     * Requests a stream of responses until {@link #forgetResponses} is called. Only the control
     * address of the publication that sends them is known.
     *
     * @param endpoint endpoint of the subscription.
     * @param streamId stream id of the subscription.
     * @param sessionId session id of the publication.
     */
    void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId);

    /**
     * Stops requesting a stream of responses because its subscription is closed.
     *
     * @param endpoint endpoint of the subscription, which has not left it yet.
     * @param streamId stream id of the subscription.
     * @param sessionId session id of the publication.
     */
    void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId);

    /**
     * Reports the session of the responses to the sender of an image whose set-up wants responses.
     *
     * @param image image of the requests.
     * @param sessionId session id of the publication that responds; null to stop reporting, because
     *     that publication is connected or gone.
     */
    void tellResponseSession(InboundImage image, Integer sessionId);

    /**
     * Stops receiving an image because its last subscriber has left, or it is drained or invalid.
     * Calls {@link TransportHost#onImageReleased} once nothing can write to its log.
     *
     * @param image image to close.
     */
    void closeImage(InboundImage image);

    /**
     * Stops receiving an image, like {@link #closeImage}, because the driver is about to close:
     * frames that the sender still sends must not be lost, because subscribers still read.
     *
     * @param image image to close.
     */
    default void stopImage(InboundImage image) {
        closeImage(image);
    }

    /**
     * Stops receiving an image, like {@link #closeImage}, because a subscriber has rejected it: the
     * sender's clients receive the reason.
     *
     * @param image image to close.
     * @param reason reason given by the subscriber; may be truncated.
     */
    void rejectImage(InboundImage image, String reason);

    /**
     * Returns whether peers write the logs of images themselves, so that only {@link #moveImage}
     * can move a stream to another log.
     */
    default boolean isOneSided() {
        return false;
    }

    /**
     * Asks the sender of a stream to stop, so that the stream can move to another log; calls {@link
     * TransportHost#onImageStopped} once it has. That may never happen, because the connection is
     * lost, the stream ends or the image is being created: the stream then continues or ends as if
     * this method had not been called, and the driver may ask again.
     *
     * @param image image that a peer writes.
     */
    default void moveImage(InboundImage image) {
        throw new UnsupportedOperationException(
                "this transport writes image logs itself and cannot move a stream to another log");
    }
}
