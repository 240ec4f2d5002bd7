// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;

/**
 * Moves logs between drivers. The driver's three agents each call their own part; a transport hands
 * what it needs from one to another through queues of its own. In the threading modes with fewer
 * threads the same calls are made by one thread in turn.
 */
public interface Transport extends AutoCloseable {
    // Conductor

    /**
     * Begins to send a publication's log.
     *
     * @param stream to send.
     * @throws TransportException if the channel cannot be used here.
     */
    void addPublication(OutboundStream stream);

    /**
     * Ends a publication whose final position is set: the rest of the log is sent, the end of the
     * stream is told to the receivers, then {@link TransportHost#onPublicationReleased} is called.
     * That is also called when there is no receiver left to send to.
     *
     * @param stream to end.
     */
    void closePublication(OutboundStream stream);

    /**
     * Sends a publication, whose channel is manual, to one more destination.
     *
     * @param stream that was added and is not closed.
     * @param destination of this transport, which the stream does not have.
     * @throws TransportException if the address cannot be used.
     */
    void addDestination(OutboundStream stream, ChannelUri destination);

    /**
     * Sends a publication to a destination no more. Nothing is waited for there from now on.
     *
     * @param stream that was added and is not closed.
     * @param destination that was added.
     */
    void removeDestination(OutboundStream stream, ChannelUri destination);

    /**
     * Tells where a publication is sent from.
     *
     * @param stream that was added and is not closed.
     * @return host and port, for people; null while none is bound, or where there are several.
     */
    String localAddress(OutboundStream stream);

    /**
     * Opens the endpoint at which a subscription's channel receives, or joins it if it is open.
     * Each call is paired with one of {@link #closeEndpoint}.
     *
     * @param channel of the subscription.
     * @return the endpoint; the same object for channels that receive at the same address.
     * @throws TransportException if the address cannot be used.
     */
    InboundEndpoint openEndpoint(ChannelUri channel);

    /**
     * Opens an endpoint for one destination of a subscription. No other subscription shares it,
     * though several may receive the same multicast group. Paired with {@link #closeEndpoint}.
     *
     * @param channel of the destination.
     * @return the endpoint, which {@link #openEndpoint} never returns.
     * @throws TransportException if the address cannot be used, or is in use.
     */
    InboundEndpoint openDestination(ChannelUri channel);

    /**
     * Joins an endpoint that is open, as if {@link #openEndpoint} had found it.
     *
     * @param endpoint of another subscription.
     * @param channel of the subscription.
     * @throws TransportException if the channel asks for what is not so there.
     */
    void joinEndpoint(InboundEndpoint endpoint, ChannelUri channel);

    /**
     * Leaves an endpoint; the last to leave closes it.
     *
     * @param endpoint to leave.
     */
    void closeEndpoint(InboundEndpoint endpoint);

    /**
     * Tells that the driver now has a subscription for a stream: set-ups that were put off for want
     * of one are offered to {@link TransportHost#onSetup} again.
     *
     * @param endpoint of the subscription.
     * @param streamId of the subscription.
     */
    void onSubscriptionAdded(InboundEndpoint endpoint, int streamId);

    /**
     * Asks for a stream of responses, until {@link #forgetResponses}: a publication of which only
     * the control address is known.
     *
     * @param endpoint of the subscription.
     * @param streamId of the subscription.
     * @param sessionId of the publication.
     */
    void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId);

    /**
     * Asks for a stream of responses no more, as its subscription is gone.
     *
     * @param endpoint of the subscription, which it has not left.
     * @param streamId of the subscription.
     * @param sessionId of the publication.
     */
    void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId);

    /**
     * Tells the sender of an image, whose set-up wants responses, in which session they come.
     *
     * @param image of the requests.
     * @param sessionId of the publication that responds; null when it is connected, or gone, and
     *     nothing more is to be told.
     */
    void tellResponseSession(InboundImage image, Integer sessionId);

    /**
     * Stops receiving an image, because its last subscriber has gone, it is drained, or it was
     * invalid. When nothing can write to its log any more, {@link TransportHost#onImageReleased} is
     * called.
     *
     * @param image to close.
     * @param reason in words, for the sender's side.
     */
    void closeImage(InboundImage image, String reason);

    /**
     * As {@link #closeImage}, because the driver is about to close: nothing that the sender sends
     * meanwhile is to be lost, as subscribers still read.
     *
     * @param image to close.
     */
    default void stopImage(InboundImage image) {
        closeImage(image, "the driver is closing");
    }

    /**
     * As {@link #closeImage}, because a subscriber has rejected the image: the sender's clients are
     * told why.
     *
     * @param image to close.
     * @param reason that the subscriber gave; its end may be cut off.
     */
    void rejectImage(InboundImage image, String reason);

    /**
     * Whether peers write the logs of images themselves, so that a stream goes on in another log
     * only by {@link #moveImage}.
     */
    default boolean isOneSided() {
        return false;
    }

    /**
     * Has a stream go on in another log: its sender is asked to stop, and when it has, {@link
     * TransportHost#onImageStopped} is called. That may never happen, because the connection is
     * lost, the stream ends, or the image is being made: then the stream goes on or ends as it
     * would without this, and the driver may ask again.
     *
     * @param image that a peer writes.
     */
    default void moveImage(InboundImage image) {
        throw new UnsupportedOperationException("this transport writes the logs of images itself");
    }

    /**
     * The conductor's part of the duty cycle: connections, timers, what the other agents ask.
     *
     * @param nowNs monotonic time, read once for the cycle.
     * @return the amount of work done.
     */
    int conduct(long nowNs);

    // Sender

    /**
     * The sender's part of the duty cycle.
     *
     * @param nowNs monotonic time, read once for the cycle.
     * @return the amount of work done.
     */
    int send(long nowNs);

    // Receiver

    /**
     * The receiver's part of the duty cycle.
     *
     * @param nowNs monotonic time, read once for the cycle.
     * @return the amount of work done.
     */
    int receive(long nowNs);

    /** Closes all that is still open. The agents have stopped; called on the conductor's thread. */
    @Override
    void close();
}
