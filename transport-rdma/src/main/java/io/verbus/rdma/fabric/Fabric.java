// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Makes connections on the RDMA devices of this host. Conductor's thread only. No method waits for
 * a device or a peer, but for {@link #listen} and {@link #close}: calls that these can hold are
 * made on other threads, those of one connection in their order, and {@link #poll} tells what
 * became of them.
 */
public interface Fabric extends AutoCloseable {
    /**
     * Listens for connections.
     *
     * @param localAddress of a device's port; the port number 0 takes a free one.
     * @param options of the connections that arrive.
     * @return the listener.
     * @throws FabricException if the address is no RDMA device's, or is in use.
     */
    Listener listen(InetSocketAddress localAddress, ConnectionOptions options);

    /**
     * Begins to connect; {@link FabricHandler#onEstablished} or {@link FabricHandler#onEnded}
     * follows.
     *
     * @param remoteAddress where the peer listens.
     * @param localAddress to connect from, or null for the route's own choice.
     * @param options of the connection.
     * @param domain to reuse if it is on the device that leads to the peer, or null.
     * @param privateData for the peer, at most 56 bytes.
     * @param provision registered before the peer is asked, and released by {@link
     *     Connection#close}.
     * @return the connection, whose queue pair and domain are there when it is established.
     * @throws FabricException if an address is not resolved.
     */
    Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData,
            Provision provision);

    /** Begins to connect with no provision. */
    default Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData) {
        return connect(remoteAddress, localAddress, options, domain, privateData, Provision.NONE);
    }

    /**
     * Bits that an address of this host has in common with its subnet. Asks the system.
     *
     * @param localAddress of this host.
     * @return the bits; 0 if the address is none of this host's.
     */
    int prefixLength(InetAddress localAddress);

    /**
     * Handles the connection events that have arrived, and the results of calls; looks for events
     * about once a millisecond, however often it is called.
     *
     * @param handler of them.
     * @param nowNs monotonic time, as {@link System#nanoTime} tells it.
     * @return their number.
     */
    int poll(FabricHandler handler, long nowNs);

    /**
     * Closes all that is still open, and waits for it within a bound: what a device holds for
     * longer is told to the error log, and ends later. Idempotent.
     */
    @Override
    void close();
}
