// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.verbus.Bus;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Requesters, and a responder that answers each of them separately, with Aeron's client. */
@Timeout(120)
class AeronResponsesTest {
    private static final int REQUESTS = 10;
    private static final int RESPONSES = 11;
    private static final int MESSAGES = 3_000;

    @TempDir Path folder;
    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<MediaDriver> drivers = new ArrayList<>();
    private final List<AeronPeer> peers = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        List<String> errors = new ArrayList<>();
        drivers.forEach(driver -> errors.addAll(Drivers.errors(driver)));
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
        peers.forEach(peer -> assertEquals(List.of(), peer.errors()));
    }

    private Aeron client(String kind) {
        if (kind.equals("aeron")) {
            AeronPeer peer = new AeronPeer(folder.resolve("aeron"));
            open.add(peer);
            peers.add(peer);
            return peer.client();
        }
        MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
        open.add(driver);
        drivers.add(driver);
        Aeron aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
        open.add(aeron);
        return aeron;
    }

    private static String free() throws IOException {
        return "127.0.0.1:" + UdpInteropTest.freePort();
    }

    /** A requester that receives its responses. */
    private static final class Requester {
        final long number;
        final Subscription responses;
        final Publication requests;
        final List<Long> received = new ArrayList<>();

        Requester(Aeron aeron, long number, String requestChannel, String responseChannel) {
            this.number = number;
            responses = aeron.addSubscription(responseChannel, RESPONSES);
            requests =
                    aeron.addPublication(
                            requestChannel
                                    + (requestChannel.contains("?") ? "|" : "?")
                                    + "term-length=64k|response-correlation-id="
                                    + responses.registrationId(),
                            REQUESTS);
        }

        void poll() {
            responses.poll((buffer, at, length, header) -> received.add(buffer.getLong(at)), 100);
        }
    }

    private static void offer(Publication publication, long number, Runnable meanwhile) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        message.putLong(0, number);
        Await.until(
                "offered",
                () -> {
                    meanwhile.run();
                    return publication.offer(message) > 0;
                });
    }

    private static long number(Image image) {
        long[] number = {-1};
        Await.until(
                "a request",
                () ->
                        image.poll(
                                        (buffer, at, length, header) ->
                                                number[0] = buffer.getLong(at),
                                        1)
                                > 0);
        return number[0];
    }

    @ParameterizedTest
    @CsvSource({
        "udp, verbus, same",
        "udp, verbus, verbus",
        "udp, verbus, aeron",
        "udp, aeron, verbus",
        "ipc, verbus, same"
    })
    void deliversResponsesToEachRequester(String media, String requester, String responder)
            throws IOException {
        Aeron asking = client(requester);
        Aeron answering = responder.equals("same") ? asking : client(responder);
        boolean isIpc = media.equals("ipc");
        String requestChannel = isIpc ? "aeron:ipc" : "aeron:udp?endpoint=" + free();
        String responseChannel =
                isIpc
                        ? "aeron:ipc?control-mode=response"
                        : "aeron:udp?control-mode=response|control=" + free();
        Subscription requests = answering.addSubscription(requestChannel, REQUESTS);
        List<Requester> all = new ArrayList<>();
        for (long i = 0; i < 3; i++) {
            all.add(new Requester(asking, i, requestChannel, responseChannel));
        }
        Await.until("three requesters", () -> requests.imageCount() == 3);
        all.forEach(each -> offer(each.requests, each.number, () -> {}));
        List<Publication> answers = new ArrayList<>(Collections.nCopies(3, null));
        for (Image image : requests.images()) {
            answers.set(
                    (int) number(image),
                    answering.addExclusivePublication(
                            responseChannel
                                    + "|term-length=64k|response-correlation-id="
                                    + image.correlationId(),
                            RESPONSES));
        }
        for (Requester each : all) {
            Await.until("connected", each.responses::isConnected);
            assertEquals(1, each.responses.imageCount());
        }
        List<List<Long>> expected = new ArrayList<>();
        all.forEach(each -> expected.add(new ArrayList<>()));
        for (long i = 0; i < MESSAGES; i++) {
            for (Requester each : all) {
                long message = i * 10 + each.number;
                offer(answers.get((int) each.number), message, each::poll);
                expected.get((int) each.number).add(message);
            }
        }
        for (Requester each : all) {
            Await.until(
                    "all received",
                    () -> {
                        each.poll();
                        return each.received.size() >= MESSAGES;
                    });
            assertEquals(expected.get((int) each.number), each.received);
        }
        answers.get(1).close();
        Await.until("the second is closed", () -> !all.get(1).responses.isConnected());
        assertTrue(all.get(0).responses.isConnected() && all.get(2).responses.isConnected());
    }

    @Test
    void subscriptionWithoutResponderReceivesNothing() throws IOException {
        Aeron aeron = client("verbus");
        String responseChannel = "aeron:udp?control-mode=response|control=" + free();
        String requestChannel = "aeron:udp?endpoint=" + free();
        Subscription requests = aeron.addSubscription(requestChannel, REQUESTS);
        Requester first = new Requester(aeron, 0, requestChannel, responseChannel);
        Subscription idle = aeron.addSubscription(responseChannel, RESPONSES);
        Await.until("a requester", requests::isConnected);
        Publication answers =
                aeron.addPublication(
                        responseChannel
                                + "|response-correlation-id="
                                + requests.imageAtIndex(0).correlationId(),
                        RESPONSES);
        Await.until("connected", first.responses::isConnected);
        offer(answers, 5, () -> {});
        Await.until(
                "received",
                () -> {
                    first.poll();
                    return first.received.size() == 1;
                });
        assertFalse(idle.isConnected());
    }

    /**
     * A prototype publication holds the control address, so that responses find its socket open.
     */
    @Test
    void prototypePublicationConnectsToNoRequester() throws IOException {
        Aeron aeron = client("verbus");
        String responseChannel = "aeron:udp?control-mode=response|control=" + free();
        String requestChannel = "aeron:udp?endpoint=" + free();
        Publication prototype =
                aeron.addPublication(
                        responseChannel + "|term-length=1m|response-correlation-id=prototype",
                        RESPONSES);
        assertEquals(64 * 1024, prototype.termBufferLength());
        Subscription requests = aeron.addSubscription(requestChannel, REQUESTS);
        Requester requester = new Requester(aeron, 0, requestChannel, responseChannel);
        Await.until("a requester", requests::isConnected);
        Publication answers =
                aeron.addPublication(
                        responseChannel
                                + "|response-correlation-id="
                                + requests.imageAtIndex(0).correlationId(),
                        RESPONSES);
        Await.until("connected", answers::isConnected);
        assertFalse(prototype.isConnected());
        requester.responses.close();
        Await.until("gone", () -> !answers.isConnected());
    }

    /** The Verbus client sends requests and responses with the same ids. */
    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void verbusClientSendsRequestsAndResponses(String media) throws IOException {
        MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
        open.add(driver);
        drivers.add(driver);
        Bus bus = Drivers.connect(driver);
        open.add(bus);
        boolean isIpc = media.equals("ipc");
        String requestChannel = isIpc ? "verbus:ipc" : "verbus:udp?endpoint=" + free();
        String responseChannel =
                isIpc
                        ? "verbus:ipc?control-mode=response"
                        : "verbus:udp?control-mode=response|control=" + free();
        List<io.verbus.Image> images = Collections.synchronizedList(new ArrayList<>());
        bus.addSubscription(requestChannel, REQUESTS, images::add, images::remove);
        io.verbus.Subscription responses = bus.addSubscription(responseChannel, RESPONSES);
        bus.addPublication(
                requestChannel
                        + (isIpc ? "?" : "|")
                        + "response-correlation-id="
                        + responses.registrationId(),
                REQUESTS);
        Await.until("a requester", () -> !images.isEmpty());
        io.verbus.Publication answers =
                bus.addPublication(
                        responseChannel + "|response-correlation-id=" + images.getFirst().imageId(),
                        RESPONSES);
        Await.until("connected", () -> responses.isConnected() && answers.isConnected());
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        message.putLong(0, 42);
        Await.until("offered", () -> answers.offer(message, 0, 8) > 0);
        long[] received = {0};
        Await.until(
                "received",
                () ->
                        responses.poll(
                                        (buffer, at, length, header) ->
                                                received[0] = buffer.getLong(at),
                                        1)
                                > 0);
        assertEquals(42, received[0]);
    }

    private static void assertRefused(Aeron aeron, String channel, String reason) {
        RegistrationException refused =
                assertThrows(
                        RegistrationException.class,
                        () -> aeron.addPublication(channel, RESPONSES));
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
    }

    @Test
    void rejectsResponsesWithoutRequest() throws IOException {
        Aeron aeron = client("verbus");
        String requestChannel = "aeron:udp?endpoint=" + free();
        String responseChannel = "aeron:udp?control-mode=response|control=" + free();
        Subscription requests = aeron.addSubscription(requestChannel, REQUESTS);
        aeron.addPublication(requestChannel, REQUESTS);
        Await.until("an image", requests::isConnected);
        long image = requests.imageAtIndex(0).correlationId();
        assertRefused(
                aeron,
                responseChannel + "|response-correlation-id=" + image,
                "image.correlationId=" + image + " did not request a response channel");
        assertRefused(
                aeron,
                responseChannel + "|response-correlation-id=987654321",
                "image.correlationId=987654321 not found");
        assertRefused(aeron, responseChannel, "without response-correlation-id");
        assertRefused(
                aeron,
                requestChannel + "|response-correlation-id=987654321",
                "unable to find response subscription");
        String conflicting = requestChannel.replace("endpoint=", "control-mode=response|endpoint=");
        RegistrationException conflict =
                assertThrows(
                        RegistrationException.class,
                        () -> aeron.addSubscription(conflicting, REQUESTS));
        assertTrue(
                conflict.getMessage()
                        .contains(
                                "isResponse=true existingChannel="
                                        + requestChannel
                                        + " channel="
                                        + conflicting),
                conflict.getMessage());
    }

    /** One client may read the requests, and another one send the responses. */
    @Test
    void allowsAnotherClientToRespond() throws IOException {
        Aeron aeron = client("verbus");
        Aeron responder =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(drivers.getLast().directory().toString()));
        open.add(responder);
        String responseChannel = "aeron:udp?control-mode=response|control=" + free();
        String requestChannel = "aeron:udp?endpoint=" + free();
        Subscription requests = aeron.addSubscription(requestChannel, REQUESTS);
        Subscription responses = aeron.addSubscription(responseChannel, RESPONSES);
        aeron.addPublication(
                requestChannel + "|response-correlation-id=" + responses.registrationId(),
                REQUESTS);
        Await.until("an image", requests::isConnected);
        responder.addPublication(
                responseChannel
                        + "|response-correlation-id="
                        + requests.imageAtIndex(0).correlationId(),
                RESPONSES);
        Await.until("the response", responses::isConnected);
    }
}
