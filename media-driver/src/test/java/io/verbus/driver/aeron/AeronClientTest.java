// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.Counter;
import io.aeron.ErrorCode;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.verbus.Bus;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.logbuffer.LogLayout;

import org.agrona.collections.MutableInteger;
import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Aeron's unmodified client connects to a driver over shared memory. */
class AeronClientTest {
    private static final String CHANNEL = "aeron:ipc?term-length=64k|alias=x|unknown-key=7";
    private static final int STREAM = 10;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        aeron = connect();
    }

    private Aeron connect() {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(driver.directory().toString())
                        .errorHandler(clientErrors::add));
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    /** A client with frequent keepalives connects to a driver with a short timeout. */
    @Test
    void connectsToDriverWithShortLivenessTimeout() {
        try (MediaDriver impatient =
                        MediaDriver.launchEmbedded(
                                Drivers.config().clientLivenessTimeoutNs(400_000_000));
                Aeron client =
                        Aeron.connect(
                                new Aeron.Context()
                                        .aeronDirectoryName(impatient.directory().toString())
                                        .keepAliveIntervalNs(100_000_000))) {
            client.addPublication("aeron:ipc?term-length=64k", 1).close();
            assertFalse(client.isClosed());
        }
    }

    private static UnsafeBuffer message(int length, long number) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[length]);
        buffer.putLong(0, number);
        buffer.putByte(length - 1, (byte) number);
        return buffer;
    }

    /** Messages of several lengths, many times around the log, in order and complete. */
    private static void exchange(Publication publication, Subscription subscription) {
        MutableLong next = new MutableLong();
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, offset, length, header) -> {
                            assertEquals(next.value, buffer.getLong(offset));
                            assertEquals((byte) next.value, buffer.getByte(offset + length - 1));
                            assertEquals(length(next.value), length);
                            next.value++;
                        });
        long sent = 0;
        while (next.value < 5_000) {
            if (sent < 5_000 && publication.offer(message(length(sent), sent)) > 0) {
                sent++;
            }
            subscription.poll(handler, 10);
        }
        assertTrue(publication.position() > 10L * LogLayout.PARTITIONS * 64 * 1024);
    }

    private static int length(long number) {
        return number % 10 == 0 ? 5_000 : 40 + (int) (number % 700);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exchangesMessagesThroughManyTerms(boolean isExclusive) {
        try (Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                Publication publication =
                        isExclusive
                                ? aeron.addExclusivePublication(CHANNEL, STREAM)
                                : aeron.addPublication(CHANNEL, STREAM)) {
            Await.until("connected", publication::isConnected);
            exchange(publication, subscription);
            assertEquals(1, subscription.channelStatus());
            assertEquals(1, publication.channelStatus());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exchangesMessagesWithBus(boolean isBusTheSender) {
        try (Bus bus = Drivers.connect(driver)) {
            if (isBusTheSender) {
                try (Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                        io.verbus.Publication publication =
                                bus.addExclusivePublication("verbus:ipc?term-length=64k", STREAM)) {
                    toAeron(publication, subscription);
                }
            } else {
                try (io.verbus.Subscription subscription =
                                bus.addSubscription("verbus:ipc", STREAM);
                        ExclusivePublication publication =
                                aeron.addExclusivePublication(CHANNEL, STREAM)) {
                    toBus(publication, subscription);
                }
            }
        }
    }

    private static void toAeron(io.verbus.Publication publication, Subscription subscription) {
        Await.until("connected", publication::isConnected);
        MutableLong next = new MutableLong();
        long sent = 0;
        while (next.value < 20_000) {
            if (sent < 20_000 && publication.offer(message(40, sent)) > 0) {
                sent++;
            }
            subscription.poll(
                    (buffer, offset, length, header) ->
                            assertEquals(next.value++, buffer.getLong(offset)),
                    10);
        }
    }

    private static void toBus(Publication publication, io.verbus.Subscription subscription) {
        Await.until("connected", publication::isConnected);
        MutableLong next = new MutableLong();
        long sent = 0;
        while (next.value < 20_000) {
            if (sent < 20_000 && publication.offer(message(40, sent)) > 0) {
                sent++;
            }
            subscription.poll(
                    (buffer, offset, length, header) ->
                            assertEquals(next.value++, buffer.getLong(offset)),
                    10);
        }
    }

    /** Clients of both kinds share one publication's log. */
    @Test
    void publishersOfBothClientsShareLog() {
        try (Bus bus = Drivers.connect(driver);
                Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                Publication first = aeron.addPublication(CHANNEL, STREAM);
                io.verbus.Publication second =
                        bus.addPublication("verbus:ipc?term-length=64k", STREAM)) {
            assertEquals(first.sessionId(), second.sessionId());
            Await.until("connected", () -> first.isConnected() && second.isConnected());
            MutableInteger received = new MutableInteger();
            int sent = 0;
            while (sent < 10_000) {
                if (sent % 2 == 0
                        ? first.offer(message(100, sent)) > 0
                        : second.offer(message(100, sent)) > 0) {
                    sent++;
                }
                subscription.poll((buffer, offset, length, header) -> received.value++, 10);
            }
            Await.until(
                    "all",
                    () -> {
                        subscription.poll((buffer, offset, length, header) -> received.value++, 10);
                        return received.value == 10_000;
                    });
        }
    }

    @Test
    void commitsAndAbortsClaims() {
        try (Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                Publication publication = aeron.addPublication(CHANNEL, STREAM)) {
            Await.until("connected", publication::isConnected);
            BufferClaim claim = new BufferClaim();
            assertTrue(publication.tryClaim(24, claim) > 0);
            claim.buffer().putLong(claim.offset(), 1);
            claim.abort();
            assertTrue(publication.tryClaim(24, claim) > 0);
            claim.buffer().putLong(claim.offset(), 2);
            claim.commit();
            List<Long> received = new ArrayList<>();
            Await.until(
                    "the second",
                    () -> {
                        subscription.poll(
                                (buffer, offset, length, header) ->
                                        received.add(buffer.getLong(offset)),
                                10);
                        return !received.isEmpty();
                    });
            assertEquals(List.of(2L), received);
        }
    }

    @Test
    void reportsAvailableAndUnavailableImages() {
        List<String> images = Collections.synchronizedList(new ArrayList<>());
        try (Subscription subscription =
                aeron.addSubscription(
                        CHANNEL,
                        STREAM,
                        image -> images.add("+" + image.sourceIdentity()),
                        image -> images.add("-" + image.isEndOfStream()))) {
            try (Publication publication = aeron.addExclusivePublication(CHANNEL, STREAM)) {
                Await.until("an image", () -> subscription.imageCount() == 1);
                assertTrue(publication.offer(message(64, 1)) > 0);
            }
            Image image = subscription.imageAtIndex(0);
            Await.until(
                    "end of stream",
                    () -> {
                        subscription.poll((buffer, offset, length, header) -> {}, 10);
                        return image.isEndOfStream();
                    });
            Await.until("gone", () -> images.size() == 2);
            assertEquals(List.of("+aeron:ipc", "-true"), images);
        }
    }

    @Test
    void lateSubscriberJoinsAtSlowestPosition() {
        try (Subscription slow = aeron.addSubscription(CHANNEL, STREAM);
                Publication publication = aeron.addPublication(CHANNEL, STREAM)) {
            Await.until("connected", publication::isConnected);
            for (int i = 0; i < 5; i++) {
                assertTrue(publication.offer(message(32, i)) > 0);
            }
            Await.until("an image", () -> slow.imageCount() == 1);
            assertEquals(2, slow.poll((buffer, offset, length, header) -> {}, 2));
            try (Subscription late = aeron.addSubscription(CHANNEL, STREAM)) {
                Await.until("an image", () -> late.imageCount() == 1);
                assertEquals(128, late.imageAtIndex(0).joinPosition());
            }
        }
    }

    @Test
    void addsAndFreesCountersButKeepsStaticCounters() {
        List<Integer> available = Collections.synchronizedList(new ArrayList<>());
        List<Integer> unavailable = Collections.synchronizedList(new ArrayList<>());
        aeron.addAvailableCounterHandler((reader, registration, id) -> available.add(id));
        aeron.addUnavailableCounterHandler((reader, registration, id) -> unavailable.add(id));
        UnsafeBuffer key = message(16, 77);
        UnsafeBuffer label = new UnsafeBuffer("a label".getBytes());
        int counterId;
        int staticId;
        try (Aeron other = connect();
                Counter counter = other.addCounter(1001, key, 0, 16, label, 0, 7);
                Counter lasting = other.addStaticCounter(1002, "lasting", 42)) {
            counterId = counter.id();
            staticId = lasting.id();
            CountersReader reader = aeron.countersReader();
            assertEquals(CountersReader.RECORD_ALLOCATED, reader.getCounterState(counterId));
            assertEquals(1001, reader.getCounterTypeId(counterId));
            assertEquals("a label", reader.getCounterLabel(counterId));
            assertEquals(other.clientId(), reader.getCounterOwnerId(counterId));
            assertEquals(counter.registrationId(), reader.getCounterRegistrationId(counterId));
            assertEquals(42, reader.getCounterRegistrationId(staticId));
            counter.setRelease(5);
            assertEquals(5, reader.getCounterValue(counterId));
            assertEquals(staticId, aeron.addStaticCounter(1002, "lasting, again", 42).id());
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () -> aeron.addStaticCounter(1001, "x", counter.registrationId()));
            assertEquals(ErrorCode.GENERIC_ERROR, refused.errorCode());
            assertTrue(
                    refused.getMessage()
                            .contains(
                                    "cannot add static counter, because a non-static counter"
                                            + " exists"),
                    refused.getMessage());
            Await.until("told", () -> available.contains(counterId));
        }
        Await.until("told", () -> unavailable.contains(counterId));
        assertEquals(
                CountersReader.RECORD_RECLAIMED, aeron.countersReader().getCounterState(counterId));
        assertEquals(
                CountersReader.RECORD_ALLOCATED, aeron.countersReader().getCounterState(staticId));
    }

    @Test
    void reportsHeartbeatAndEndOfClient() {
        List<Integer> unavailable = Collections.synchronizedList(new ArrayList<>());
        aeron.addUnavailableCounterHandler((reader, registration, id) -> unavailable.add(id));
        int id;
        try (Aeron other = connect();
                Publication publication = other.addPublication(CHANNEL, STREAM)) {
            id = heartbeatOf(other.clientId());
            assertNotEquals(-1, id);
            long first = aeron.countersReader().getCounterValue(id);
            Await.until("a beat", () -> aeron.countersReader().getCounterValue(id) > first);
            Await.until(
                    "a name",
                    () -> aeron.countersReader().getCounterLabel(id).contains("version=1.51"));
            assertEquals(STREAM, publication.streamId());
        }
        Await.until("told", () -> unavailable.contains(id));
    }

    private int heartbeatOf(long clientId) {
        MutableInteger found = new MutableInteger(-1);
        aeron.countersReader()
                .forEach(
                        (counterId, typeId, key, label) -> {
                            if (typeId == CounterTypes.CLIENT_HEARTBEAT
                                    && key.getLong(0) == clientId) {
                                found.value = counterId;
                            }
                        });
        return found.value;
    }

    @Test
    void rejectsInvalidChannels() {
        assertRefused("aeron:nowhere?x=y", ErrorCode.INVALID_CHANNEL, "unknown media 'nowhere'");
        assertRefused("aeron:udp?endpoint=:x", ErrorCode.INVALID_CHANNEL, "endpoint");
        assertRefused("aeron:ipc?term-length=3", ErrorCode.INVALID_CHANNEL, "term-length");
        assertRefused(
                "aeron:udp?control=h:1|control-mode=response",
                ErrorCode.INVALID_CHANNEL,
                "without response-correlation-id");
    }

    private void assertRefused(String channel, ErrorCode code, String words) {
        RegistrationException refused =
                assertThrows(
                        RegistrationException.class, () -> aeron.addPublication(channel, STREAM));
        assertEquals(code, refused.errorCode(), refused.getMessage());
        assertTrue(refused.getMessage().contains(words), refused.getMessage());
    }

    @Test
    void allocatesSessionIds() {
        int first = aeron.nextSessionId(STREAM);
        int second = aeron.nextSessionId(STREAM);
        assertNotEquals(first, second);
        try (Publication publication =
                aeron.addExclusivePublication(CHANNEL + "|session-id=" + second, STREAM)) {
            assertEquals(second, publication.sessionId());
        }
    }

    @Test
    void limitsExclusivePublicationToHalfTermAhead() {
        try (Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                ExclusivePublication publication = aeron.addExclusivePublication(CHANNEL, STREAM)) {
            Await.until("connected", publication::isConnected);
            exchange(publication, subscription);
            assertTrue(
                    publication.positionLimit()
                            <= publication.position() + publication.termBufferLength() / 2);
            assertEquals(LogBufferDescriptor.TERM_MIN_LENGTH, publication.termBufferLength());
        }
    }

    @Test
    void terminatesDriverOnRequestOnlyIfAllowed() throws Exception {
        File directory = driver.directory().toFile();
        assertTrue(CommonContext.requestDriverTermination(directory, null, 0, 0));
        assertEquals(STREAM, aeron.addPublication(CHANNEL, STREAM).streamId());
        try (ChildProcess other =
                ChildProcess.start(
                        MediaDriver.class, "dir=" + directory + "-terminable", "terminable=true")) {
            other.awaitLine("verbus driver ready");
            assertTrue(
                    CommonContext.requestDriverTermination(
                            new File(directory + "-terminable"), null, 0, 0));
            assertNull(other.line()); // ends
        }
    }
}
