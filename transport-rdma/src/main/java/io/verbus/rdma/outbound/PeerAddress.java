// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Address of a peer, and the local address to connect from, by name. The names are looked up before
 * each attempt to connect, because addresses may have changed. Used by the conductor's thread.
 */
final class PeerAddress {
    private final Endpoint endpoint;
    private final String localHost;
    private final TransportHost host;

    /** Lookup of the names for the next attempt; null if none was started. */
    private CompletableFuture<Void> names;

    /**
     * @param endpoint address of the peer.
     * @param localHost local address; null if the operating system chooses it.
     * @param host the driver, which looks up the names.
     */
    PeerAddress(Endpoint endpoint, String localHost, TransportHost host) {
        this.endpoint = endpoint;
        this.localHost = localHost;
        this.host = host;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    boolean is(Endpoint otherEndpoint, String otherLocalHost) {
        return endpoint.equals(otherEndpoint) && Objects.equals(localHost, otherLocalHost);
    }

    /** Returns whether the names have been looked up for the next attempt; starts the lookup. */
    boolean isLookedUp() {
        if (names == null) {
            CompletableFuture<Void> remote = host.lookUp(endpoint.host());
            names =
                    localHost == null
                            ? remote
                            : CompletableFuture.allOf(remote, host.lookUp(localHost));
        }
        return names.isDone();
    }

    /** Begins an attempt; the next one looks up the names again. */
    void onAttempt() {
        names = null;
    }

    /** Returns the address of the peer, which may be unresolved. */
    InetSocketAddress remote() {
        return host.address(endpoint.host(), endpoint.port());
    }

    /** Returns the local address, which may be unresolved; null if the system chooses it. */
    InetSocketAddress local() {
        return localHost == null ? null : host.address(localHost, 0);
    }

    /** Returns why an attempt between two addresses is impossible; null if both are resolved. */
    static String unresolved(InetSocketAddress remote, InetSocketAddress local) {
        InetSocketAddress unknown =
                remote.isUnresolved()
                        ? remote
                        : local != null && local.isUnresolved() ? local : null;
        if (unknown == null) {
            return null;
        }
        String remedy = LocalInterface.remedyFor(unknown.getHostString());
        return "host name '"
                + unknown.getHostString()
                + "' cannot be resolved: "
                + (remedy == null
                        ? "correct the channel, rdma.interface, or the name service"
                        : remedy);
    }

    @Override
    public String toString() {
        return localHost == null ? endpoint.toString() : endpoint + " from " + localHost;
    }
}
