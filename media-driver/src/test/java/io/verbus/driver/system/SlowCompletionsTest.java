// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Subscribers consume messages long before the publisher's device reports that it has sent them.
 * The device ends the process if a log changes before its completion was polled.
 */
@Tag("lab")
@Tag("strict")
@Timeout(120)
class SlowCompletionsTest {
    private static final int PORT = 24_392;
    private static final int LENGTH = 1000;
    private static final int MESSAGES = 4000;

    private long received;

    @AfterEach
    void endDelay() {
        StrictDevice.plan("");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neitherZeroesNorReusesLogThatDeviceReads(boolean isExclusive) {
        try (Host b = Host.b();
                Host a = Host.a()) {
            String channel = b.channel(PORT, "window=128k");
            Subscription in = b.connect().addSubscription(channel, 1);
            String sent = Host.overWire(b.channel(PORT, "term-length=64k"));
            Publication out =
                    isExclusive
                            ? a.connect().addExclusivePublication(sent, 1)
                            : a.connect().addPublication(sent, 1);
            Await.until("connected", () -> out.isConnected() && in.isConnected());
            StrictDevice.plan("completion:*:~10");
            UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
            long[] next = {0};
            Await.done(
                    "all messages",
                    () -> {
                        message.putLong(0, next[0]);
                        if (next[0] < MESSAGES && out.offer(message) > 0) {
                            next[0]++;
                        }
                        in.poll(
                                (buffer, offset, length, header) ->
                                        assertEquals(received++, buffer.getLong(offset)),
                                10);
                        return received == MESSAGES;
                    });
        }
    }
}
