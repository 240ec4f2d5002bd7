// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;

/**
 * Interface on which to join multicast groups and send to them.
 *
 * @param local IPv4 address of the interface; the wildcard address lets the route decide.
 * @param name name of the interface, which takes precedence over the address; or null.
 */
public record MulticastInterface(InetAddress local, String name) {
    /**
     * Returns the current number of the interface for a group.
     *
     * @return the number; 0 if there is no such interface, or no route.
     */
    public int index(InetSocketAddress group) {
        try {
            NetworkInterface found =
                    name != null
                            ? NetworkInterface.getByName(name)
                            : NetworkInterface.getByInetAddress(
                                    local.isAnyLocalAddress()
                                            ? DatagramSocket.sourceTo(group)
                                            : local);
            return found == null ? 0 : found.getIndex();
        } catch (java.net.SocketException | SocketException none) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return name == null ? local.getHostAddress() : name;
    }
}
