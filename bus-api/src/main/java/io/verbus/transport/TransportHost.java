// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.HopRecorder;
import io.verbus.cnc.LatencyHop;
import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The driver as its transports see it. Used by the conductor's thread only, except for {@link
 * #onError(Throwable)} and {@link #audit}.
 */
public interface TransportHost extends TransportSettings {
    /** Returns the random number that identifies this driver, new at each start. */
    long driverId();

    /**
     * Returns the last known address of a host; does not wait. The driver resolves the names of a
     * channel before it passes the channel to the transport.
     *
     * @param name host name or IP address.
     * @param port port of the result.
     * @return the address; unresolved if the name is unknown.
     */
    InetSocketAddress address(String name, int port);

    /**
     * Resolves a name on another thread.
     *
     * @param name host name or IP address.
     * @return a future that completes in a later duty cycle of the conductor, once {@link #address}
     *     has the result; already completed for an IP address.
     */
    CompletableFuture<Void> lookUp(String name);

    /**
     * Returns the sampler of a stream's hops.
     *
     * @param stream publication that was added.
     * @param destination address to which the publication is sent.
     * @param wire hop between the drivers: {@link LatencyHop#FABRIC} or {@link
     *     LatencyHop#ROUND_TRIP}.
     * @param reportIntervalNs time within which receivers report what they have consumed.
     * @return null if the driver does not sample, or has no room for more hops. Must be freed with
     *     {@link #free(StreamHops)}.
     */
    default StreamHops hops(
            OutboundStream stream, String destination, LatencyHop wire, long reportIntervalNs) {
        return null;
    }

    /** Frees a sampler that the sender no longer uses; null is ignored. */
    default void free(StreamHops hops) {}

    /**
     * Returns the recorder of a connection's round trips.
     *
     * @param peer address of the peer.
     * @return null if the driver does not sample, or has no room for more hops. Must be freed with
     *     {@link #free(HopRecorder)}.
     */
    default HopRecorder roundTrips(String peer) {
        return null;
    }

    /** Frees a recorder that the sender no longer uses; null is ignored. */
    default void free(HopRecorder recorder) {}

    /**
     * Runs work that may take long and cannot be divided, such as registering memory, on another
     * thread, in the order of the calls. The driver closes only once the work is done.
     *
     * @param work work to run; an exception is passed to {@code then}.
     * @param then callback invoked in a later duty cycle of the conductor, with null or the
     *     exception; not invoked if the driver closes in the meantime.
     */
    void background(Runnable work, Consumer<RuntimeException> then);

    /**
     * Runs work, like {@link #background}, once all pages of a log are in memory. Not run if the
     * driver closes before they are.
     *
     * @param log log of a publication or an image.
     * @param work work on the log, which stays mapped while it runs.
     * @param then callback invoked in a later duty cycle of the conductor, with null or the
     *     exception.
     */
    void backgroundOn(LogBuffers log, Runnable work, Consumer<RuntimeException> then);

    /**
     * Keeps a log mapped for as long as the process exists, because an adapter that does not
     * respond may still access it. The driver is closing; the transport has reported the error.
     *
     * @param log log of a publication or an image.
     */
    void keepMapped(LogBuffers log);

    /**
     * Returns whether images at an endpoint may have memory for only part of their logs.
     *
     * @see ImageSetup#span
     */
    default boolean mayHoldPart(InboundEndpoint endpoint) {
        return true;
    }

    /**
     * Reports that a peer offers a stream.
     *
     * @param endpoint endpoint at which the offer has arrived.
     * @param setup the stream.
     * @param answer callback for the result, invoked during this call or in a later duty cycle of
     *     the conductor.
     * @return whether there is a subscription; if not, {@code answer} is not called.
     */
    boolean onSetup(InboundEndpoint endpoint, ImageSetup setup, SetupAnswer answer);

    /**
     * Reports that the peer has ended the stream, with everything up to the final position in the
     * log. The driver marks the end in the log, and closes the image once its subscribers have read
     * it all.
     *
     * @param image image that ends.
     * @param finalPosition final position of the stream.
     */
    void onImageEnding(InboundImage image, long finalPosition);

    /**
     * Reports that the peer has revoked the stream. The driver ends the image immediately,
     * regardless of its subscribers' positions.
     *
     * @param image image that ends.
     * @param finalPosition position up to which the stream was sent.
     */
    void onImageRevoked(InboundImage image, long finalPosition);

    /**
     * Reports that the peer is lost; nothing can write to the image's log. The driver ends the
     * image at its frontier, and closes it once its subscribers have read up to there.
     *
     * @param image image that is lost.
     * @param reason human-readable reason.
     */
    void onImageLost(InboundImage image, String reason);

    /**
     * Reports that the peer has stopped writing an image, as {@link InboundTransport#moveImage}
     * requested; everything that it has sent is in the log. The driver then chooses the image in
     * which the stream continues: possibly in a later duty cycle, and not at all if it closes this
     * image. The driver chooses either this image, or one with the same log parameters, which
     * contains at least everything consumed from this image, and whose consumed position is at
     * least the granted position. The stream continues where the frames in the chosen log end,
     * which must not be past the position up to which the peer has sent. The driver must still
     * close an image that is replaced.
     *
     * @param image image that nothing writes.
     * @param goOn callback invoked once, with the image in which the stream continues.
     */
    void onImageStopped(InboundImage image, Consumer<InboundImage> goOn);

    /**
     * Reports that a closed image is free: the driver may unmap its log.
     *
     * @param image image that was closed.
     */
    void onImageReleased(InboundImage image);

