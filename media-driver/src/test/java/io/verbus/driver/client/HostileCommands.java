// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Writes random commands: of random types and bytes, of known types with random bytes, well-formed
 * ones, and those with a few fields changed, cut or lengthened; and claims that are aborted. They
 * are of a few client ids that nobody uses, and of some others. Honest clients are spared, those to
 * come too, whose ids the driver counts up from 0: whoever may write commands may end them.
 */
final class HostileCommands {
    private static final int MAX_TYPE = 0x12;
    private static final int CLIENTS = 16;
    private static final int REGISTRATIONS = 64;
    private static final long BASE = 1L << 40;

    /** One well-formed add in so many: each makes a log. */
    private static final int RARE = 100;

    private static final int ADD_PUBLICATION = 1;
    private static final int REMOVE_PUBLICATION = 2;
    private static final int ADD_EXCLUSIVE_PUBLICATION = 3;
    private static final int ADD_SUBSCRIPTION = 4;
    private static final int CLIENT_CLOSE = 11;
    private static final int ADD_COUNTER = 9;
    private static final int TERMINATE = 14;
    private static final int ADD_STATIC_COUNTER = 15;
    private static final int REJECT_IMAGE = 16;
    private static final int REMOVE_DESTINATION_BY_ID = 17;
    private static final int NEXT_SESSION_ID = 18;

    private static final String[] CHANNELS = {
        "aeron:ipc",
        "aeron:ipc?term-length=64k",
        "aeron:ipc?term-length=64k|session-id=7|alias=x",
        "aeron:ipc?term-length=99",
        "aeron:ipc?mtu=-1|sparse=maybe|linger=9999999999999999s",
        "verbus:ipc?unknown=1",
        "aeron:udp?endpoint=127.0.0.1:23471",
        "aeron:udp?endpoint=127.0.0.1:23472|interface=127.0.0.1",
        "aeron:udp?control-mode=manual",
        "aeron:udp?endpoint=127.0.0.1:99999",
        "aeron:rdma?endpoint=127.0.0.1:1",
        "aeron-spy:aeron:udp?endpoint=127.0.0.1:23471",
        "aeron-spy:",
        "aeron:",
        "",
        "\0\n|=?|\u007f",
    };

    private final Random random;
    private final ManyToOneRingBuffer ring;
    private final UnsafeBuffer message;
    private final byte[] bytes;
    private final long[] registrations = new long[REGISTRATIONS];
    private int typeId;
    private int length;

    HostileCommands(Random random, ManyToOneRingBuffer ring) {
        this.random = random;
        this.ring = ring;
        bytes = new byte[ring.maxMsgLength()];
        message = new UnsafeBuffer(bytes);
        for (int i = 0; i < REGISTRATIONS; i++) {
            registrations[i] = ring.nextCorrelationId();
        }
    }

    /** Writes one command, or claims and aborts one; waits while there is no room for it. */
    void write() {
        int kind = random.nextInt(10);
        if (kind == 0) {
            int claimed = 1 + random.nextInt(500);
            int index;
            while ((index = ring.tryClaim(1 + random.nextInt(50), claimed)) < 0) {
                Thread.yield();
            }
            ring.buffer().putInt(index, random.nextInt());
            ring.abort(index);
            return;
        }
        if (kind <= 2) {
            typeId = kind == 1 ? 1 + random.nextInt(Integer.MAX_VALUE) : 1 + random.nextInt(30);
            fillAtRandom();
        } else if (kind <= 4) {
            typeId = 1 + random.nextInt(MAX_TYPE);
            fillAtRandom();
            guessLengths();
        } else {
            wellFormed();
            if (kind >= 7) {
                spoil();
            }
        }
        spare();
        while (!ring.write(typeId, message, 0, length)) {
            Thread.yield();
        }
    }

    private void fillAtRandom() {
        int most = random.nextInt(500) == 0 ? bytes.length : 200;
        length = random.nextInt(most + 1);
        for (int i = 0; i < length; i += Long.BYTES) {
            long value = random.nextLong();
            for (int j = i; j < Math.min(i + Long.BYTES, length); j++, value >>= 8) {
                bytes[j] = (byte) value;
            }
        }
    }

