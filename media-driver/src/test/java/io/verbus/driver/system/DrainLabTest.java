// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Drivers that drain before they close, over real devices: each accepted message is read once. */
@Tag("lab")
@Timeout(180)
class DrainLabTest {
    private static final int PORT = 24_361;
    private static final int STREAM = 1;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private static int drain(Host host) throws InterruptedException {
        return host.driver().drain(LIMIT_NS, new CountDownLatch(1));
    }

    @Test
    void replacesDriverOfSubscriberUnderTraffic() throws Exception {
        Script script = Script.upTo(20, 1000);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong accepted = new AtomicLong();
        try (Host a = Host.a();
                Tasks tasks = new Tasks()) {
            a.expectLoss();
            a.expect("has shut down");
            a.expectOfClients("has shut down");
            a.expectOfClients("nobody");
            Publication out =
                    a.connect()
                            .addPublication(
                                    Host.overWire(
                                            "verbus:rdma?endpoint="
                                                    + Host.addressB()
                                                    + ":"
                                                    + PORT
                                                    + "|term-length=64k"),
                                    STREAM);
            Writer writer = new Writer(out, script);
            long[] next = new long[1];
            for (int life = 0; life < 2; life++) {
                boolean isLast = life == 1;
                try (Host b = Host.b();
                        Tasks reading = new Tasks()) {
                    Bus subscriber = b.connect();
                    Subscription in =
                            subscriber.addSubscription(Host.received(b.channel(PORT)), STREAM);
                    Reader reader = Reader.from(script, next[0]);
                    AtomicBoolean isRead = new AtomicBoolean();
                    reading.start(() -> reader.poll(in, "the end", isRead::get));
                    if (life == 0) {
                        tasks.start(
                                () -> {
                                    while (!isOver.get()) {
                                        if (writer.offer() > 0) {
                                            accepted.incrementAndGet();
                                        }
                                    }
                                });
                    }
                    reading.await("messages", () -> reader.count() > 200);
                    if (isLast) {
                        isOver.set(true);
                        tasks.join(60);
                        reading.await(
                                "all that was accepted",
                                () -> next[0] + reader.count() == accepted.get());
                    } else {
                        assertEquals(0, drain(b));
                    }
                    isRead.set(true);
                    reading.join(60);
                    next[0] += reader.count();
                }
            }
            assertEquals(accepted.get(), next[0]);
        }
    }

    @Test
    void endsStreamsAfterLastAcceptedMessage() throws Exception {
        Script script = Script.upTo(20, 1000);
        try (Host b = Host.b()) {
            Subscription in = b.connect().addSubscription(Host.received(b.channel(PORT)), STREAM);
            try (Host a = Host.a()) {
                Publication out =
                        a.connect()
                                .addPublication(
                                        Host.overWire(b.channel(PORT, "term-length=64k")), STREAM);
                AtomicLong accepted = new AtomicLong();
                AtomicBoolean isHeld = new AtomicBoolean();
                Reader reader = Reader.fromFirst(script);
                AtomicBoolean isRead = new AtomicBoolean();
                try (Tasks tasks = new Tasks()) {
                    tasks.start(() -> reader.poll(in, "the end", isRead::get));
                    Writer writer = new Writer(out, script);
                    tasks.start(
                            () -> {
                                while (!isHeld.get()) {
                                    if (writer.offer() > 0) {
                                        accepted.incrementAndGet();
                                    }
                                }
                            });
                    tasks.await("messages", () -> reader.count() > 200);
                    assertEquals(0, drain(a));
                    isHeld.set(true);
                    tasks.await("all that was accepted", () -> reader.count() == accepted.get());
                    isRead.set(true);
                    tasks.join(60);
                }
            }
            Await.until("the image has ended", in::hasNoImages);
        }
    }
}
