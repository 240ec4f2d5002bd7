// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.PublicationErrorHandler;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.channel.ChannelStatus;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.DirectBufferVector;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A bus and an Aeron client on one driver: each sees the actions of the other. */
@Timeout(120)
class BusAndAeronTest {
    private static final int STREAM = 10;
    private static final String IPC = "aeron:ipc?term-length=64k";
    private static final String MANUAL = "aeron:udp?control-mode=manual";

    private final List<Throwable> clientErrors = new CopyOnWriteArrayList<>();
    private final List<String> rejections = new CopyOnWriteArrayList<>();
    private MediaDriver driver;
    private Aeron aeron;
    private Bus bus;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config().imageLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(2)));
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .publicationErrorFrameHandler(
                                        frame -> rejections.add(frame.errorMessage()))
                                .errorHandler(clientErrors::add));
        bus =
                Bus.connect(
                        Drivers.context(driver)
                                .publicationErrorHandler(
                                        (publication, code, message) -> rejections.add(message))
                                .errorHandler(clientErrors::add));
        endpoint = free();
    }

    private static String free() throws IOException {
        return "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        bus.close();
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private static UnsafeBuffer buffer(String text) {
        return new UnsafeBuffer(text.getBytes());
    }

    private static void offered(Publication publication, String text) {
        Await.until("offered", () -> publication.offer(buffer(text)) > 0);
    }

    private static List<String> read(Subscription subscription, int count) {
        List<String> texts = new ArrayList<>();
        Await.until(
                () -> count + " read, not " + texts,
                60,
                () -> {
                    subscription.poll(
                            (buffer, offset, length, header) ->
                                    texts.add(buffer.getStringWithoutLengthAscii(offset, length)),
                            10);
                    return texts.size() == count;
                });
        return texts;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aeronReadsVectoredMessages(boolean exclusive) {
        List<String> texts = new ArrayList<>();
        List<Long> values = new ArrayList<>();
        try (io.aeron.Subscription subscription = aeron.addSubscription(IPC, STREAM);
                Publication publication =
                        exclusive
                                ? bus.addExclusivePublication(IPC, STREAM)
                                : bus.addPublication(IPC, STREAM)) {
            Await.until("connected", publication::isConnected);
            UnsafeBuffer one = buffer("one");
            UnsafeBuffer two = buffer("two");
            DirectBufferVector[] vectors = {
                new DirectBufferVector(two, 0, 3), new DirectBufferVector(one, 1, 2)
            };
            assertTrue(publication.offer(one, 0, 3, two, 0, 3) > 0);
            assertTrue(publication.offer(vectors, (term, at, length) -> at) > 0);
            assertTrue(publication.offer(one, 0, 3, (term, at, length) -> length) > 0);
            Await.until(
                    "read",
                    () -> {
                        subscription.poll(
                                (buffer, offset, length, header) -> {
                                    texts.add(buffer.getStringWithoutLengthAscii(offset, length));
                                    values.add(header.reservedValue());
                                },
                                10);
                        return texts.size() == 3;
                    });
        }
        assertEquals(List.of("onetwo", "twone", "one"), texts);
        assertEquals(List.of(0L, 64L, 35L), values);
    }

    /** Like a replay: blocks of one stream that Aeron's client reads are copied to another. */
    @Test
    void aeronReadsOfferedBlocks() {
        String copyChannel = IPC + "|init-term-id=9|term-id=9|term-offset=0|session-id=55";
        String channel = IPC + "|init-term-id=9|term-id=9|term-offset=0|session-id=55|alias=first";
        int messages = 1000;
        List<Integer> copied = new ArrayList<>();
        try (io.aeron.Subscription from = aeron.addSubscription(IPC, STREAM);
                io.aeron.ExclusivePublication publication =
                        aeron.addExclusivePublication(channel, STREAM)) {
            Await.until("image", () -> from.imageCount() == 1);
            // Blocks contain their stream id, so the copy is made on another driver.
            try (MediaDriver other = MediaDriver.launchEmbedded(Drivers.config());
                    Bus there = Drivers.connect(other);
                    Subscription to = there.addSubscription(IPC, STREAM);
                    ExclusivePublication copy =
                            there.addExclusivePublication(copyChannel, STREAM)) {
                Await.until("connected", copy::isConnected);
                io.aeron.Image image = from.imageAtIndex(0);
                UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
                int[] sent = {0};
                Await.done(
                        "all copied",
                        () -> {
                            message.putInt(0, sent[0]);
                            if (sent[0] < messages
                                    && publication.offer(message, 0, 4 + sent[0] * 31 % 996) > 0) {
                                sent[0]++;
                            }
                            image.blockPoll(
                                    (buffer, at, length, session, term) -> {
                                        boolean isPadding = buffer.getShort(at + 6) == 0;
                                        long end = image.position() + length;
                                        Await.done(
                                                "offered",
                                                () -> {
                                                    poll(to, copied);
                                                    return (isPadding
                                                                    ? copy.appendPadding(
                                                                            length - 32)
                                                                    : copy.offerBlock(
                                                                            buffer, at, length))
                                                            == end;
                                                });
                                    },
                                    16 * 1024);
                            poll(to, copied);
                            return copied.size() == messages;
                        });
                assertEquals(publication.position(), copy.position());
                assertEquals(publication.sessionId(), copy.sessionId());
            }
        }
        for (int i = 0; i < messages; i++) {
            assertEquals(i, copied.get(i));
        }
    }

    private static void poll(Subscription subscription, List<Integer> numbers) {
        subscription.poll(
                (buffer, offset, length, header) -> numbers.add(buffer.getInt(offset)), 100);
    }

    private static Image received(Publication publication, Subscription subscription) {
        Await.until("connected", publication::isConnected);
        Await.until("image", () -> subscription.imageCount() == 1);
        offered(publication, "before");
        offered(publication, "after");
        Image image = subscription.imageAtIndex(0);
        Await.until("read", () -> image.poll((buffer, at, length, header) -> {}, 1) == 1);
        return image;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reportsReasonOfRejectionToPublisher(boolean isUdp) {
        String channel = isUdp ? endpoint : IPC;
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM);
                io.aeron.Publication theirs = aeron.addPublication(channel, STREAM)) {
            assertEquals(publication.sessionId(), theirs.sessionId(), "they share the stream");
            Image image = received(publication, subscription);
            image.reject("prices are a day old");
            Await.until("ended", image::isClosed);
            Await.until("both told", () -> rejections.size() == 2);
            assertEquals(List.of("prices are a day old", "prices are a day old"), rejections);
            assertThrows(BusException.class, () -> image.reject("again"));
            assertThrows(IllegalArgumentException.class, () -> image.reject("x".repeat(1024)));
        }
    }

    @Test
    void reportsRejectingReceiverToPublisher() {
        List<PublicationErrorHandler.Receiver> receivers = new CopyOnWriteArrayList<>();
        PublicationErrorHandler handler =
                new PublicationErrorHandler() {
                    @Override
                    public void onPublicationError(
                            Publication publication, ErrorCode code, String message) {
                        throw new AssertionError("the longer one is overridden");
                    }

                    @Override
                    public void onPublicationError(
                            Publication publication,
                            ErrorCode code,
                            String message,
                            Receiver receiver) {
                        receivers.add(receiver);
                    }
                };
        try (Bus other = Bus.connect(Drivers.context(driver).publicationErrorHandler(handler));
                Publication publication = other.addPublication(MANUAL, STREAM);
                Subscription subscription = bus.addSubscription(endpoint + "|gtag=1001", STREAM)) {
            long id = publication.asyncAddDestination(endpoint);
            received(publication, subscription).reject("no");
            Await.until("told", () -> !receivers.isEmpty());
            PublicationErrorHandler.Receiver receiver = receivers.getFirst();
            assertEquals(id, receiver.destinationId());
            assertEquals(1001, receiver.groupTag());
            String address = receiver.address().getAddress().getHostAddress();
            assertTrue(
                    endpoint.endsWith(address + ":" + receiver.address().getPort()),
                    receiver.toString());
            assertNotEquals(-1, receiver.receiverId());
        }
    }

    @Test
    void refusesRejectionBySpy() {
        try (Publication publication = bus.addPublication(endpoint + "|ssc=true", STREAM);
                Subscription spy = bus.addSubscription("aeron-spy:" + endpoint, STREAM)) {
            Image image = received(publication, spy);
            String told = Drivers.refusal(() -> image.reject("no"));
            assertTrue(told.contains("belongs to a spy"), told);
            assertFalse(image.isClosed());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void revokesPublication(boolean isUdp) {
        String channel = isUdp ? endpoint : IPC;
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                io.aeron.Subscription theirs = aeron.addSubscription(channel, STREAM)) {
            ExclusivePublication publication = bus.addExclusivePublication(channel, STREAM);
            Image image = received(publication, subscription);
            Await.until("image of Aeron's", () -> theirs.imageCount() == 1);
            io.aeron.Image other = theirs.imageAtIndex(0);
            long position = publication.position();
            assertFalse(image.isPublicationRevoked());
            publication.revoke();
            assertTrue(publication.isClosed());
            Await.until("ended", image::isClosed);
            Await.until("ended at Aeron's", other::isClosed);
            assertTrue(image.isPublicationRevoked());
            assertTrue(other.isPublicationRevoked());
            assertTrue(image.position() < position);
            assertEquals(position, image.endOfStreamPosition());
            ExclusivePublication kept = bus.addExclusivePublication(channel, STREAM);
            Image last = received(kept, subscription);
            kept.close();
            read(subscription, 1); // unread messages still arrive
            Await.until("ended in its time", last::isClosed);
            assertFalse(last.isPublicationRevoked());
            assertTrue(last.isEndOfStream());
        }
    }

    @Test
    void addsAndRemovesDestinationsOfPublication() throws IOException {
        String second = free();
        try (Publication publication = bus.addPublication(MANUAL, STREAM);
                Subscription first = bus.addSubscription(endpoint, STREAM);
                Subscription other = bus.addSubscription(second, STREAM)) {
            long id = publication.asyncAddDestination(endpoint);
            Await.until("added", () -> !bus.async().isActive(id));
            Await.until("connected", () -> first.imageCount() == 1);
            publication.addDestination(second);
            Await.until("connected", () -> other.imageCount() == 1);
            Await.until("takes messages", publication::isConnected);
            offered(publication, "to both");
            assertEquals(List.of("to both"), read(first, 1));
            assertEquals(List.of("to both"), read(other, 1));
            publication.removeDestination(id);
            long removal = publication.asyncRemoveDestination(second);
            Await.until("removed", () -> !bus.async().isActive(removal));
            Await.until("nobody is left", () -> !publication.isConnected());
            long again = publication.asyncAddDestination(second);
            offered(publication, "to one");
            assertEquals(List.of("to one"), read(other, 1));
            long last = publication.asyncRemoveDestination(again);
            Await.until("removed", () -> !bus.async().isActive(last));
            assertThrows(BusException.class, () -> publication.asyncAddDestination("verbus:ipc"));
            bus.async().removePublication(publication.registrationId());
            assertThrows(BusException.class, () -> publication.asyncAddDestination(second));
            assertThrows(BusException.class, () -> publication.removeDestination(again));
        }
    }

    @Test
    void reportsAsynchronousFailureToErrorHandler() {
        try (Publication publication = bus.addPublication(endpoint, STREAM)) {
            assertThrows(RegistrationException.class, () -> publication.addDestination(endpoint));
            long id = publication.asyncAddDestination(endpoint);
            Await.until("told", () -> !clientErrors.isEmpty());
            assertFalse(bus.async().isActive(id));
            Throwable told = clientErrors.removeFirst();
            assertTrue(told instanceof RegistrationException, told.toString());
        }
    }

    @Test
    void addsAndRemovesDestinationsOfSubscription() throws IOException {
        String second = free();
        try (Subscription subscription = bus.addSubscription(MANUAL, STREAM);
                io.aeron.Publication first = aeron.addPublication(endpoint, STREAM);
                io.aeron.Publication other = aeron.addPublication(second, STREAM);
                io.aeron.Publication local = aeron.addPublication(IPC, STREAM)) {
            assertEquals(List.of(), subscription.localSocketAddresses());
            subscription.addDestination(endpoint);
            assertEquals(
                    List.of(endpoint.substring(endpoint.indexOf('=') + 1)),
                    subscription.localSocketAddresses());
            Await.until("first", first::isConnected);
            long id = subscription.asyncAddDestination(second);
            Await.until("added", () -> !bus.async().isActive(id));
            Await.until("second", other::isConnected);
            subscription.addDestination("aeron:ipc");
            Await.until("local", local::isConnected);
            Await.until("an image of each", () -> subscription.imageCount() == 3);
            Image image = subscription.imageBySessionId(first.sessionId());
            assertEquals(1, image.activeTransportCount());
            first.offer(buffer("hello"));
            assertEquals(List.of("hello"), read(subscription, 1));
            subscription.removeDestination(endpoint);
            Await.until("first has gone", () -> subscription.imageCount() == 2);
            subscription.asyncRemoveDestination("aeron:ipc");
            Await.until("local has gone", () -> subscription.imageCount() == 1);
            assertThrows(BusException.class, () -> subscription.addDestination("aeron:udp"));
            bus.async().removeSubscription(subscription.registrationId());
            assertThrows(BusException.class, () -> subscription.addDestination(second));
        }
    }

    @Test
    void reportsLocalSocketAddresses() {
        try (Subscription wildcard = bus.addSubscription("aeron:udp?endpoint=127.0.0.1:0", STREAM);
                io.aeron.Subscription theirs =
                        aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0", STREAM);
                Subscription local = bus.addSubscription("verbus:ipc", STREAM);
                Publication publication = bus.addPublication(endpoint, STREAM)) {
            assertEquals(ChannelStatus.ACTIVE, wildcard.channelStatus());
            String resolved = wildcard.resolvedEndpoint();
            assertTrue(resolved.startsWith("127.0.0.1:"), resolved);
            assertNotEquals("127.0.0.1:0", resolved);
            assertNotEquals(theirs.resolvedEndpoint(), resolved);
            assertEquals(
                    "aeron:udp?endpoint=" + resolved, wildcard.tryResolveChannelEndpointPort());
            assertEquals(List.of(resolved), wildcard.localSocketAddresses());
            try (io.aeron.Publication to =
                    aeron.addPublication(wildcard.tryResolveChannelEndpointPort(), STREAM)) {
                Await.until("connected", to::isConnected);
                Await.until("image", () -> wildcard.imageCount() == 1);
                Image image = wildcard.imageAtIndex(0);
                assertEquals(
                        io.aeron.AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID,
                        aeron.countersReader().getCounterTypeId(image.subscriberPositionId()));
            }
            assertEquals(ChannelStatus.ACTIVE, publication.channelStatus());
            assertTrue(publication.channelStatusId() > 0);
            assertEquals(1, publication.localSocketAddresses().size());
            assertEquals(ChannelStatus.ACTIVE, local.channelStatus());
            assertEquals(ChannelStatus.NO_ID_ALLOCATED, local.channelStatusId());
            assertNull(local.resolvedEndpoint());
            assertEquals("verbus:ipc", local.tryResolveChannelEndpointPort());
            bus.async().removeSubscription(wildcard.registrationId());
            assertEquals(ChannelStatus.NO_ID_ALLOCATED, wildcard.channelStatus());
            assertEquals(List.of(), wildcard.localSocketAddresses());
            assertNull(wildcard.tryResolveChannelEndpointPort());
        }
    }
}
