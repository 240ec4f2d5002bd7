// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;

/** Field values of a message: distinct numbers, and texts of any length. */
final class Fields {
    private static final int[] LENGTHS = {0, 1, 2, 3, 4, 5, 17, 100, 1001};

    private final Random random;
    private final Set<Long> taken = new HashSet<>();
    private final boolean isEmpty;

    final long clientId;
    final long correlationId;
    final long registrationId;
    final long destinationRegistrationId;
    final long imageId;
    final long position;
    final long receiverId;
    final long groupTag;
    final int streamId;
    final int sessionId;
    final int typeId;
    final int counterId;
    final int statusId;
    final int port;
    final boolean revoke;
    final ErrorCode errorCode;
    final AddressType addressType;
    final byte[] address;
    final byte[] key;
    final String text;
    final String secondText;

    private Fields(long seed, boolean isEmpty) {
        random = new Random(seed);
        this.isEmpty = isEmpty;
        clientId = nextLong();
        correlationId = nextLong();
        registrationId = nextLong();
        destinationRegistrationId = nextLong();
        imageId = nextLong();
        position = nextLong();
        receiverId = nextLong();
        groupTag = nextLong();
        streamId = nextInt();
        sessionId = nextInt();
        typeId = nextInt();
        counterId = nextInt();
        statusId = nextInt();
        port = random.nextInt(1 << 16);
        revoke = random.nextBoolean();
        errorCode = ErrorCode.get(random.nextInt(15));
        addressType = random.nextBoolean() ? AddressType.IPV4 : AddressType.IPV6;
        address = nextBytes(addressType == AddressType.IPV4 ? 4 : 16);
        // Otherwise Java may treat the IPv6 address as a mapped IPv4 address.
        address[0] = 0x20;
        key = nextBytes(nextLength());
        text = nextText();
        secondText = nextText();
    }

    static Fields random(long seed) {
        return new Fields(seed, false);
    }

    /** Returns values as {@link #random} does, with empty texts and keys. */
    static Fields withoutText(long seed) {
        return new Fields(seed, true);
    }

    DirectBuffer keyBuffer() {
        return new UnsafeBuffer(key);
    }

    /** Returns the address as in a message: 16 bytes. */
    byte[] paddedAddress() {
        return Arrays.copyOf(address, 16);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static String hex(DirectBuffer buffer, int index, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return hex(bytes);
    }

    private long nextLong() {
        long value = random.nextLong();
        return taken.add(value) ? value : nextLong();
    }

    private int nextInt() {
        int value = random.nextInt();
        return taken.add((long) value) ? value : nextInt();
    }

    private int nextLength() {
        return isEmpty ? 0 : LENGTHS[random.nextInt(LENGTHS.length)];
    }

    private byte[] nextBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private String nextText() {
        StringBuilder ascii = new StringBuilder();
        for (int left = nextLength(); left > 0; left--) {
            ascii.append((char) (' ' + random.nextInt('~' - ' ' + 1)));
        }
        return ascii.toString();
    }
}
