// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** An untethered subscriber over RDMA is detached and rejoins. */
@Tag("lab")
@Timeout(120)
class UntetheredSubscriberLabTest {
    private static final int PORT = 24_351;
    private static final int LENGTH = 1000;

    private final List<Image> available = new CopyOnWriteArrayList<>();
    private final List<Image> unavailable = new CopyOnWriteArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private long next;
    private long read;
    private long lazyRead;

    /** Publishes as much as fits up to the given number of messages. */
    private void publish(Publication publication, long end) {
        for (; next < end; next++) {
            message.putLong(0, next);
            if (publication.offer(message, 0, LENGTH) <= 0) {
                return;
            }
        }
    }

    private void read(Subscription subscription) {
        FragmentHandler expected =
                (buffer, offset, length, header) -> assertEquals(read++, buffer.getLong(offset));
        subscription.poll(expected, Integer.MAX_VALUE);
    }

    private void readLazy(Subscription subscription) {
        FragmentHandler consecutive =
                (buffer, offset, length, header) -> {
                    long number = buffer.getLong(offset);
                    assertTrue(lazyRead < 0 || number == lazyRead + 1, "missed some");
                    lazyRead = number;
                };
        subscription.poll(consecutive, Integer.MAX_VALUE);
    }

    @Test
    void detachesAndRejoinsSlowSubscriberWhileOtherLosesNothing() {
        try (Host b =
                        Host.start(
                                Host.addressB(),
                                builder ->
                                        builder.untetheredWindowLimitNs(ns(300))
                                                .untetheredLingerNs(ns(100))
                                                .untetheredRestingNs(ns(500)));
                Host a = Host.a()) {
            Bus in = b.connect();
            String channel = b.channel(PORT, "window=64k");
            Subscription reader = in.addSubscription(channel, 1);
            Subscription lazy =
                    in.addSubscription(
                            channel + "|tether=false", 1, available::add, unavailable::add);
            Publication out =
                    a.connect()
                            .addExclusivePublication(
                                    Host.overWire(b.channel(PORT, "term-length=64k")), 1);
            Await.until(
                    "connected",
                    () -> out.isConnected() && reader.isConnected() && lazy.isConnected());
            Await.done(
                    "let go",
                    () -> {
                        publish(out, Long.MAX_VALUE);
                        read(reader);
                        return !unavailable.isEmpty();
                    });
            long atLetGo = next;
            Await.done(
                    "back",
                    () -> {
                        publish(out, Long.MAX_VALUE);
                        read(reader);
                        return available.size() == 2;
                    });
            assertTrue(next > atLetGo + 2 * 64, "two windows more: " + (next - atLetGo));
            assertEquals(available.get(0).imageId(), available.get(1).imageId());
            long end = next + 300;
            lazyRead = -1;
            Await.done(
                    "both read",
                    () -> {
                        publish(out, end);
                        read(reader);
                        readLazy(lazy);
                        return read == end && lazyRead == end - 1;
                    });
            assertEquals(1, unavailable.size());
        }
    }

    private static long ns(long milliseconds) {
        return TimeUnit.MILLISECONDS.toNanos(milliseconds);
    }
}
