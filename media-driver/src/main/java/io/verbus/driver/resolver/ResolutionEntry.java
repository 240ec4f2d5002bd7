// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A driver's name and address in a resolution frame, in the layout of Aeron's {@code
 * ResolutionEntryFlyweight}, little-endian.
 *
 * <pre>
 *   0        1         2          4            8           12 or 24      14 or 26
 *   +--------+---------+----------+------------+-----------+-------------+---------+- - - - -+
 *   | type   | flags   | UDP port | age in ms  | address   | name length | name    | padding |
 *   +--------+---------+----------+------------+-----------+-------------+---------+- - - - -+
 *    1 IPv4,  0x80: of                          4 or 16                   ASCII     to 8 bytes
 *    2 IPv6   the sender
 * </pre>
 *
 * @param isSelf whether the sender announces itself.
 * @param address address and port of the driver's resolver; a sender's wildcard address stands for
 *     the source address of its datagram.
 * @param ageMs milliseconds since the last news of the driver.
 * @param name name of the driver.
 */
record ResolutionEntry(boolean isSelf, InetSocketAddress address, long ageMs, String name) {
    /** Maximum length of a name in bytes. */
    static final int MAX_NAME = 512;

    private static final int TYPE = 0;
    private static final int FLAGS = 1;
    private static final int PORT = 2;
    private static final int AGE = 4;
    private static final int ADDRESS = 8;
    private static final int IPV4 = 1;
    private static final int IPV6 = 2;
    private static final int SELF = 0x80;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** Returns the encoded length in bytes. */
    int length() {
        int addressLength =
                address.getAddress() instanceof Inet4Address ? IPV4_LENGTH : IPV6_LENGTH;
        return length(addressLength, name.length());
    }

    private static int length(int addressLength, int nameLength) {
        return BitUtil.align(ADDRESS + addressLength + Short.BYTES + nameLength, Long.BYTES);
    }

    /** Writes the entry; returns the offset of the next one. */
    int encode(MutableDirectBuffer buffer, int offset) {
        byte[] host = address.getAddress().getAddress();
        byte[] ascii = name.getBytes(StandardCharsets.US_ASCII);
        int end = offset + length();
        buffer.setMemory(offset, end - offset, (byte) 0);
        buffer.putByte(offset + TYPE, (byte) (host.length == IPV4_LENGTH ? IPV4 : IPV6));
        buffer.putByte(offset + FLAGS, (byte) (isSelf ? SELF : 0));
        buffer.putShort(offset + PORT, (short) address.getPort(), ORDER);
        buffer.putInt(offset + AGE, (int) Math.min(ageMs, Integer.MAX_VALUE), ORDER);
        buffer.putBytes(offset + ADDRESS, host);
        int nameOffset = offset + ADDRESS + host.length;
        buffer.putShort(nameOffset, (short) ascii.length, ORDER);
        buffer.putBytes(nameOffset + Short.BYTES, ascii);
        return end;
    }

    /**
     * Returns the encoded length of the entry at an offset.
     *
     * @param end end of the frame.
     * @return the length; -1 if the entry is incomplete.
     */
    static int lengthAt(DirectBuffer buffer, int offset, int end) {
        if (end - offset < ADDRESS) {
            return -1;
        }
        int addressLength = addressLength(buffer, offset);
        int nameOffset = offset + ADDRESS + addressLength;
        if (addressLength < 0 || end - nameOffset < Short.BYTES) {
            return -1;
        }
        int nameLength = buffer.getShort(nameOffset, ORDER) & 0xFFFF;
        int length = length(addressLength, nameLength);
        return nameLength > MAX_NAME || length > end - offset ? -1 : length;
    }

    private static int addressLength(DirectBuffer buffer, int offset) {
        return switch (buffer.getByte(offset + TYPE)) {
            case IPV4 -> IPV4_LENGTH;
            case IPV6 -> IPV6_LENGTH;
            default -> -1;
        };
    }

    /** Reads a complete entry; returns null if its name is invalid, or its port is zero. */
    static ResolutionEntry decode(DirectBuffer buffer, int offset) {
        byte[] host = new byte[addressLength(buffer, offset)];
        buffer.getBytes(offset + ADDRESS, host);
        int nameOffset = offset + ADDRESS + host.length;
        String name =
                buffer.getStringWithoutLengthAscii(
                        nameOffset + Short.BYTES, buffer.getShort(nameOffset, ORDER) & 0xFFFF);
        int port = buffer.getShort(offset + PORT, ORDER) & 0xFFFF;
        if (!isName(name) || port == 0) {
            return null;
        }
        return new ResolutionEntry(
                (buffer.getByte(offset + FLAGS) & SELF) != 0,
                new InetSocketAddress(address(host), port),
                buffer.getInt(offset + AGE, ORDER) & 0xFFFF_FFFFL,
                name);
    }

    /**
     * Returns whether a text is a valid driver name. A name must be printable, because it appears
     * in labels and logs.
     */
    static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_NAME
                && name.chars().allMatch(each -> each > ' ' && each < 0x7F);
    }

    private static InetAddress address(byte[] host) {
        try {
            return InetAddress.getByAddress(host);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("an entry's address has a fixed valid length", impossible);
        }
    }

    /**
     * Returns the entry; if it announces its sender without an address, with the source address of
     * the datagram.
     */
    ResolutionEntry from(InetAddress source) {
        return isSelf && address.getAddress().isAnyLocalAddress()
                ? new ResolutionEntry(
                        true, new InetSocketAddress(source, address.getPort()), ageMs, name)
                : this;
    }
}
