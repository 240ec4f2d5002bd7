// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.Header;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/**
 * Many streams to one peer, and many peers: each message is verified, and queue pairs are counted.
 */
@Tag("lab")
@Timeout(540)
@Tag("slow")
class ScaleLabTest {
    private static final int PORT = 24_400;
    private static final int STREAM_IDS = 10;
    private static final int SESSIONS = 100;
    private static final int PEERS = 50;
    private static final int MESSAGES = 20;
    private static final String SMALLEST_TERM = "term-length=64k";

    private final Script script = Script.upTo(5, 500);

    /** Verifies the sessions of one subscription, each from its first message. */
    private final class Readers implements FragmentHandler {
        private final Int2ObjectHashMap<Reader> bySession = new Int2ObjectHashMap<>();
        private long count;

        @Override
        public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
            Reader reader = bySession.get(header.sessionId());
            if (reader == null) {
                reader = Reader.fromFirst(script);
                bySession.put(header.sessionId(), reader);
            }
            reader.onFragment(buffer, offset, length, header);
            count++;
        }
    }

    @Test
    @Tag("soak")
    void carriesThousandStreamsOverOneQueuePair() {
        int queuePairs = QueuePairs.count();
        try (Host b = Host.b();
                Host a = Host.a()) {
            String channel = b.channel(PORT, SMALLEST_TERM);
            Bus subscriber = b.connect();
            Bus publisher = a.connect();
            List<Subscription> in = new ArrayList<>();
            List<Readers> readers = new ArrayList<>();
            List<Writer> writers = new ArrayList<>();
            for (int stream = 0; stream < STREAM_IDS; stream++) {
                in.add(subscriber.addSubscription(Host.received(channel), stream));
                readers.add(new Readers());
                for (int session = 0; session < SESSIONS; session++) {
                    writers.add(
                            new Writer(
                                    publisher.addExclusivePublication(
                                            Host.overWire(channel), stream),
                                    script));
                }
            }
            for (int message = 1; message <= MESSAGES; message++) {
                for (Writer writer : writers) {
                    writer.write(message);
                }
                long expected = (long) message * SESSIONS;
                for (int i = 0; i < STREAM_IDS; i++) {
                    Subscription each = in.get(i);
                    Readers reader = readers.get(i);
                    Await.until(
                            () -> expected + " messages of " + each + ", not " + reader.count,
                            120,
                            () -> {
                                while (each.poll(reader, 100) > 0) {
                                    continue;
                                }
                                return reader.count >= expected;
                            });
                    assertEquals(SESSIONS, reader.bySession.size());
                }
            }
            assertEquals(2, QueuePairs.count() - queuePairs, "one at each end");
            assertEquals(
                    List.of(1L),
                    a.counters(
                            "rdma to "
                                    + Host.addressB()
                                    + ":"
                                    + PORT
                                    + " from "
                                    + Host.addressA()
                                    + ": connects"));
            // Ending a thousand streams takes an emulated machine longer than the timeout of Host.
            publisher.close();
            Await.until(
                    "the end of all streams, and of their connection",
                    240,
                    () -> QueuePairs.count() == queuePairs);
        }
    }

    @Test
    void carriesStreamsOfFiftyConnections() {
        int queuePairs = QueuePairs.count();
        try (Host b = Host.b();
                Host a = Host.a()) {
            Bus subscriber = b.connect();
            Bus publisher = a.connect();
            List<Subscription> in = new ArrayList<>();
            List<Writer> writers = new ArrayList<>();
            for (int peer = 0; peer < PEERS; peer++) {
                String channel = b.channel(PORT + 1 + peer, SMALLEST_TERM);
                in.add(subscriber.addSubscription(Host.received(channel), 1));
                Publication out = publisher.addExclusivePublication(Host.overWire(channel), 1);
                writers.add(new Writer(out, script));
            }
            for (int peer = 0; peer < PEERS; peer++) {
                writers.get(peer).write(MESSAGES);
            }
            for (int peer = 0; peer < PEERS; peer++) {
                Reader.fromFirst(script).read(in.get(peer), MESSAGES);
            }
            assertEquals(2 * PEERS, QueuePairs.count() - queuePairs, "one at each end");
        }
    }
}
