// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.archive.client.AeronArchive;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;

/** Numbered messages of equal length, so that a position gives the number of preceding messages. */
final class Recorded {
    /** Of a message. */
    static final int LENGTH = 480;

    /** Of its frame. */
    static final int FRAME = 512;

    private static final int REPLAY_STREAM = 2_000;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);

    /** Offers a message once. */
    boolean offer(Publication publication, long number) {
        message.putLong(0, number);
        message.putLong(LENGTH - Long.BYTES, ~number);
        return publication.offer(message, 0, LENGTH) > 0;
    }

    /** Offers messages, each until it is accepted. */
    void publish(Publication publication, long first, long end) {
        for (long i = first; i < end; i++) {
            long number = i;
            Await.done("message " + number + " is taken", () -> offer(publication, number));
        }
    }

    /** Waits for the position of a recording. */
    static void await(AeronArchive archive, long recordingId, long position) {
        Await.until(
                () -> "position " + archive.getMaxRecordedPosition(recordingId),
                60,
                () -> archive.getMaxRecordedPosition(recordingId) >= position);
    }

    /** Replays a recording from its start, and verifies each message of it. */
    static void verify(AeronArchive archive, long recordingId, long end, String channel) {
        long[] next = new long[1];
        try (Subscription replay = archive.replay(recordingId, 0, end, channel, REPLAY_STREAM)) {
            Await.until("the replay begins", replay::isConnected);
            Image image = replay.imageAtIndex(0);
            Await.until(
                    () -> "the replay ends, at message " + next[0],
                    60,
                    () -> {
                        image.poll(
                                (buffer, offset, length, header) -> {
                                    assertEquals(LENGTH, length);
                                    assertEquals(next[0], buffer.getLong(offset));
                                    assertEquals(
                                            ~next[0]++,
                                            buffer.getLong(offset + LENGTH - Long.BYTES));
                                },
                                64);
                        return image.isEndOfStream() || next[0] * FRAME >= end;
                    });
        }
        assertEquals(end / FRAME, next[0], "messages");
    }
}
