// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A socket address as the kernel has it, in memory of its own. To be compared and copied without
 * allocation; to be written by one thread at a time.
 *
 * <p>The source of a datagram holds, besides, the address of this host that the datagram was sent
 * to, if its socket tells: what is sent to the source leaves from there. It does not tell addresses
 * apart.
 */
public final class SocketAddress {
    private static final int CAPACITY = 32;

    /** Bytes 8 to 11 of an IPv4 address that is mapped to IPv6, read as the host has integers. */
    private static final int MAPPED =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0xFFFF_0000 : 0x0000_FFFF;

    // Keeps the memory alive that the buffer's address leads to.
    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(CAPACITY).order(ByteOrder.nativeOrder());
    private final UnsafeBuffer buffer = new UnsafeBuffer(memory);
    private int length;

    /** The message that has what answers it sent from where it was sent to. */
    private final UnsafeBuffer info =
            new UnsafeBuffer(ByteBuffer.allocateDirect(LinuxAbi.ControlMessage.SIZE_OF_INFO6));

    private int infoSize;

    /** An address that is not set: to send to it is to send where the socket is connected. */
    public SocketAddress() {}

    /**
     * @param address to hold, resolved.
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

    /** Where it lies; null if it is not set. */
    public long address() {
        return length == 0 ? 0 : buffer.addressOffset();
    }

    /** Bytes that the kernel is to read of it. */
    public int length() {
        return length;
    }

    /** Takes the value of another. */
    public void set(SocketAddress other) {
        buffer.putBytes(0, other.buffer, 0, CAPACITY);
        length = other.length;
        infoSize = other.infoSize;
        info.putBytes(0, other.info, 0, infoSize);
    }

    /** Whether the other is the same address and port. */
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
     * Copies the address of the host, if it has as many bytes as there is room for. An IPv4 address
     * that is mapped to IPv6 has 4.
     *
     * @param bytes 4 or 16.
     * @return whether it has.
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

    /** How many words tell it from others. */
    public int words() {
        return length == LinuxAbi.SockAddr.IPV4_SIZE ? 1 : CAPACITY / Long.BYTES;
    }

    /** One of the words that tell it from others. */
    public long word(int index) {
        return buffer.getLong(index * Long.BYTES);
    }

    /** Sets it to what the kernel has written. */
    void read(UnsafeBuffer source, int offset, int newLength) {
        length = Math.min(newLength, LinuxAbi.SockAddr.IPV6_SIZE);
        buffer.putBytes(0, source, offset, length);
        infoSize = 0;
    }

    /**
     * Takes, from the control messages of a datagram from here, which address of this host it was
     * sent to.
     *
     * @param controls messages that the kernel has written.
     * @param offset of the first.
     * @param size bytes of all of them.
     */
    void readInfo(UnsafeBuffer controls, int offset, int size) {
        int at = offset;
        while (offset + size - at >= LinuxAbi.ControlMessage.VALUE) {
            int messageLength = (int) controls.getLong(at + LinuxAbi.ControlMessage.LENGTH);
            int level = controls.getInt(at + LinuxAbi.ControlMessage.LEVEL);
            int type = controls.getInt(at + LinuxAbi.ControlMessage.TYPE);
            if (level == LinuxAbi.IPPROTO_IP && type == LinuxAbi.IP_PKTINFO) {
                take(controls, at, messageLength, LinuxAbi.ControlMessage.SIZE_OF_INFO);
                info.putInt(LinuxAbi.PacketInfo.INTERFACE, 0); // the route says by which
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

    /** Bytes of the message that has a datagram sent from a certain address; 0: from any. */
    int infoSize() {
        return infoSize;
    }

    /** Writes that message. */
    void writeInfo(UnsafeBuffer controls, int offset) {
        controls.putBytes(offset, info, 0, infoSize);
    }

    /** As Java has it; null if it is of no known family. Allocates. */
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
            throw new AssertionError("the length of an address is fixed", impossible);
        }
    }

    /** Host and port as in {@code 10.0.0.1:4000}. Allocates. */
    public static String text(InetSocketAddress address) {
        String host =
                address.getAddress() == null
                        ? address.getHostString()
                        : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** The host without the port, for people. Allocates. */
    public String host() {
        InetSocketAddress inet = length == 0 ? null : toInet();
        return inet == null ? "an unknown address" : inet.getAddress().getHostAddress();
    }

    @Override
    public String toString() {
        InetSocketAddress inet = length == 0 ? null : toInet();
        return inet == null ? "unknown" : text(inet);
    }
}
