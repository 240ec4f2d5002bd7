// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Makes connections on the RDMA devices of this host. Used by the conductor's thread only. No
 * method except {@link #cutOff} and {@link #close} waits for a device or a peer: calls that may
 * block run on other threads, in order per connection or listener, and {@link #poll} reports their
 * results.
 */
public interface Fabric extends AutoCloseable {
    /**
     * Starts listening for connections; {@link Listener#opened} reports the result.
     *
     * @param localAddress address of a device's port; port number 0 selects a free one.
     * @param options options of incoming connections.
     * @return the listener.
     * @throws FabricException if the address is unresolved.
     */
    Listener listen(InetSocketAddress localAddress, ConnectionOptions options);

    /**
     * Starts connecting; {@link FabricHandler#onEstablished} or {@link FabricHandler#onEnded}
     * follows.
     *
     * @param remoteAddress address at which the peer listens.
     * @param localAddress local address to connect from, or null to let the route decide.
     * @param options options of the connection.
     * @param domain domain to reuse if it is on the device that reaches the peer, or null.
     * @param privateData data for the peer, at most 56 bytes.
     * @param provision memory to register before the request is sent; released by {@link
     *     Connection#close}.
     * @return the connection; its queue pair and domain exist once it is established.
     * @throws FabricException if an address is unresolved.
     */
    Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData,
            Provision provision);

    /** Starts connecting without a provision. */
    default Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData) {
        return connect(remoteAddress, localAddress, options, domain, privateData, Provision.NONE);
    }

    /**
     * Returns the subnet prefix length of a local address. Queries the system.
     *
     * @param localAddress address of this host.
     * @return the number of bits; 0 if the address is not local.
     */
    int prefixLength(InetAddress localAddress);

    /**
     * Handles connection events and results of calls. Checks for events about once per millisecond,
     * regardless of how often it is called.
     *
     * @param handler handler of the events.
     * @param nowNs monotonic time, as returned by {@link System#nanoTime}.
     * @return the number of events and results handled.
     */
    int poll(FabricHandler handler, long nowNs);

    /**
     * Closes all connections, and waits for a bounded time until their queue pairs are destroyed;
     * {@link Domain#isInUse} then tells where one still exists. Only {@link #close} may follow.
     */
    void cutOff();

    /**
     * Closes everything still open and waits for a bounded time. Resources that a device holds
     * longer are reported to the error log and end later. Idempotent.
     */
    @Override
    void close();
}
