// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Streams from host A to host B over a device: every offered message arrives, in order, complete.
 */
@Tag("lab")
@Timeout(300)
class StreamsLabTest {
    private static final int PORT = 24_325;
    private static final String SMALLEST_TERM = "term-length=64k";

    private final Host a = Host.a();
    private final Host b = Host.b();
    private final Bus publisher = a.connect();
    private final Bus subscriber = b.connect();

    @AfterEach
    void close() {
        try (b) {
            a.close();
        }
    }

    @Test
    void deliversMillionSmallMessages() throws Exception {
        Script script = Script.of(1, 32);
        String channel = b.channel(PORT);
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication out = publisher.addExclusivePublication(Host.overWire(channel), 1)) {
            tasks.start(() -> Reader.fromFirst(script).read(in, 1_000_000));
            tasks.start(() -> new Writer(out, script).write(1_000_000));
            tasks.join(240);
        }
    }

    @Tag("slow")
    @Test
    void deliversMessagesOfAllLengths() throws Exception {
        String channel = b.channel(PORT, "term-length=256k");
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication out = publisher.addExclusivePublication(Host.overWire(channel), 1)) {
            Script script = Script.upTo(2, out.maxMessageLength());
            tasks.start(() -> Reader.fromFirst(script).read(in, 100_000));
            tasks.start(() -> new Writer(out, script).write(100_000));
            tasks.join(240);
        }
    }

    @Test
    @Tag("slow")
    void deliversLongestMessageOfDefaultTerm() throws Exception {
        String channel = b.channel(PORT);
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication out = publisher.addPublication(Host.overWire(channel), 1)) {
            Script script = Script.of(3, out.maxMessageLength());
            tasks.start(() -> Reader.fromFirst(script).read(in, 20));
            tasks.start(() -> new Writer(out, script).write(20));
            tasks.join(240);
        }
    }

    @Test
    void carriesTwentyStreamsOverOneQueuePair() throws Exception {
        int streams = 20;
        int messages = 1_500;
        int queuePairsBefore = QueuePairs.count();
        List<Subscription> subscriptions = new ArrayList<>();
        List<Reader> readers = new ArrayList<>();
        List<Writer> writers = new ArrayList<>();
        for (int stream = 0; stream < streams; stream++) {
            String channel = b.channel(PORT, SMALLEST_TERM);
            Script script = Script.upTo(100 + stream, 4096);
            subscriptions.add(subscriber.addSubscription(Host.received(channel), stream));
            readers.add(Reader.fromFirst(script));
            writers.add(
                    new Writer(
                            publisher.addExclusivePublication(Host.overWire(channel), stream),
                            script));
        }
        try (Tasks tasks = new Tasks()) {
            tasks.start(
                    () -> {
                        boolean unfinished = true;
                        while (unfinished) {
                            unfinished = false;
                            for (Writer writer : writers) {
                                if (writer.next() < messages) {
                                    writer.offer();
                                    unfinished = true;
                                }
                            }
                            Thread.yield();
                        }
                    });
            tasks.start(
                    () -> {
                        while (readers.stream().anyMatch(reader -> reader.count() < messages)) {
                            for (int i = 0; i < streams; i++) {
                                subscriptions.get(i).poll(readers.get(i).fragments(), 64);
                            }
                            Thread.yield();
                        }
                    });
            Await.until(
                    "all streams under way",
                    () -> readers.stream().allMatch(reader -> reader.count() > 0));
            // One connection has an end at A and one at B, and both are on this machine.
            assertEquals(2, QueuePairs.count() - queuePairsBefore);
            tasks.join(240);
        }
    }

    @Test
    void wrapsSmallestLogManyTimes() throws Exception {
        String channel = b.channel(PORT, SMALLEST_TERM);
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication out = publisher.addPublication(Host.overWire(channel), 1)) {
            // Lengths that leave a remainder, mostly a different one, at each term's end.
            Script script = Script.upTo(4, out.maxMessageLength());
            Reader reader = Reader.fromFirst(script);
            Writer writer = new Writer(out, script);
            tasks.start(() -> reader.read(in, 20_000));
            tasks.start(() -> writer.write(20_000));
            tasks.join(240);
            long laps = out.position() / (3L * out.termLength());
            assertTrue(laps >= 10, () -> "the log has wrapped " + laps + " times only");
        }
    }

    @Test
    void appliesBackPressureWhileSubscriberSleeps() throws Exception {
        Script script = Script.upTo(5, 2048);
        String channel = b.channel(PORT, SMALLEST_TERM);
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication out = publisher.addPublication(Host.overWire(channel), 1)) {
            Writer writer = new Writer(out, script);
            fill(writer);
            long accepted = writer.next();
            assertTrue(accepted > 0);
            assertTrue(out.isConnected());

            Reader reader = Reader.fromFirst(script);
            tasks.start(() -> reader.read(in, accepted + 10_000));
            tasks.start(() -> writer.write(accepted + 10_000));
            tasks.join(240);
        }
    }

    /** Offers until back pressure has lasted for several status intervals of the receiver. */
    private static void fill(Writer writer) {
        long[] lastNs = {System.nanoTime()};
        Await.until(
                "lasting back pressure",
                () -> {
                    while (writer.offer() > 0) {
                        lastNs[0] = System.nanoTime();
                    }
                    return writer.backPressured() > 0
                            && System.nanoTime() - lastNs[0] > TimeUnit.MILLISECONDS.toNanos(500);
                });
    }

    @Test
    void defersPublisherUntilSubscriberArrives() {
        Script script = Script.of(6, 100);
        String channel = b.channel(PORT, SMALLEST_TERM);
        // Another stream's subscription keeps the endpoint open, so the offer is deferred.
        try (Subscription other = subscriber.addSubscription(Host.received(channel), 99);
                Publication out = publisher.addPublication(Host.overWire(channel), 1)) {
            Writer writer = new Writer(out, script);
            a.awaitCounter(": state", state -> state == 2);
            assertEquals(Publication.NOT_CONNECTED, writer.offer());
            assertFalse(out.isConnected());
            assertTrue(other.hasNoImages());

            try (Subscription in = subscriber.addSubscription(Host.received(channel), 1)) {
                Await.until("connection", out::isConnected);
                exchange(writer, Reader.fromFirst(script), in);
            }
            Await.until("the subscriber's end at the publisher", () -> !out.isConnected());

            // A later subscriber reads what is offered from then on.
            try (Subscription in = subscriber.addSubscription(Host.received(channel), 1)) {
                Await.until("connection", out::isConnected);
                exchange(writer, Reader.fromAny(script), in);
            }
        }
    }

    /** Some more messages, on one thread: no more at once than fit a window. */
    private static void exchange(Writer writer, Reader reader, Subscription in) {
        for (int i = 1; i <= 10; i++) {
            writer.write(writer.next() + 100);
            reader.read(in, 100 * i);
        }
    }

    @Test
    void connectsOnceDriverListens() {
        Script script = Script.of(7, 100);
        String channel = b.channel(PORT, SMALLEST_TERM);
        try (Publication out = publisher.addPublication(Host.overWire(channel), 1)) {
            a.awaitError("nothing listens at " + Host.addressB() + ":" + PORT);
            a.expectOfClients("nothing listens at " + Host.addressB() + ":" + PORT);
            Writer writer = new Writer(out, script);
            assertEquals(Publication.NOT_CONNECTED, writer.offer());
            try (Subscription in = subscriber.addSubscription(Host.received(channel), 1)) {
                exchange(writer, Reader.fromFirst(script), in);
            }
        }
    }

    @Test
    void endsStreamAfterLastMessage() throws Exception {
        Script script = Script.upTo(8, 4096);
        String channel = b.channel(PORT, SMALLEST_TERM);
        List<Image> ended = new CopyOnWriteArrayList<>();
        try (Subscription in =
                        subscriber.addSubscription(
                                Host.received(channel), 1, image -> {}, ended::add);
                Tasks tasks = new Tasks()) {
            Reader reader = Reader.fromFirst(script);
            long[] position = new long[1];
            tasks.start(
                    () -> {
                        try (Publication out =
                                publisher.addPublication(Host.overWire(channel), 1)) {
                            new Writer(out, script).write(5_000);
                            position[0] = out.position();
                        }
                    });
            Await.until("an image", () -> in.imageCount() == 1);
            Image[] image = new Image[1];
            in.forEachImage(only -> image[0] = only);
            reader.poll(in, "end of stream", image[0]::isEndOfStream);
            assertEquals(5_000, reader.count());
            tasks.join(60);
            Await.until("the image to leave", () -> !ended.isEmpty());
            assertEquals(List.of(image[0]), ended);
            assertEquals(position[0], image[0].position());
            assertTrue(image[0].isEndOfStream());
            assertTrue(in.hasNoImages());
        }
    }

    @Test
    void deliversStreamToEachSubscription() throws Exception {
        Script script = Script.upTo(9, 2048);
        String channel = b.channel(PORT, SMALLEST_TERM);
        Bus other = b.connect();
        try (Tasks tasks = new Tasks();
                Subscription first = subscriber.addSubscription(Host.received(channel), 1);
                Subscription second = subscriber.addSubscription(Host.received(channel), 1);
                Subscription third = other.addSubscription(Host.received(channel), 1);
                Publication out = publisher.addPublication(Host.overWire(channel), 1)) {
            for (Subscription in : List.of(first, second, third)) {
                Reader reader = Reader.fromFirst(script);
                tasks.start(() -> reader.read(in, 10_000));
            }
            tasks.start(() -> new Writer(out, script).write(10_000));
            tasks.join(240);
        }
    }

    @Test
    void sharesSessionBetweenPublishersOfTwoClients() throws Exception {
        int messages = 20_000;
        String channel = b.channel(PORT, SMALLEST_TERM);
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication one = publisher.addPublication(Host.overWire(channel), 1);
                Publication two = a.connect().addPublication(Host.overWire(channel), 1)) {
            assertEquals(one.sessionId(), two.sessionId());
            // The highest bit of the message's number tells which publisher sent it.
            Script script = Script.upTo(10, 500);
            tasks.start(() -> Interleaved.write(one, script, 0, messages));
            tasks.start(() -> Interleaved.write(two, script, Interleaved.SECOND, messages));
            Interleaved.read(in, script, messages);
            tasks.join(60);
        }
    }

    @Test
    void separatesExclusivePublicationsOfOneStream() throws Exception {
        Script script = Script.upTo(11, 1000);
        String channel = b.channel(PORT, SMALLEST_TERM);
        try (Tasks tasks = new Tasks();
                Subscription in = subscriber.addSubscription(Host.received(channel), 1);
                Publication one = publisher.addExclusivePublication(Host.overWire(channel), 1);
                Publication two = publisher.addExclusivePublication(Host.overWire(channel), 1)) {
            tasks.start(() -> new Writer(one, script).write(5_000));
            tasks.start(() -> new Writer(two, script).write(5_000));
            Await.until("two images", () -> in.imageCount() == 2);
            for (Publication out : List.of(one, two)) {
                Image image = in.imageBySessionId(out.sessionId());
                Reader reader = Reader.fromFirst(script);
                tasks.start(
                        () -> {
                            while (reader.count() < 5_000) {
                                if (image.poll(reader.fragments(), 64) == 0) {
                                    Thread.yield();
                                }
                            }
                        });
            }
            tasks.join(240);
        }
    }
}
