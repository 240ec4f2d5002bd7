// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The driver as its transports see it. Conductor's thread only, but for {@link #onError(Throwable)}
 * and {@link #audit}.
 */
public interface TransportHost extends TransportSettings {
    /** Random number of this driver, new at each start. */
    long driverId();

    /**
     * The address of a host, as it was found last; does not wait. The names of a channel are looked
     * up before the driver calls the transport with it.
     *
     * @param name of the host, or an IP address.
     * @param port of the result.
     * @return the address; unresolved if the name is unknown.
     */
    InetSocketAddress address(String name, int port);

    /**
     * Looks a name up, on another thread.
     *
     * @param name of the host, or an IP address.
     * @return completed, in a later turn of the conductor, when {@link #address} has the answer; at
     *     once for an IP address.
     */
    CompletableFuture<Void> lookUp(String name);

    /**
     * Has another thread do what may take long and cannot be done in pieces, such as to register
     * memory. One after the other, in the order of the calls. The driver closes only when it is
     * done.
     *
     * @param work to do; what it throws is given to {@code then}.
     * @param then called in a later turn of the conductor, with null or what was thrown. Not called
     *     when the driver closes meanwhile.
     */
    void background(Runnable work, Consumer<RuntimeException> then);

    /**
     * As {@link #background}, once all pages of a log are in memory. Not done where the driver
     * closes before they are.
     *
     * @param log of a publication or image.
     * @param work to do with the log, which is mapped meanwhile.
     * @param then called in a later turn of the conductor, with null or what was thrown.
     */
    void backgroundOn(LogBuffers log, Runnable work, Consumer<RuntimeException> then);

    /**
     * Whether images at an endpoint may have memory for a part of their logs only.
     *
     * @see ImageSetup#span
     */
    default boolean mayHoldPart(InboundEndpoint endpoint) {
        return true;
    }

    /**
     * A peer offers a stream.
     *
     * @param endpoint at which it arrived.
     * @param setup of the stream.
     * @param answer what becomes of it, within this call or in a later turn of the conductor.
     * @return whether there is a subscription; otherwise there is no answer.
     */
    boolean onSetup(InboundEndpoint endpoint, ImageSetup setup, SetupAnswer answer);

    /**
     * The peer has ended the stream: everything up to the final position is in the log. The driver
     * marks the end in the log, and closes the image when its subscribers have read it all.
     *
     * @param image that ends.
     * @param finalPosition of the stream.
     */
    void onImageEnding(InboundImage image, long finalPosition);

    /**
     * The peer has taken the stream back. The driver ends the image at once, wherever its
     * subscribers are.
     *
     * @param image that ends.
     * @param finalPosition up to which the stream was sent.
     */
    void onImageRevoked(InboundImage image, long finalPosition);

    /**
     * The peer is lost. Nothing can write to the image's log any more. The driver ends the image at
     * its frontier, and closes it when its subscribers have read up to there.
     *
     * @param image that is lost.
     * @param reason in words.
     */
    void onImageLost(InboundImage image, String reason);

    /**
     * The peer has stopped to write an image, as {@link Transport#moveImage} asked for: everything
     * that it has sent is in the log. The driver names the image in which the stream goes on: in a
     * later turn if it likes, and not at all if it closes this one. That image is this one, or
     * another one of the same shape that holds at least what was consumed of this one, and whose
     * consumption position is no less than what was granted. It begins where the frames in its log
     * end, which the peer must have sent. An image that another takes the place of is still to be
     * closed.
     *
     * @param image that nothing writes.
     * @param goOn takes the image in which the stream goes on; once.
     */
    void onImageStopped(InboundImage image, Consumer<InboundImage> goOn);

    /**
     * An image that was closed is free: the driver may unmap its log.
     *
     * @param image that was closed.
     */
    void onImageReleased(InboundImage image);

    /**
     * A publication is sent from another address of this host than {@link Transport#localAddress}
     * has told.
     *
     * @param stream that is sent.
     */
    void onLocalAddressChanged(OutboundStream stream);

    /**
     * An endpoint is at another address of this host: its description has changed.
     *
     * @param endpoint that subscriptions receive at.
     */
    void onLocalAddressChanged(InboundEndpoint endpoint);

    /**
     * A publication that was closed is free: the driver may unmap its log.
     *
     * @param stream that was closed.
     */
    void onPublicationReleased(OutboundStream stream);

    /**
     * A publication cannot be sent now, and is tried again: its clients are told.
     *
     * @param stream that is refused or whose peer cannot be reached for a reason worth telling.
     * @param rejected whether the peer said no; otherwise the transport failed.
     * @param message cause and remedy.
     */
    void onPublicationFailed(OutboundStream stream, boolean rejected, String message);

    /**
     * A receiver has rejected the image of a publication and does not take it for a while: its
     * clients are told.
     *
     * @param stream that is rejected.
     * @param rejection in the receiver's words.
     */
    void onImageRejected(OutboundStream stream, PeerRejection rejection);

    /**
     * Who receives a publication's requests has told in which session the responses come. May be
     * told again and again.
     *
     * @param stream of the requests.
     * @param sessionId of the responses.
     */
    void onResponseSession(OutboundStream stream, int sessionId);

    /**
     * Allocates a counter of the transport as a whole that operators see.
     *
     * @param counter which, once.
     * @return the counter, to be closed by the transport.
     * @throws io.verbus.BusException if there is none left.
     */
    AtomicCounter counter(TransportCounter counter);

    /**
     * Allocates a counter of one connection, or of one image of a connection, that operators see.
     *
     * @param counter which.
     * @param key what it belongs to.
     * @param label for people.
     * @return the counter, to be closed by the transport.
     * @throws io.verbus.BusException if there is none left.
     */
    AtomicCounter counter(ConnectionCounter counter, ConnectionKey key, String label);

    /**
     * Allocates a counter of a port of an RDMA device that operators see.
     *
     * @param device name of the device.
     * @param port number of the port.
     * @return the counter, to be closed by the transport.
     * @throws io.verbus.BusException if there is none left.
     */
    AtomicCounter deviceCounter(String device, int port);

    /**
     * Allocates a counter of a publication that operators see.
     *
     * @param stream that it belongs to.
     * @param typeId one of {@link io.verbus.cnc.CounterTypes}.
     * @param what it says, for people; what it belongs to is added.
     * @return the counter, to be closed by the transport.
     * @throws io.verbus.BusException if there is none left.
     */
    AtomicCounter counter(OutboundStream stream, int typeId, String what);

    /**
     * Allocates a counter of a destination of a publication that operators see.
     *
     * @param stream that it belongs to.
     * @param typeId one of {@link io.verbus.cnc.CounterTypes}, of destinations.
     * @param destination host and port.
     * @param what it says, for people; the destination and what it belongs to are added.
     * @return the counter, to be closed by the transport.
     * @throws io.verbus.BusException if there is none left.
     */
    AtomicCounter counter(OutboundStream stream, int typeId, String destination, String what);

    /**
     * A counter of the driver as a whole, which several transports add to and none closes.
     *
     * @param counter whose threads are told there.
     */
    AtomicCounter counter(SystemCounter counter);

    /**
     * Adds to the loss report.
     *
     * @param streamId of the stream.
     * @param sessionId of its publication.
     * @param channel of the endpoint at which it is received, for people.
     * @param source where its sender is, for people.
     * @param observations gaps that were seen since the last time, at least one.
     * @param bytes of them.
     */
    void onLoss(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes);

    /**
     * Writes a line of the audit log: who was admitted or refused, and why. Does not wait. Any
     * thread.
     *
     * @param event in words, without line breaks.
     */
    void audit(String event);

    /**
     * Records an error in the distinct error log. Any thread.
     *
     * @param error with cause and remedy in its message.
     */
    void onError(Throwable error);

    /**
     * Records an error that a channel has caused, in the distinct error log. Its message names the
     * channel as the client wrote it.
     *
     * @param channel that has caused it, or one of several that share what has failed.
     * @param error with cause and remedy in its message.
     */
    void onError(ChannelUri channel, Throwable error);
}
