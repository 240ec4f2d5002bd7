// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import java.net.InetAddress;

/**
 * Interface on which to join multicast groups and send to them.
 *
 * @param local IPv4 address of the interface; the wildcard address lets the route decide.
 * @param name name of the interface, which takes precedence over the address; or null.
 */
public record MulticastInterface(InetAddress local, String name) {
    @Override
    public String toString() {
        return name == null ? local.getHostAddress() : name;
    }
}
