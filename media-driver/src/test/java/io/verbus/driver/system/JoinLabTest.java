// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicBoolean;

/** Subscribers that join and leave a live image, while existing ones grant credit. */
@Tag("lab")
@Tag("slow")
@Timeout(300)
class JoinLabTest {
    private static final int PORT = 24_337;
    private static final int JOINS = 300;
    private static final int MESSAGES_EACH = 100;

    @Test
    void readsEverythingAfterJoinAndDisconnectsWithLastSubscriber() throws Exception {
        Script script = Script.of(80, 1024);
        AtomicBoolean isOver = new AtomicBoolean();
        try (Host b = Host.b();
                Host a = Host.a();
                Tasks tasks = new Tasks()) {
            Bus subscriber = b.connect();
            String subscribed = b.channel(PORT, "window=128k");
            Subscription permanent = subscriber.addSubscription(subscribed, 1);
            Publication out =
                    a.connect()
                            .addExclusivePublication(
                                    Host.overWire(b.channel(PORT, "term-length=64k")), 1);
            Reader first = Reader.fromFirst(script);
            Writer writer = new Writer(out, script);
            tasks.start(() -> first.poll(permanent, "the end of the test", isOver::get));
            tasks.start(
                    () -> {
                        while (!isOver.get()) {
                            writer.offer();
                        }
                    });
            for (int i = 0; i < JOINS; i++) {
                try (Subscription late = subscriber.addSubscription(subscribed, 1)) {
                    Reader reader = Reader.fromAny(script);
                    reader.poll(late, "a window", () -> reader.count() > MESSAGES_EACH);
                }
            }
            isOver.set(true);
            tasks.join(120);
            assertTrue(first.count() > JOINS, first.count() + " messages");

            permanent.close();
            UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);
            Await.until("nobody is connected", () -> !out.isConnected());
            assertEquals(Publication.NOT_CONNECTED, out.offer(message, 0, 1024));
        }
    }
}
