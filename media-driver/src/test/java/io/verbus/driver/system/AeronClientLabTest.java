// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.verbus.Bus;
import io.verbus.driver.Await;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Aeron's client, unmodified, publishes and subscribes over RDMA, also with a bus at the peer. */
@Tag("lab")
@Timeout(120)
class AeronClientLabTest {
    private static final int PORT = 24_347;
    private static final int STREAM = 10;
    private static final int MESSAGES = 2_000;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    private Aeron connect(Host host) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(host.directory().toString())
                        .errorHandler(errors::add));
    }

    private static String aeron(String channel) {
        return channel.replace("verbus:", "aeron:");
    }

    private static int length(long number) {
        return number % 10 == 0 ? 5_000 : 16 + (int) (number % 900);
    }

    private static UnsafeBuffer message(long number) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[length(number)]);
        buffer.putLong(0, number);
        return buffer;
    }

    /** Many times round a log of short terms, which an exclusive publication of Aeron's soils. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exchangesMessagesAndSeesTheEnd(boolean isExclusive) {
        try (Host b = Host.b();
                Host a = Host.a();
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String channel = aeron(b.channel(PORT));
            String published = Host.overWire(channel + "|term-length=64k|mtu=1408");
            Subscription subscription = in.addSubscription(channel, STREAM);
            MutableLong next = new MutableLong();
            FragmentAssembler handler =
                    new FragmentAssembler(
                            (buffer, offset, length, header) -> {
                                assertEquals(next.value, buffer.getLong(offset));
                                assertEquals(length(next.value), length);
                                next.value++;
                            });
            Image image;
            try (Publication publication =
                    isExclusive
                            ? out.addExclusivePublication(published, STREAM)
                            : out.addPublication(published, STREAM)) {
                Await.until("connected", publication::isConnected);
                Await.until("an image", () -> subscription.imageCount() == 1);
                image = subscription.imageAtIndex(0);
                long sent = 0;
                while (next.value < MESSAGES) {
                    if (sent < MESSAGES && publication.offer(message(sent)) > 0) {
                        sent++;
                    }
                    subscription.poll(handler, 10);
                }
            }
            Await.until("its end", image::isEndOfStream);
        }
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exchangesMessagesWithABus(boolean isBusTheSender) {
        try (Host b = Host.b();
                Host a = Host.a()) {
            String channel = b.channel(PORT);
            String published = Host.overWire(channel + "|term-length=64k");
            MutableLong next = new MutableLong();
            if (isBusTheSender) {
                try (Aeron in = connect(b)) {
                    Subscription subscription = in.addSubscription(aeron(channel), STREAM);
                    Bus bus = a.connect();
                    var publication = bus.addExclusivePublication(published, STREAM);
                    FragmentAssembler handler =
                            new FragmentAssembler(
                                    (buffer, offset, length, header) ->
                                            assertEquals(next.value++, buffer.getLong(offset)));
                    long sent = 0;
                    while (next.value < MESSAGES) {
                        if (sent < MESSAGES && publication.offer(message(sent)) > 0) {
                            sent++;
                        }
                        subscription.poll(handler, 10);
                    }
                }
            } else {
                try (Aeron out = connect(a)) {
                    var subscription = b.connect().addSubscription(channel, STREAM);
                    var publication = out.addPublication(aeron(published), STREAM);
                    var handler =
                            new io.verbus.FragmentAssembler(
                                    (buffer, offset, length, header) ->
                                            assertEquals(next.value++, buffer.getLong(offset)));
                    long sent = 0;
                    while (next.value < MESSAGES) {
                        if (sent < MESSAGES && publication.offer(message(sent)) > 0) {
                            sent++;
                        }
                        subscription.poll(handler, 10);
                    }
                }
            }
        }
        assertEquals(List.of(), errors);
    }
}
