// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;

import java.util.concurrent.CompletableFuture;

/** The publishing side of a transport, as the driver sees it. Used by the conductor's thread. */
public interface OutboundTransport {
    /**
     * Starts sending a publication's log, once its local address is open. Does not wait for that. A
     * publication whose channel is manual is added immediately.
     *
     * @param stream publication to send, which must not be closed before it is added.
     * @return a future that completes in a duty cycle of the conductor when the publication is
     *     added, or exceptionally with a {@link io.verbus.BusException} if it cannot be added;
     *     already completed if it was added immediately.
     * @throws TransportException if the transport cannot use the channel.
     */
    CompletableFuture<Void> addPublication(OutboundStream stream);

    /**
     * Ends a publication whose final position is set: sends the rest of the log, signals the end of
     * the stream to the receivers, then calls {@link TransportHost#onPublicationReleased}. Calls it
     * too if no receiver is left.
     *
     * @param stream publication to end.
     */
    void closePublication(OutboundStream stream);

    /**
     * Adds a destination to a publication whose channel is manual.
     *
     * @param stream publication that was added and is not closed.
     * @param destination destination of this transport that the publication does not have.
     * @throws TransportException if the transport cannot use the address.
     */
    void addDestination(OutboundStream stream, ChannelUri destination);

    /**
     * Removes a destination from a publication, which no longer waits for it.
     *
     * @param stream publication that was added and is not closed.
     * @param destination destination that was added.
     */
    void removeDestination(OutboundStream stream, ChannelUri destination);

    /**
     * Returns the local address from which a publication is sent.
     *
     * @param stream publication that was added and is not closed.
     * @return human-readable host and port; null if none is bound, or there are several.
     */
    String localAddress(OutboundStream stream);
}
