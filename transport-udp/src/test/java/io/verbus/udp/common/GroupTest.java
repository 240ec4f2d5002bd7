// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.udp.socket.MulticastInterface;
import io.verbus.udp.socket.SocketException;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A multicast group and its control address. */
class GroupTest {
    /** The channel has only the group's address, so the error must name it. */
    @Test
    void namesGroupWhoseControlAddressCannotBeJoined() throws Exception {
        Group group =
                new Group(
                        new InetSocketAddress("224.0.1.1", 4000),
                        new InetSocketAddress("224.0.1.2", 4000),
                        new MulticastInterface(InetAddress.getByName("203.0.113.7"), null),
                        0,
                        0);
        SocketException refused = assertThrows(SocketException.class, group::joinControl);
        assertTrue(
                refused.getMessage()
                        .startsWith(
                                "cannot join the multicast group 224.0.1.1:4000 at its control"
                                        + " address 224.0.1.2:4000"),
                refused.getMessage());
    }
}
