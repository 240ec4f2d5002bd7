// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Aeron;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/**
 * One stream of numbered messages sent by several publications, with each frame at the same
 * position, and the numbers that a subscription has read.
 */
public final class SourcedStream {
    public static final int STREAM = 10;
    public static final String MANUAL = "aeron:udp?control-mode=manual";
    private static final int SESSION = 77;
    private static final int TERM = 64 * 1024;

    public final List<Long> received = new ArrayList<>();
    public long written;

    private final Aeron aeron;
    private final int sessionId;

    /**
     * @param aeron with which sources are published, unless it is said otherwise.
     */
    public SourcedStream(Aeron aeron) {
        this(aeron, SESSION);
    }

    /**
     * @param aeron with which sources are published, unless it is said otherwise.
     * @param sessionId of all sources.
     */
    public SourcedStream(Aeron aeron, int sessionId) {
        this.aeron = aeron;
        this.sessionId = sessionId;
    }

    /** A publication of the session that starts at a position. */
    public ExclusivePublication source(String destination, long position) {
        return source(aeron, destination, position);
    }

    /** A publication of the session by another client, starting at a position. */
    public ExclusivePublication source(Aeron client, String destination, long position) {
        return client.addExclusivePublication(
                new ChannelUriStringBuilder(destination)
                        .sessionId(sessionId)
                        .linger(0L)
                        .initialPosition(position, 5, TERM)
                        .build(),
                STREAM);
    }

    public static UnsafeBuffer message(long number) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[40 + (int) (number * 131 % 1200)]);
        buffer.putLong(0, number);
        return buffer;
    }

    /** Writes the same frames to each source. */
    public void write(int count, Subscription subscription, ExclusivePublication... sources) {
        for (int i = 0; i < count; i++, written++) {
            UnsafeBuffer message = message(written);
            for (ExclusivePublication each : sources) {
                Await.until(
                        "offered",
                        () -> {
                            read(subscription);
                            return each.offer(message) > 0;
                        });
            }
        }
    }

    public void read(Subscription subscription) {
        subscription.poll(
                (buffer, at, length, header) -> {
                    long number = buffer.getLong(at);
                    assertEquals(message(number).capacity(), length);
                    received.add(number);
                },
                10);
    }

    /** Reads everything written; each message must arrive once, in order. */
    public void readAll(Subscription subscription) {
        Await.until(
                "all read",
                () -> {
                    read(subscription);
                    return received.size() >= written;
                });
        for (int i = 0; i < received.size(); i++) {
            assertEquals(i, received.get(i));
        }
        assertEquals(written, received.size());
    }
}
