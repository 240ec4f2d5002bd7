// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Counter;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.channel.ChannelStatus;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A bus sends Aeron's driver the same commands as Aeron's client, and the driver answers
 * accordingly.
 */
@Timeout(120)
class BusOnAeronsDriverTest {
    private static final String IPC = "aeron:ipc?term-length=64k";
    private static final int STREAM = 10;
    private static final int TYPE = 1234;

    @TempDir Path directory;

    private final List<Throwable> clientErrors = new CopyOnWriteArrayList<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private AeronPeer peer;
    private Aeron aeron;
    private Bus bus;

    @BeforeEach
    void launch() {
        peer = new AeronPeer(directory.resolve("driver"));
        aeron = peer.client();
        bus =
                Bus.connect(
                        new BusContext()
                                .directoryName(directory.resolve("driver").toString())
                                .clientName("guest")
                                .availableCounterHandler((all, id, counter) -> told.add("+" + id))
                                .unavailableCounterHandler((all, id, counter) -> told.add("-" + id))
                                .publicationErrorHandler(
                                        (publication, code, message) -> told.add(message))
                                .errorHandler(clientErrors::add));
    }

    @AfterEach
    void close() {
        bus.close();
        peer.close();
        assertEquals(List.of(), clientErrors);
        assertEquals(List.of(), peer.errors());
    }

    @Test
    void addsAndFreesCounters() {
        UnsafeBuffer key = new UnsafeBuffer("key".getBytes());
        UnsafeBuffer label = new UnsafeBuffer("label".getBytes());
        Counter counter = bus.addCounter(TYPE, key, 0, 3, label, 0, 5);
        assertEquals("label", aeron.countersReader().getCounterLabel(counter.id()));
        Await.until("told", () -> told.contains("+" + counter.registrationId()));
        counter.close();
        Await.until("gone", () -> told.contains("-" + counter.registrationId()));
        Counter ours = bus.addStaticCounter(TYPE, "static", 5);
        assertEquals(aeron.addStaticCounter(TYPE, "static", 5).id(), ours.id());
        long id = bus.async().addCounter(TYPE, "later");
        Await.until("there", () -> bus.async().getCounter(id) != null);
        assertThrows(RegistrationException.class, () -> bus.addStaticCounter(TYPE, "static", id));
    }

    /** Readers of one format can read the other. */
    @Test
    void labelsClientInAeronFormat() {
        aeron.addCounter(TYPE, "theirs");
        bus.addCounter(TYPE, "ours");
        Map<Long, String> labels = new HashMap<>();
        Await.until(
                "both named",
                () -> {
                    bus.counters()
                            .forEach(
                                    (id, type, key, label) -> {
                                        if (type == CounterTypes.CLIENT_HEARTBEAT
                                                && label.contains("name=")) {
                                            labels.put(key.getLong(0), label);
                                        }
                                    });
                    return labels.size() == 2;
                });
        String form = "client-heartbeat: id=%d name=%s version=\\S+ commit=\\S+";
        String theirs = labels.get(aeron.clientId());
        String ours = labels.get(bus.clientId());
        String theirName = aeron.context().clientName();
        assertTrue(theirs.matches(form.formatted(aeron.clientId(), theirName)), theirs);
        String pid = " pid=" + ProcessHandle.current().pid();
        assertTrue(ours.matches(form.formatted(bus.clientId(), "guest") + pid), ours);
    }

    @Test
    void addsPublicationsAndSubscriptionsAsynchronously() {
        long subscriptionId = bus.async().addSubscription(IPC, STREAM);
        long publicationId = bus.async().addExclusivePublication(IPC, STREAM);
        long removed = bus.async().addPublication(IPC, STREAM + 1);
        bus.async().removePublication(removed);
        Await.until("subscription", () -> bus.async().getSubscription(subscriptionId) != null);
        Await.until(
                "publication", () -> bus.async().getExclusivePublication(publicationId) != null);
        ExclusivePublication publication = bus.async().getExclusivePublication(publicationId);
        Subscription subscription = bus.async().getSubscription(subscriptionId);
        Await.until("connected", publication::isConnected);
        Await.until("image", () -> subscription.imageCount() == 1);
        assertEquals(ChannelStatus.ACTIVE, publication.channelStatus());
        assertTrue(publication.isOriginal());
        int session = bus.nextSessionId(STREAM);
        assertNotEquals(session, publication.sessionId());
        assertTrue(publication.appendPadding(100) > 0);
        assertTrue(publication.offer(new UnsafeBuffer(new byte[8])) > 0);
        Image image = subscription.imageAtIndex(0);
        assertEquals(160, image.blockPoll((buffer, at, length, session1, term) -> {}, 1024));
        long[] read = {0};
        image.rawPoll(
                (channel, fileOffset, buffer, at, length, session1, term) -> {
                    UnsafeBuffer frame = new UnsafeBuffer(new byte[length]);
                    try {
                        channel.read(ByteBuffer.wrap(frame.byteArray()), fileOffset);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    read[0] = frame.getInt(FrameHeader.FRAME_LENGTH);
                },
                1024);
        assertEquals(40, read[0]);
        publication.revoke();
        Await.until("revoked", image::isClosed);
        assertTrue(image.isPublicationRevoked());
    }

    @Test
    void rejectsImage() {
        try (Subscription subscription = bus.addSubscription(IPC, STREAM);
                Publication publication = bus.addPublication(IPC, STREAM)) {
            Await.until("connected", publication::isConnected);
            Await.until("image", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            image.reject("not today");
            Await.until("ended", image::isClosed);
            Await.until("told", () -> told.contains("not today"));
            Await.until("told to Aeron's client, too", () -> peer.errors().size() == 1);
            String warning = peer.errors().removeFirst().getMessage();
            assertTrue(warning.contains("not today"), warning);
        }
    }

    @Test
    void addsAndRemovesDestinations() throws IOException {
        String first = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        String manual = "aeron:udp?control-mode=manual";
        try (Subscription subscription = bus.addSubscription(manual, STREAM);
                Publication publication = bus.addPublication(manual, STREAM);
                Subscription wildcard =
                        bus.addSubscription("aeron:udp?endpoint=127.0.0.1:0", STREAM)) {
            String second = wildcard.tryResolveChannelEndpointPort();
            assertFalse(second.endsWith(":0"), second);
            subscription.addDestination(first);
            publication.addDestination(first);
            long id = publication.asyncAddDestination(second);
            Await.until("both", () -> subscription.imageCount() * wildcard.imageCount() == 1);
            assertFalse(bus.async().isActive(id));
            assertEquals(1, subscription.localSocketAddresses().size());
            publication.removeDestination(id);
            long removal = subscription.asyncRemoveDestination(first);
            Await.until("removed", () -> !bus.async().isActive(removal));
            assertEquals(List.of(), subscription.localSocketAddresses());
        }
    }
}
