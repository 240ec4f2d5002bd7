// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import io.verbus.channel.Endpoint;

import org.agrona.concurrent.UnsafeBuffer;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Socket address in the kernel's format, in off-heap memory. Can be compared and copied without
 * allocation; must be written by one thread at a time.
 *
 * <p>The source of a datagram also holds the local address that the datagram was sent to, if its
 * socket reports it; datagrams sent to this source leave from there. Equality ignores the local
 * address.
 */
public final class SocketAddress {
    private static final int CAPACITY = 32;

    /** Bytes 8 to 11 of an IPv4-mapped IPv6 address, read in native byte order. */
    private static final int MAPPED =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0xFFFF_0000 : 0x0000_FFFF;

    // Keeps the memory of the buffer alive.
    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(CAPACITY).order(ByteOrder.nativeOrder());
    private final UnsafeBuffer buffer = new UnsafeBuffer(memory);
    private int length;

    /** Control message with the local address from which to send. */
    private final UnsafeBuffer info =
            new UnsafeBuffer(ByteBuffer.allocateDirect(LinuxAbi.ControlMessage.SIZE_OF_INFO6));

    private int infoSize;

    /** Creates an unset address; sending to it sends to the socket's connected peer. */
    public SocketAddress() {}

    /**
     * @param address resolved address.
     */
    public SocketAddress(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        buffer.putShort(LinuxAbi.SockAddr.PORT, (short) address.getPort(), ByteOrder.BIG_ENDIAN);
        if (host instanceof Inet6Address ipv6) {
            buffer.putShort(LinuxAbi.SockAddr.FAMILY, (short) LinuxAbi.AF_INET6);
            buffer.putBytes(LinuxAbi.SockAddr.IPV6_ADDRESS, ipv6.getAddress());
            buffer.putInt(LinuxAbi.SockAddr.IPV6_SCOPE, ipv6.getScopeId());
            length = LinuxAbi.SockAddr.IPV6_SIZE;
        } else {
            buffer.putShort(LinuxAbi.SockAddr.FAMILY, (short) LinuxAbi.AF_INET);
            buffer.putBytes(LinuxAbi.SockAddr.IPV4_ADDRESS, host.getAddress());
            length = LinuxAbi.SockAddr.IPV4_SIZE;
        }
    }

    /** Returns the memory address; 0 if it is not set. */
    public long address() {
        return length == 0 ? 0 : buffer.addressOffset();
    }

    /** Returns the length for the kernel in bytes. */
    public int length() {
        return length;
    }

    /** Copies the value of another address. */
    public void set(SocketAddress other) {
        buffer.putBytes(0, other.buffer, 0, CAPACITY);
        length = other.length;
        infoSize = other.infoSize;
        info.putBytes(0, other.info, 0, infoSize);
    }

    /** Returns whether both are the same address and port. */
    public boolean isSame(SocketAddress other) {
        if (length != other.length || buffer.getLong(0) != other.buffer.getLong(0)) {
            return false;
        }
        return length == LinuxAbi.SockAddr.IPV4_SIZE
                || buffer.getLong(8) == other.buffer.getLong(8)
                        && buffer.getLong(16) == other.buffer.getLong(16)
                        && buffer.getInt(24) == other.buffer.getInt(24);
    }

    /**
     * Copies the host's address, if it has the length of the array. An IPv4-mapped IPv6 address has
     * length 4.
     *
     * @param bytes destination of 4 or 16 bytes.
     * @return whether the length matched.
     */
    public boolean copyHost(byte[] bytes) {
        boolean isIpv6 = length == LinuxAbi.SockAddr.IPV6_SIZE;
        boolean isMapped =
                isIpv6
                        && buffer.getLong(LinuxAbi.SockAddr.IPV6_ADDRESS) == 0
                        && buffer.getInt(LinuxAbi.SockAddr.IPV6_ADDRESS + 8) == MAPPED;
        if (length == 0 || (isIpv6 && !isMapped) != (bytes.length == 16)) {
            return false;
        }
        int at =
                isMapped
                        ? LinuxAbi.SockAddr.IPV6_ADDRESS + 12
                        : isIpv6 ? LinuxAbi.SockAddr.IPV6_ADDRESS : LinuxAbi.SockAddr.IPV4_ADDRESS;
        buffer.getBytes(at, bytes);
        return true;
    }

