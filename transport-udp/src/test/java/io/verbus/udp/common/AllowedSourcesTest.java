// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.Networks;
import io.verbus.transport.TransportException;
import io.verbus.udp.socket.SocketAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

class AllowedSourcesTest {
    private static Networks networks(String value) {
        return AllowedSources.networks(
                (name, preset) -> {
                    assertEquals("udp.allow", name);
                    return value == null ? preset : value;
                });
    }

    private static boolean isIn(String value, InetAddress address) {
        SocketAddress source = new SocketAddress(new InetSocketAddress(address, 4000));
        byte[] ipv4 = new byte[4];
        byte[] ipv6 = new byte[16];
        return source.copyHost(ipv4)
                ? networks(value).contains(ipv4)
                : source.copyHost(ipv6) && networks(value).contains(ipv6);
    }

    @Test
    void allowsAllHostsByDefault() {
        assertNull(networks(null));
        assertNull(networks("all"));
        assertThrows(TransportException.class, () -> networks("everybody"));
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.7, 10.2.0.0",
        "10.1.2.128/25, 10.1.2.200, 10.1.2.127",
        "0.0.0.0/0, 9.9.9.9, ::1",
        "fd00:1::/32, fd00:1:2::3, fd00:2::3",
        "::/0, fd00::1, 9.9.9.9"
    })
    void allowsOnlyHostsOfNetwork(String network, String inside, String outside) {
        assertTrue(isIn(network, InetAddress.ofLiteral(inside)));
        assertFalse(isIn(network, InetAddress.ofLiteral(outside)));
    }

    /** An IPv6 socket reports IPv4 sources in this form. */
    @Test
    void treatsMappedAddressAsIpv4() throws UnknownHostException {
        byte[] bytes = new byte[16];
        bytes[10] = -1;
        bytes[11] = -1;
        bytes[12] = 10;
        bytes[13] = 1;
        bytes[15] = 7;
        InetAddress mapped = Inet6Address.getByAddress(null, bytes, -1);
        assertTrue(isIn("10.1.0.0/16", mapped));
        assertFalse(isIn("::/0", mapped));
    }

    @Test
    void copiesNoHostOfUnsetAddress() {
        assertFalse(new SocketAddress().copyHost(new byte[4]));
        assertFalse(new SocketAddress().copyHost(new byte[16]));
    }
}
