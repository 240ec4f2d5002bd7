// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assertions;

import java.util.Random;
import java.util.zip.CRC32;

/** Numbered messages of random length and content, each with a checksum, and their check. */
public final class UdpMessages {
    private static final int SEQUENCE = 0;
    private static final int CHECKSUM = 8;
    private static final int MIN_LENGTH = 16;

    private final Random random;
    private final int maxLength;
    private final byte[] bytes;
    private final UnsafeBuffer buffer;
    private final byte[] copy;
    private final UnsafeBuffer received;
    private final CRC32 crc = new CRC32();
    private int length;
    private long sent;
    private long next;

    public UdpMessages(long seed, int maxLength) {
        System.out.println("UdpMessages seed " + seed);
        this.random = new Random(seed);
        this.maxLength = maxLength;
        bytes = new byte[maxLength];
        buffer = new UnsafeBuffer(bytes);
        copy = new byte[maxLength];
        received = new UnsafeBuffer(copy);
        prepare();
    }

    private void prepare() {
        length = MIN_LENGTH + random.nextInt(maxLength - MIN_LENGTH + 1);
        random.nextBytes(bytes);
        buffer.putLong(SEQUENCE, sent);
        buffer.putInt(CHECKSUM, 0);
        buffer.putInt(CHECKSUM, checksum(bytes, length));
    }

    /** The message to offer. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Its length. */
    public int length() {
        return length;
    }

    /** Advances after the message was accepted. */
    public void onSent() {
        sent++;
        prepare();
    }

    long sent() {
        return sent;
    }

    public long received() {
        return next;
    }

    /**
     * Continues the checks at the next number that arrives, which must not precede checked ones.
     */
    void skipTo(long sequence) {
        next = sequence;
    }

    public void onMessage(DirectBuffer source, int offset, int size) {
        source.getBytes(offset, copy, 0, size);
        int expected = received.getInt(CHECKSUM);
        received.putInt(CHECKSUM, 0);
        Assertions.assertEquals(next, received.getLong(SEQUENCE), "sequence");
        Assertions.assertEquals(expected, checksum(copy, size), "checksum of " + next);
        next++;
    }

    /** Checks a message that may follow lost ones. */
    void onMessageWithGaps(DirectBuffer source, int offset, int size) {
        Assertions.assertTrue(source.getLong(offset + SEQUENCE) >= next, "order");
        next = source.getLong(offset + SEQUENCE);
        onMessage(source, offset, size);
    }

    private int checksum(byte[] data, int size) {
        crc.reset();
        crc.update(data, 0, size);
        return (int) crc.getValue();
    }
}