    /** Returns the number of words that identify the address. */
    public int words() {
        return length == LinuxAbi.SockAddr.IPV4_SIZE ? 1 : CAPACITY / Long.BYTES;
    }

    /** Returns one of the words that identify the address. */
    public long word(int index) {
        return buffer.getLong(index * Long.BYTES);
    }

    /** Sets the address to one written by the kernel. */
    void read(UnsafeBuffer source, int offset, int newLength) {
        length = Math.min(newLength, LinuxAbi.SockAddr.IPV6_SIZE);
        buffer.putBytes(0, source, offset, length);
        infoSize = 0;
    }

    /**
     * Reads the local address that a datagram was sent to from its control messages.
     *
     * @param controls control messages written by the kernel.
     * @param offset offset of the first.
     * @param size total size in bytes.
     */
    void readInfo(UnsafeBuffer controls, int offset, int size) {
        int at = offset;
        while (offset + size - at >= LinuxAbi.ControlMessage.VALUE) {
            int messageLength = (int) controls.getLong(at + LinuxAbi.ControlMessage.LENGTH);
            int level = controls.getInt(at + LinuxAbi.ControlMessage.LEVEL);
            int type = controls.getInt(at + LinuxAbi.ControlMessage.TYPE);
            if (level == LinuxAbi.IPPROTO_IP && type == LinuxAbi.IP_PKTINFO) {
                take(controls, at, messageLength, LinuxAbi.ControlMessage.SIZE_OF_INFO);
                info.putInt(LinuxAbi.PacketInfo.INTERFACE, 0); // the route determines the interface
                return;
            }
            if (level == LinuxAbi.IPPROTO_IPV6 && type == LinuxAbi.IPV6_PKTINFO) {
                take(controls, at, messageLength, LinuxAbi.ControlMessage.SIZE_OF_INFO6);
                info.putInt(
                        LinuxAbi.PacketInfo6.INTERFACE,
                        buffer.getInt(LinuxAbi.SockAddr.IPV6_SCOPE));
                return;
            }
            at += messageLength + Long.BYTES - 1 & -Long.BYTES;
        }
    }

    private void take(UnsafeBuffer controls, int at, int messageLength, int size) {
        info.putBytes(0, controls, at, messageLength);
        infoSize = size;
    }

    /** Returns the size of the control message with the local address; 0 if none is set. */
    int infoSize() {
        return infoSize;
    }

    /** Writes the control message with the local address. */
    void writeInfo(UnsafeBuffer controls, int offset) {
        controls.putBytes(offset, info, 0, infoSize);
    }

    /** Converts to a Java address; null if the family is unknown. Allocates. */
    public InetSocketAddress toInet() {
        int port =
                Short.toUnsignedInt(buffer.getShort(LinuxAbi.SockAddr.PORT, ByteOrder.BIG_ENDIAN));
        try {
            return switch (buffer.getShort(LinuxAbi.SockAddr.FAMILY)) {
                case LinuxAbi.AF_INET -> {
                    byte[] host = new byte[4];
                    buffer.getBytes(LinuxAbi.SockAddr.IPV4_ADDRESS, host);
                    yield new InetSocketAddress(InetAddress.getByAddress(host), port);
                }
                case LinuxAbi.AF_INET6 -> {
                    byte[] host = new byte[16];
                    buffer.getBytes(LinuxAbi.SockAddr.IPV6_ADDRESS, host);
                    int scope = buffer.getInt(LinuxAbi.SockAddr.IPV6_SCOPE);
                    int noScope = -1;
                    yield new InetSocketAddress(
                            Inet6Address.getByAddress(null, host, scope == 0 ? noScope : scope),
                            port);
                }
                default -> null;
            };
        } catch (UnknownHostException impossible) {
            throw new AssertionError(
                    "cannot happen: the length of an address is valid", impossible);
        }
    }

    /** Formats the host without the port. Allocates. */
    public String host() {
        InetSocketAddress inet = length == 0 ? null : toInet();
        return inet == null ? "an unknown address" : inet.getAddress().getHostAddress();
    }

    @Override
    public String toString() {
        InetSocketAddress inet = length == 0 ? null : toInet();
        return inet == null ? "unknown" : Endpoint.text(inet);
    }
}