    /**
     * Reports that a publication is now sent from another local address than {@link
     * OutboundTransport#localAddress} has returned.
     *
     * @param stream publication that is sent.
     */
    void onLocalAddressChanged(OutboundStream stream);

    /**
     * Reports that an endpoint has moved to another local address; its description has changed.
     *
     * @param endpoint endpoint of subscriptions.
     */
    void onLocalAddressChanged(InboundEndpoint endpoint);

    /**
     * Reports that a closed publication is free: the driver may unmap its log.
     *
     * @param stream publication that was closed.
     */
    void onPublicationReleased(OutboundStream stream);

    /**
     * Reports that a publication currently cannot be sent, and that the transport retries; the
     * driver informs the publication's clients.
     *
     * @param stream publication that is rejected, or whose peer is unreachable for a reason worth
     *     reporting.
     * @param rejected whether the peer has rejected it; otherwise the transport has failed.
     * @param message cause and remedy.
     */
    void onPublicationFailed(OutboundStream stream, boolean rejected, String message);

    /**
     * Reports why a publication has no receiver yet, for operators. This is not a failure, so the
     * publication's clients are not notified.
     *
     * @param stream publication that waits.
     * @param message cause and remedy.
     */
    default void onPublicationWaits(OutboundStream stream, String message) {
        // The default does nothing, for a host without operators.
    }

    /**
     * Returns the streams that subscriptions at an endpoint want, to report to a peer that offers
     * another stream.
     *
     * @param endpoint endpoint at which the offer has arrived.
     * @param streamId stream id of the offered stream.
     * @param sessionId session id of the offered stream.
     * @return stream ids; null if a subscription wants the offered stream, or it is unknown.
     */
    default SortedSet<Integer> streamsInsteadOf(
            InboundEndpoint endpoint, int streamId, int sessionId) {
        return null;
    }

    /**
     * Reports that a receiver has rejected the image of a publication and ignores it for a while;
     * the driver informs its clients.
     *
     * @param stream publication that is rejected.
     * @param rejection the receiver's rejection.
     */
    void onImageRejected(OutboundStream stream, PeerRejection rejection);

    /**
     * Reports the session id of the responses, which the receiver of the requests has sent. May be
     * called repeatedly.
     *
     * @param stream publication that sends the requests.
     * @param sessionId session id of the responses.
     */
    void onResponseSession(OutboundStream stream, int sessionId);

    /**
     * Allocates a transport-wide counter.
     *
     * @param counter counter to allocate, once.
     * @return the counter, which the transport must close.
     * @throws io.verbus.BusException if no counter is left.
     */
    AtomicCounter counter(TransportCounter counter);

    /**
     * Allocates a counter of one connection, or of one image of a connection.
     *
     * @param counter counter to allocate.
     * @param key connection or image that the counter belongs to.
     * @param label human-readable label.
     * @return the counter, which the transport must close.
     * @throws io.verbus.BusException if no counter is left.
     */
    AtomicCounter counter(ConnectionCounter counter, ConnectionKey key, String label);

    /**
     * Allocates a counter of an RDMA device's port.
     *
     * @param device name of the device.
     * @param port number of the port.
     * @return the counter, which the transport must close.
     * @throws io.verbus.BusException if no counter is left.
     */
    AtomicCounter deviceCounter(String device, int port);

    /**
     * Allocates a counter of a publication.
     *
     * @param stream publication that the counter belongs to.
     * @param typeId a type of {@link io.verbus.cnc.CounterTypes}.
     * @param what human-readable name of the counter, to which the driver appends the publication.
     * @return the counter, which the transport must close.
     * @throws io.verbus.BusException if no counter is left.
     */
    AtomicCounter counter(OutboundStream stream, int typeId, String what);

    /**
     * Allocates a counter of a destination of a publication.
     *
     * @param stream publication that the counter belongs to.
     * @param typeId a destination's type of {@link io.verbus.cnc.CounterTypes}.
     * @param destination host and port of the destination.
     * @param what human-readable name of the counter, to which the driver appends destination and
     *     publication.
     * @return the counter, which the transport must close.
     * @throws io.verbus.BusException if no counter is left.
     */
    AtomicCounter counter(OutboundStream stream, int typeId, String destination, String what);

    /**
     * Returns a driver-wide counter, which several transports increment and must not close.
     *
     * @param counter counter, whose Javadoc names its threads.
     */
    AtomicCounter counter(SystemCounter counter);

    /**
     * Adds losses to the loss report.
     *
     * @param streamId stream id.
     * @param sessionId session id of the publication.
     * @param channel human-readable channel of the endpoint that receives the stream.
     * @param source human-readable address of the sender.
     * @param observations number of gaps observed since the last call, at least one.
     * @param bytes length of the gaps in bytes.
     */
    void onLoss(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes);

    /**
     * Writes a line to the audit log: which peer was admitted or rejected, and why. Does not wait.
     * Thread-safe.
     *
     * @param event human-readable event, without line breaks.
     */
    void audit(String event);

    /**
     * Records an error in the distinct error log. Thread-safe.
     *
     * @param error error whose message has cause and remedy.
     */
    void onError(Throwable error);

    /**
     * Records an error that a channel has caused, in the distinct error log. Its message names the
     * channel as the client wrote it.
     *
     * @param channel channel that caused the error, or one of the channels that share the failed
     *     resource.
     * @param error error whose message has cause and remedy.
     */
    void onError(ChannelUri channel, Throwable error);
}
