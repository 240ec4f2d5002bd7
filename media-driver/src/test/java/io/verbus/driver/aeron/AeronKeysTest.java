// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ErrorCode;
import io.aeron.LogBuffers;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Keys of Aeron's channels for sockets, windows, flow control and loss recovery. */
class AeronKeysTest {
    private static final int STREAM = 10;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
        endpoint = "aeron:udp?term-length=64k|endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private static void passes(Publication publication, Subscription subscription) {
        Await.until("connected", publication::isConnected);
        Await.until("offered", () -> publication.offer(new UnsafeBuffer(new byte[40])) > 0);
        Await.until(
                "received", () -> subscription.poll((buffer, at, length, header) -> {}, 10) == 1);
    }

    private void assertRefused(Runnable command, String text) {
        RegistrationException refused = assertThrows(RegistrationException.class, command::run);
        assertTrue(refused.getMessage().contains(text), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.0/8", "127.0.0.1:0/32", "{lo}", "localhost", "127.0.0.1"})
    void sendsFromAddressOfInterface(String local) {
        try (Subscription subscription = aeron.addSubscription(endpoint, STREAM);
                Publication publication =
                        aeron.addPublication(endpoint + "|interface=" + local, STREAM)) {
            passes(publication, subscription);
            String address = publication.localSocketAddresses().getFirst();
            assertTrue(address.startsWith("127.0.0.1:"), address);
        }
    }

    @Test
    void reportsNameOfUnknownInterface() {
        assertRefused(
                () -> aeron.addPublication(endpoint + "|interface={nowhere0}", STREAM),
                "unknown interface nowhere0");
        assertRefused(
                () -> aeron.addPublication(endpoint + "|interface=lo", STREAM),
                "name of a network interface, so write interface={lo}");
        assertRefused(
                () -> aeron.addPublication(endpoint + "|interface=203.0.113.0/24", STREAM),
                "Unable to find multicast or loopback interface matching criteria: 203.0.113.0/24");
    }

    @ParameterizedTest
    @ValueSource(strings = {"aeron:ipc", "udp"})
    void rejectsStreamIdThatDiffersFromChannel(String media) {
        String channel = media.equals("udp") ? endpoint + "|stream-id=10" : media + "?stream-id=10";
        try (Subscription subscription = aeron.addSubscription(channel, STREAM);
                Publication publication = aeron.addPublication(channel, STREAM)) {
            passes(publication, subscription);
        }
        assertRefused(() -> aeron.addPublication(channel, 11), "has stream-id 10, but stream 11");
        assertRefused(() -> aeron.addSubscription(channel, 11), "has stream-id 10, but stream 11");
    }

    @ParameterizedTest
    @CsvSource({"aeron:ipc?term-length=64k, 4096", "udp, 8192"})
    void limitsPublisherToPublicationWindow(String media, int window) {
        String channel = media.equals("udp") ? endpoint : media;
        try (Subscription subscription = aeron.addSubscription(channel, STREAM);
                Publication publication =
                        aeron.addPublication(channel + "|pub-wnd=" + window, STREAM)) {
            passes(publication, subscription);
            long sent = publication.position();
            Await.until("limit", () -> publication.positionLimit() >= sent + window * 7 / 8);
            assertTrue(publication.positionLimit() <= sent + window, "limit");
        }
        assertRefused(
                () -> aeron.addPublication(channel + "|pub-wnd=32800", STREAM + 1),
                "a pub-wnd of 32800: it must be from the mtu 1408 to half the term length");
        assertRefused(
                () -> aeron.addPublication(channel + "|pub-wnd=1k", STREAM + 1),
                "a pub-wnd of 1024: it must be from the mtu 1408");
    }

    @Test
    void allowsReliableAndUnreliableStreamsAtOneEndpoint() {
        try (Subscription first = aeron.addSubscription(endpoint + "|reliable=false", STREAM);
                Subscription second = aeron.addSubscription(endpoint, STREAM + 1);
                Publication one = aeron.addPublication(endpoint, STREAM);
                Publication two = aeron.addPublication(endpoint, STREAM + 1)) {
            passes(one, first);
            passes(two, second);
            assertRefused(
                    () -> aeron.addSubscription(endpoint, STREAM),
                    "option conflicts with existing subscription: reliable=true");
        }
    }

    @Test
    void countsReceiversAndNaks() throws IOException {
        String control = "aeron:udp?control=127.0.0.1:" + UdpInteropTest.freePort();
        try (Publication publication =
                        aeron.addPublication(
                                control + "|control-mode=dynamic|fc=min,g:/1,t:2s", STREAM);
                Subscription subscription =
                        aeron.addSubscription(control + "|group=true", STREAM)) {
            passes(publication, subscription);
            long image = subscription.imageAtIndex(0).correlationId();
            long id = publication.registrationId();
            assertEquals(1, value(AeronCounters.FLOW_CONTROL_RECEIVERS_COUNTER_TYPE_ID, id));
            assertEquals(0, value(AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID, id));
            assertEquals(0, value(AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID, image));
        }
    }

    private long value(int typeId, long registrationId) {
        CountersReader counters = aeron.countersReader();
        int id = counters.findByTypeIdAndRegistrationId(typeId, registrationId);
        assertTrue(id >= 0, "no counter of type " + typeId);
        assertFalse(counters.getCounterLabel(id).isEmpty());
        return counters.getCounterValue(id);
    }

    @Test
    void aeronReadsTransportSettingsFromLog() throws IOException {
        try (Subscription subscription =
                        aeron.addSubscription(
                                endpoint + "|rcv-wnd=16k|so-rcvbuf=64k|reliable=false", STREAM);
                Publication publication =
                        aeron.addPublication(
                                endpoint
                                        + "|pub-wnd=8k|so-sndbuf=32k|max-resend=9|tags=1,77"
                                        + "|linger=1s|eos=false|ssc=true",
                                STREAM)) {
            passes(publication, subscription);
            try (LogBuffers log = log("publications")) {
                UnsafeBuffer metadata = log.metaDataBuffer();
                assertEquals(8192, LogBufferDescriptor.publicationWindowLength(metadata));
                assertEquals(32768, LogBufferDescriptor.socketSndbufLength(metadata));
                assertTrue(LogBufferDescriptor.osDefaultSocketSndbufLength(metadata) > 0);
                assertTrue(LogBufferDescriptor.osMaxSocketRcvbufLength(metadata) > 0);
                assertEquals(9, LogBufferDescriptor.maxResend(metadata));
                assertEquals(77, LogBufferDescriptor.entityTag(metadata));
                assertEquals(-1, LogBufferDescriptor.responseCorrelationId(metadata));
                assertEquals(1_000_000_000L, LogBufferDescriptor.lingerTimeoutNs(metadata));
                assertFalse(LogBufferDescriptor.group(metadata));
                assertFalse(LogBufferDescriptor.signalEos(metadata));
                assertTrue(LogBufferDescriptor.spiesSimulateConnection(metadata));
            }
            try (LogBuffers log = log("images")) {
                UnsafeBuffer metadata = log.metaDataBuffer();
                assertEquals(16384, LogBufferDescriptor.receiverWindowLength(metadata));
                assertEquals(65536, LogBufferDescriptor.socketRcvbufLength(metadata));
                assertFalse(LogBufferDescriptor.reliable(metadata));
                assertTrue(LogBufferDescriptor.tether(metadata));
                assertTrue(LogBufferDescriptor.rejoin(metadata));
            }
        }
    }

    @Test
    void limitsWindowToHalfTerm() throws IOException {
        String wide = endpoint + "|so-rcvbuf=1m|rcv-wnd=512k";
        try (Subscription subscription = aeron.addSubscription(wide, STREAM);
                Publication publication = aeron.addPublication(endpoint, STREAM)) {
            passes(publication, subscription);
            try (LogBuffers log = log("images")) {
                assertEquals(
                        32 * 1024, LogBufferDescriptor.receiverWindowLength(log.metaDataBuffer()));
            }
        }
    }

    /** The only log in a folder of the driver. */
    private LogBuffers log(String folder) throws IOException {
        try (Stream<Path> files = Files.list(driver.directory().resolve(folder))) {
            return new LogBuffers(files.findFirst().orElseThrow().toString());
        }
    }

    @Test
    void rejectsSecondPublicationWithOtherBuffers() {
        try (Publication _ = aeron.addPublication(endpoint + "|so-sndbuf=128k", STREAM)) {
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () -> aeron.addPublication(endpoint + "|so-sndbuf=64k", STREAM + 1));
            assertEquals(ErrorCode.GENERIC_ERROR, refused.errorCode());
            assertTrue(
                    refused.getMessage().contains("a different so-sndbuf"), refused.getMessage());
        }
    }
}
