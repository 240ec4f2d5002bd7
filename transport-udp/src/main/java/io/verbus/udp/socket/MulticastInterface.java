// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import java.net.InetAddress;

/**
 * An interface on which multicast groups are joined and sent to.
 *
 * @param local IPv4 address of the interface; the wildcard leaves the choice to the route.
 * @param name of the interface, which decides even if two have one address; or null.
 */
public record MulticastInterface(InetAddress local, String name) {
    @Override
    public String toString() {
        return name == null ? local.getHostAddress() : name;
    }
}
