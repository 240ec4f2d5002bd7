// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/** Reads and writes C socket addresses: {@code sockaddr_in} and {@code sockaddr_in6}. */
final class SocketAddresses {
    private SocketAddresses() {}

    /**
     * Writes an address.
     *
     * @return the native address of the structure.
     */
    static long allocate(Arena arena, InetSocketAddress address) {
        InetAddress host = address.getAddress();
        long target = arena.allocate(VerbsAbi.SockAddr.SIZE, Long.BYTES).address();
        Memory.putShort(target + VerbsAbi.SockAddr.PORT, bigEndian((short) address.getPort()));
        if (host instanceof Inet6Address ipv6) {
            Memory.putShort(target + VerbsAbi.SockAddr.FAMILY, VerbsAbi.SockAddr.AF_INET6);
            Memory.putBytes(target + VerbsAbi.SockAddr.IPV6_ADDRESS, ipv6.getAddress());
            Memory.putInt(target + VerbsAbi.SockAddr.IPV6_SCOPE, ipv6.getScopeId());
        } else {
            Memory.putShort(target + VerbsAbi.SockAddr.FAMILY, VerbsAbi.SockAddr.AF_INET);
            Memory.putBytes(target + VerbsAbi.SockAddr.IPV4_ADDRESS, host.getAddress());
        }
        return target;
    }

    /** Reads an address; returns null if none is set. */
    static InetSocketAddress read(long source) {
        int port = Short.toUnsignedInt(bigEndian(Memory.getShort(source + VerbsAbi.SockAddr.PORT)));
        try {
            return switch (Memory.getShort(source + VerbsAbi.SockAddr.FAMILY)) {
                case VerbsAbi.SockAddr.AF_INET ->
                        new InetSocketAddress(
                                InetAddress.getByAddress(
                                        Memory.getBytes(
                                                source + VerbsAbi.SockAddr.IPV4_ADDRESS, 4)),
                                port);
                case VerbsAbi.SockAddr.AF_INET6 ->
                        new InetSocketAddress(
                                Inet6Address.getByAddress(
                                        null,
                                        Memory.getBytes(
                                                source + VerbsAbi.SockAddr.IPV6_ADDRESS, 16),
                                        Memory.getInt(source + VerbsAbi.SockAddr.IPV6_SCOPE)),
                                port);
                default -> null;
            };
        } catch (UnknownHostException impossible) {
            throw new AssertionError(
                    "cannot happen: the length of an address is valid", impossible);
        }
    }

    /** Formats host and port, such as {@code 10.0.0.1:4000}, without a name server lookup. */
    static String text(InetSocketAddress address) {
        if (address == null) {
            return "an unknown address";
        }
        String host =
                address.getAddress() == null
                        ? address.getHostString()
                        : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    private static short bigEndian(short value) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
                ? Short.reverseBytes(value)
                : value;
    }
}
