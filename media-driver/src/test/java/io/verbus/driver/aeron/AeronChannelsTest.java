// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.ErrorCode;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.exceptions.RegistrationException;
import io.aeron.status.ChannelEndpointStatus;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.collections.MutableInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Keys of Aeron's channels other than addresses, and the channel state that clients see. */
class AeronChannelsTest {
    private static final int STREAM = 10;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        aeron =
                Aeron.connect(
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

    private static String endpoint(int port) {
        return "aeron:udp?term-length=64k|endpoint=127.0.0.1:" + port;
    }

    private static void passes(Publication publication, Subscription... subscriptions) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[40]);
        for (Subscription subscription : subscriptions) {
            Await.until("connected", subscription::isConnected);
        }
        Await.until("connected", publication::isConnected);
        Await.until("offered", () -> publication.offer(message) > 0);
        for (Subscription subscription : subscriptions) {
            MutableInteger received = new MutableInteger();
            Await.until(
                    "received",
                    () -> {
                        subscription.poll((buffer, at, length, header) -> received.value++, 10);
                        return received.value == 1;
                    });
        }
    }

    private static String refusal(Runnable command, ErrorCode code) {
        RegistrationException refused = assertThrows(RegistrationException.class, command::run);
        assertEquals(code, refused.errorCode());
        return refused.getMessage();
    }

    @Test
    void publicationsAndSpiesShareTaggedAddress() throws IOException {
        int port = UdpInteropTest.freePort();
        try (Subscription subscription = aeron.addSubscription(endpoint(port), STREAM);
                Publication first =
                        aeron.addPublication(endpoint(port) + "|tags=1001,1002", STREAM);
                Publication shared = aeron.addPublication("aeron:udp?tags=1001", STREAM);
                Subscription spy = aeron.addSubscription("aeron-spy:aeron:udp?tags=1001", STREAM);
                Subscription stranger =
                        aeron.addSubscription("aeron-spy:aeron:udp?tags=1003", STREAM)) {
            assertEquals(first.sessionId(), shared.sessionId());
            passes(shared, subscription, spy);
            assertEquals(0, stranger.imageCount());
            try (Publication other = aeron.addPublication("aeron:udp?tags=1001", STREAM + 1)) {
                assertNotEquals(first.sessionId(), other.sessionId());
                assertEquals(first.channelStatusId(), other.channelStatusId());
            }
        }
    }

    @Test
    void rejectsUnknownAndConflictingTags() throws IOException {
        int port = UdpInteropTest.freePort();
        assertTrue(
                refusal(
                                () -> aeron.addPublication("aeron:udp?tags=5", 1),
                                ErrorCode.INVALID_CHANNEL)
                        .contains("no open channel has the tag"));
        assertTrue(
                refusal(
                                () -> aeron.addSubscription("aeron:udp?tags=5", 1),
                                ErrorCode.INVALID_CHANNEL)
                        .contains("no open channel has the tag"));
        try (Publication _ = aeron.addPublication(endpoint(port) + "|tags=5,6", STREAM)) {
            assertTrue(
                    refusal(
                                    () -> aeron.addPublication(endpoint(port + 1) + "|tags=5", 1),
                                    ErrorCode.INVALID_CHANNEL)
                            .contains("mismatched endpoint or control"));
            assertTrue(
                    refusal(
                                    () -> aeron.addPublication("aeron:ipc?tags=,6", 1),
                                    ErrorCode.INVALID_CHANNEL)
                            .contains("tag 6 is already used"));
            assertTrue(
                    refusal(
                                    () -> aeron.addPublication("aeron:ipc?session-id=tag:6", 1),
                                    ErrorCode.INVALID_CHANNEL)
                            .contains("must reference the tag of an IPC publication"));
        }
    }

    @Test
    void subscriptionsShareTaggedEndpoint() {
        try (Subscription first =
                        aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0|tags=9", STREAM);
                Subscription second = aeron.addSubscription("aeron:udp?tags=9", STREAM)) {
            assertEquals(first.channelStatusId(), second.channelStatusId());
            assertEquals(first.resolvedEndpoint(), second.resolvedEndpoint());
            try (Publication publication =
                    aeron.addPublication(
                            "aeron:udp?endpoint=" + first.resolvedEndpoint(), STREAM)) {
                passes(publication, first, second);
            }
        }
    }

    @Test
    void usesSessionIdOfTaggedPublication() {
        try (Publication publication =
                        aeron.addPublication("aeron:ipc?term-length=256k|mtu=2k|tags=1,2", STREAM);
                Publication same = aeron.addPublication("aeron:ipc?session-id=tag:2", STREAM + 1)) {
            assertEquals(publication.sessionId(), same.sessionId());
            assertEquals(256 * 1024, same.termBufferLength());
            assertEquals(publication.maxPayloadLength(), same.maxPayloadLength());
            assertTrue(
                    refusal(
                                    () ->
                                            aeron.addPublication(
                                                    "aeron:ipc?session-id=tag:2|mtu=4k", 7),
                                    ErrorCode.INVALID_CHANNEL)
                            .contains("mtu 4096, but the publication whose session it uses"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"aeron:ipc?term-length=64k", "udp"})
    void startsAtSpecifiedPosition(String media) throws IOException {
        for (long position : new long[] {0, 96, 65536, 3 * 65536 + 64, (1L << 40) + 640}) {
            String place = media.equals("udp") ? endpoint(UdpInteropTest.freePort()) : media;
            String channel =
                    new ChannelUriStringBuilder(place)
                            .initialPosition(position, 7, 64 * 1024)
                            .build();
            try (Subscription subscription = aeron.addSubscription(place, STREAM);
                    ExclusivePublication publication =
                            aeron.addExclusivePublication(channel, STREAM)) {
                assertEquals(position, publication.position());
                assertEquals(7, publication.initialTermId());
                Await.until("connected", subscription::isConnected);
                assertEquals(position, subscription.imageAtIndex(0).joinPosition());
                for (int i = 0; i < 3_000; i++) {
                    passes(publication, subscription);
                }
                assertEquals(publication.position(), subscription.imageAtIndex(0).position());
            }
        }
    }

    @Test
    void rejectsSharedPublicationWithOtherInitialPosition() {
        String channel = "aeron:ipc?term-length=64k|init-term-id=1|term-id=3|term-offset=";
        try (Publication first = aeron.addPublication(channel + 64, STREAM);
                Publication same = aeron.addPublication(channel + 64, STREAM)) {
            assertEquals(first.sessionId(), same.sessionId());
            assertTrue(
                    refusal(
                                    () -> aeron.addPublication(channel + 96, STREAM),
                                    ErrorCode.INVALID_CHANNEL)
                            .contains("starting position"));
        }
        assertTrue(
                refusal(
                                () -> aeron.addPublication(channel + 65568, STREAM),
                                ErrorCode.INVALID_CHANNEL)
                        .contains("term-offset"));
        assertTrue(
                refusal(
                                () -> aeron.addPublication("aeron:ipc?term-id=3", STREAM),
                                ErrorCode.INVALID_CHANNEL)
                        .contains("set all three, or none"));
    }

    @Test
    void reportsStateAndAddressOfChannels() {
        CountersReader counters = aeron.countersReader();
        int sendAddress;
        int receiveAddress;
        Subscription subscription = aeron.addSubscription("aeron:udp?endpoint=localhost:0", STREAM);
        String endpoint = subscription.resolvedEndpoint();
        Publication publication = aeron.addPublication("aeron:udp?endpoint=" + endpoint, STREAM);
        assertEquals(ChannelEndpointStatus.ACTIVE, subscription.channelStatus());
        assertEquals(ChannelEndpointStatus.ACTIVE, publication.channelStatus());
        assertEquals(List.of(endpoint), subscription.localSocketAddresses());
        assertEquals(1, publication.localSocketAddresses().size());
        assertTrue(publication.localSocketAddresses().getFirst().startsWith("127.0.0.1:"));
        assertEquals(
                "rcv-channel: aeron:udp?endpoint=localhost:0 " + endpoint,
                counters.getCounterLabel(subscription.channelStatusId()));
        receiveAddress =
                counters.findByTypeIdAndRegistrationId(
                        AeronCounters.DRIVER_LOCAL_SOCKET_ADDRESS_STATUS_TYPE_ID,
                        subscription.registrationId());
        sendAddress =
                counters.findByTypeIdAndRegistrationId(
                        AeronCounters.DRIVER_LOCAL_SOCKET_ADDRESS_STATUS_TYPE_ID,
                        publication.registrationId());
        assertTrue(receiveAddress > 0 && sendAddress > 0);
        passes(publication, subscription);
        subscription.close();
        Await.until(
                "closed",
                () -> counters.getCounterState(receiveAddress) == CountersReader.RECORD_RECLAIMED);
        publication.close();
        Await.until(
                "closed",
                () -> counters.getCounterState(sendAddress) == CountersReader.RECORD_RECLAIMED);
    }

    @Test
    void receiversFindPortOfDynamicPublication() {
        try (Publication publication =
                aeron.addPublication(
                        "aeron:udp?term-length=64k|control=127.0.0.1:0|control-mode=dynamic",
                        STREAM)) {
            String control = publication.localSocketAddresses().getFirst();
            try (Subscription subscription =
                    aeron.addSubscription(
                            "aeron:udp?endpoint=127.0.0.1:0|control=" + control, STREAM)) {
                passes(publication, subscription);
            }
        }
    }

    @Test
    void imageOutlivesPublicationWithoutEndOfStream() throws IOException {
        String place = endpoint(UdpInteropTest.freePort());
        try (Subscription subscription = aeron.addSubscription(place, STREAM)) {
            ExclusivePublication silent =
                    aeron.addExclusivePublication(place + "|eos=false|linger=0", STREAM);
            ExclusivePublication telling = aeron.addExclusivePublication(place, STREAM);
            Await.until("images", () -> subscription.imageCount() == 2);
            int sessionId = silent.sessionId();
            silent.close();
            telling.close();
            Await.until("the end that is told", () -> subscription.imageCount() == 1);
            assertEquals(sessionId, subscription.imageAtIndex(0).sessionId());
            assertEquals(
                    0, aeron.countersReader().getCounterValue(SystemCounterDescriptor.ERRORS.id()));
        }
    }
}