    /** Lengths of texts that fit, or nearly, wherever a message has them. */
    private void guessLengths() {
        for (int at = 16; at <= 32 && at + 4 <= length; at += 4) {
            if (random.nextBoolean()) {
                message.putInt(at, random.nextInt(length + 8) - 4);
            }
        }
    }

    private long client() {
        return BASE + random.nextInt(CLIENTS);
    }

    private long registration() {
        return registrations[random.nextInt(REGISTRATIONS)];
    }

    private void wellFormed() {
        do {
            typeId = 1 + random.nextInt(MAX_TYPE);
        } while (isCostly() && random.nextInt(RARE) != 0);
        message.putLong(0, client());
        message.putLong(8, registration());
        switch (typeId) {
            case ADD_PUBLICATION, ADD_EXCLUSIVE_PUBLICATION -> {
                message.putInt(16, random.nextInt(8));
                length = text(20, channel());
            }
            case ADD_SUBSCRIPTION -> {
                message.putLong(16, -1);
                message.putInt(24, random.nextInt(8));
                length = text(28, channel());
            }
            case REMOVE_PUBLICATION -> {
                message.putLong(16, registration());
                message.putLong(24, random.nextInt(3));
                length = random.nextBoolean() ? 24 : 32;
            }
            case ADD_COUNTER -> {
                message.putInt(16, random.nextInt(2000));
                length = keyAndLabel(20);
            }
            case ADD_STATIC_COUNTER -> {
                message.putInt(16, 1000);
                message.putLong(20, random.nextInt(8));
                length = keyAndLabel(28);
            }
            case TERMINATE -> length = text(16, "please");
            case REJECT_IMAGE -> {
                message.putLong(16, registration());
                message.putLong(24, random.nextLong());
                length = text(32, "reason");
            }
            case REMOVE_DESTINATION_BY_ID -> {
                message.putLong(16, registration());
                message.putLong(24, registration());
                length = 32;
            }
            case NEXT_SESSION_ID -> {
                message.putInt(16, random.nextInt());
                length = 20;
            }
            case 5, 10 -> { // removals of a subscription, a counter
                message.putLong(16, registration());
                length = 24;
            }
            case 6, CLIENT_CLOSE -> length = 16;
            default -> { // destinations
                message.putLong(16, registration());
                length = text(24, channel());
            }
        }
    }

    /** What makes a log, a counter that stays, or ends all that a client has. */
    private boolean isCostly() {
        return typeId == ADD_EXCLUSIVE_PUBLICATION
                || typeId == ADD_PUBLICATION
                || typeId == ADD_STATIC_COUNTER
                || typeId == CLIENT_CLOSE;
    }

    private String channel() {
        return CHANNELS[random.nextInt(CHANNELS.length)];
    }

    private int text(int at, String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        message.putInt(at, ascii.length);
        message.putBytes(at + 4, ascii);
        return at + 4 + ascii.length;
    }

    private int keyAndLabel(int at) {
        int key = random.nextInt(20) == 0 ? random.nextInt(300) : random.nextInt(113);
        message.putInt(at, key);
        int label = (at + 4 + key + 3) & ~3;
        return text(label, "label".repeat(random.nextInt(20) == 0 ? 100 : random.nextInt(70)));
    }

    /** Changes a few fields, or the length. */
    private void spoil() {
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(Math.max(1, Math.min(length, 40) / 4)) * 4;
            switch (random.nextInt(6)) {
                case 0 -> message.putInt(at, random.nextInt());
                case 1 -> message.putInt(at, message.getInt(at) ^ 1 << random.nextInt(32));
                case 2 -> message.putInt(at, random.nextInt(3) - 1);
                case 3 -> length = random.nextInt(length + 1);
                case 4 -> length = Math.min(bytes.length, length + random.nextInt(64));
                default -> message.putLong(0, random.nextLong() | BASE); // used once
            }
        }
    }

    /** Whoever knows them could end the honest client, its image, its publication. */
    private void spare() {
        long client = message.getLong(0);
        if (length >= 8 && client >= 0 && client < BASE) {
            message.putLong(0, client | BASE);
        }
        if (typeId == REJECT_IMAGE && length >= 24) {
            message.putLong(16, message.getLong(16) | BASE);
        }
    }
}
