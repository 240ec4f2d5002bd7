// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;

class SocketAddressesTest {
    @Test
    void writesIpv4InKernelLayout() {
        try (Arena arena = Arena.ofConfined()) {
            long at = SocketAddresses.allocate(arena, new InetSocketAddress("10.77.0.1", 0x1234));
            assertArrayEquals(new byte[] {2, 0, 0x12, 0x34, 10, 77, 0, 1}, Memory.getBytes(at, 8));
        }
    }

    @Test
    void readsBackWrittenAddresses() {
        try (Arena arena = Arena.ofConfined()) {
            for (InetSocketAddress address :
                    new InetSocketAddress[] {
                        new InetSocketAddress("192.0.2.7", 65535),
                        new InetSocketAddress("2001:db8::7", 4000)
                    }) {
                assertEquals(
                        address, SocketAddresses.read(SocketAddresses.allocate(arena, address)));
            }
        }
    }

    @Test
    void returnsNullForUnsetAddress() {
        try (Arena arena = Arena.ofConfined()) {
            assertNull(SocketAddresses.read(arena.allocate(128, 8).address()));
        }
    }

    @Test
    void printsAddressesInUriForm() {
        assertEquals("10.0.0.1:4", SocketAddresses.text(new InetSocketAddress("10.0.0.1", 4)));
        assertEquals(
                "[2001:db8:0:0:0:0:0:1]:4",
                SocketAddresses.text(new InetSocketAddress("2001:db8::1", 4)));
    }
}
