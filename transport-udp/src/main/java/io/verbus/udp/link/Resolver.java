// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.link;

import io.verbus.transport.TransportException;

import java.net.InetSocketAddress;

/** Finds the address of a host name. May ask a name server: conductor's thread. */
public final class Resolver {
    private Resolver() {}

    /**
     * Resolves a host.
     *
     * @throws TransportException if it is unknown.
     */
    public static InetSocketAddress resolve(String host, int port) {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + host
                            + "' cannot be resolved: name an IP address, or add it to"
                            + " /etc/hosts");
        }
        return address;
    }
}
