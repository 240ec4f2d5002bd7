// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.OperationSuccessDecoder;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.client.RawClient;
import io.verbus.driver.transports.LoopTransport;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Set;

/**
 * A transport whose device delays the opening of local addresses. Commands that need one wait for
 * it; all others run.
 */
@Timeout(60)
class OpeningAddressTest {
    private static final String CHANNEL = "verbus:rdma?endpoint=localhost:7401";
    private static final String REFUSAL = "cannot listen there: another process does";

    private final LoopTransport.Provider provider = new LoopTransport.Provider();
    private MediaDriver driver;
    private RawClient client;
    private RawClient other;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launch(Drivers.config().build(), List.of(provider));
        client = new RawClient(driver);
        other = new RawClient(driver);
        provider.isOpeningDelayed = true;
    }

    @AfterEach
    void close() {
        provider.isOpeningDelayed = false;
        other.close();
        client.close();
        driver.close();
    }

    private void awaitOpening(int count) {
        Await.until("opening " + count, () -> provider.opening == count);
    }

    /** Other clients are answered meanwhile. */
    private void serveOther() {
        long subscription = other.addSubscription("aeron:ipc", 1);
        serve(subscription);
        long publication = other.addPublication("aeron:ipc", 1);
        serve(publication);
        remove(RawClient.REMOVE_PUBLICATION, publication);
        remove(RawClient.REMOVE_SUBSCRIPTION, subscription);
        Await.until("removed", () -> count(SystemCounter.PUBLICATIONS) == 0);
    }

    private void remove(int typeId, long registrationId) {
        long correlationId = other.nextId();
        other.about(typeId, other.id(), correlationId, registrationId);
        serve(correlationId);
    }

    private void serve(long correlationId) {
        RawClient.Event answer = other.answer(correlationId);
        assertFalse(answer.isError(), answer.text());
    }

    private boolean isAnswered(long correlationId) {
        return client.take().stream().anyMatch(event -> event.correlationId() == correlationId);
    }

    private void open(String refusal) {
        provider.addressRefusal = refusal;
        provider.isOpeningDelayed = false;
    }

    private void assertOpens(long correlationId) {
        serveOther();
        assertFalse(isAnswered(correlationId));
        open(null);
        RawClient.Event answer = client.answer(correlationId);
        assertFalse(answer.isError(), answer.text());
    }

    private void assertRefused(long correlationId, String channel) {
        serveOther();
        open(REFUSAL);
        RawClient.Event answer = client.answer(correlationId);
        assertTrue(answer.isError());
        assertEquals("channel '" + channel + "': " + REFUSAL, answer.text());
    }

    private long count(SystemCounter counter) {
        return client.counters().getCounterValue(counter.ordinal());
    }

    private int counters(int type) {
        int[] count = new int[1];
        CountersReader counters = client.counters();
        counters.forEach((id, typeId, key, label) -> count[0] += typeId == type ? 1 : 0);
        return count[0];
    }

    // Subscriptions

    @Test
    void answersSubscriptionOnceItsEndpointIsOpen() {
        long added = client.addSubscription(CHANNEL, 1);
        awaitOpening(1);
        assertOpens(added);
        assertEquals(1, provider.opened.endpointCount());
    }

    @Test
    void reportsRefusedEndpointToEachSubscriptionAndFreesResources() {
        long first = client.addSubscription(CHANNEL, 1);
        long second = client.addSubscription(CHANNEL, 2);
        awaitOpening(1);
        client.awaitRead();
        assertRefused(first, CHANNEL);
        Await.until("both have left", () -> provider.opened.endpointCount() == 0);
        assertFalse(isAnswered(first), "one answer each");
        assertEquals(0, count(SystemCounter.SUBSCRIPTIONS));
        assertEquals(0, counters(CounterTypes.RECEIVE_CHANNEL_STATUS));
        assertTrue(second > first);

        RawClient.Event again = client.answer(client.addSubscription(CHANNEL, 1));
        assertFalse(again.isError(), again.text());
    }

    @Test
    void closesEndpointIfClientLeavesWhileItOpens() {
        try (RawClient leaving = new RawClient(driver)) {
            leaving.addSubscription(CHANNEL, 1);
            awaitOpening(1);
        }
        Await.until("closed", () -> provider.opened.endpointCount() == 0);
        open(null);
        serveOther();
        assertEquals(0, counters(CounterTypes.RECEIVE_CHANNEL_STATUS));
    }

    @Test
    void removesSubscriptionAfterItsEndpointIsOpen() {
        long added = client.addSubscription(CHANNEL, 1);
        long removed = client.nextId();
        client.about(RawClient.REMOVE_SUBSCRIPTION, client.id(), removed, added);
        awaitOpening(1);
        client.awaitRead();
        assertOpens(added);
        Await.until("closed", () -> provider.opened.endpointCount() == 0);
    }

    // Destinations of subscriptions

    @Test
    void answersDestinationOnceItsEndpointIsOpen() {
        long subscription = client.addSubscription("verbus:rdma?control-mode=manual", 1);
        client.answer(subscription);
        long added = client.destination(RawClient.ADD_RECEIVE_DESTINATION, subscription, CHANNEL);
        long removed =
                client.destination(RawClient.REMOVE_RECEIVE_DESTINATION, subscription, CHANNEL);
        awaitOpening(1);
        client.awaitRead();
        serveOther();
        open(null);
        RawClient.Event answer = client.answer(removed);
        assertEquals(OperationSuccessDecoder.TEMPLATE_ID, answer.typeId(), answer.text());
        assertTrue(removed > added);
        Await.until("closed", () -> provider.opened.endpointCount() == 0);
    }

    @Test
    void reportsRefusedDestination() {
        long subscription = client.addSubscription("verbus:rdma?control-mode=manual", 1);
        client.answer(subscription);
        long added = client.destination(RawClient.ADD_RECEIVE_DESTINATION, subscription, CHANNEL);
        awaitOpening(1);
        assertRefused(added, CHANNEL);
        assertEquals(0, provider.opened.endpointCount());
    }

    // Publications

    @Test
    void answersPublicationOnceItsAddressIsOpen() {
        long added = client.addPublication(CHANNEL, 1);
        awaitOpening(1);
        assertOpens(added);
        assertEquals(1, count(SystemCounter.PUBLICATIONS));
    }

    @Test
    void reportsRefusedPublicationAndFreesResources() {
        long added = client.addPublication(CHANNEL, 1);
        awaitOpening(1);
        assertRefused(added, CHANNEL);
        awaitNoPublication();
    }

    @Test
    void endsPublicationIfClientLeavesWhileItsAddressOpens() {
        try (RawClient leaving = new RawClient(driver)) {
            leaving.addPublication(CHANNEL, 1);
            awaitOpening(1);
        }
        client.awaitRead();
        open(null);
        awaitNoPublication();
    }

    @Test
    void removesPublicationAfterItsAddressIsOpen() {
        long added = client.addPublication(CHANNEL, 1);
        awaitOpening(1);
        client.about(RawClient.REMOVE_PUBLICATION, client.id(), client.nextId(), added);
        client.awaitRead();
        assertOpens(added);
        awaitNoPublication();
    }

    private void awaitNoPublication() {
        Await.until("no log", () -> Drivers.logs(driver).equals(Set.of()));
        Await.until("no publication", () -> count(SystemCounter.PUBLICATIONS) == 0);
        Await.until("no status", () -> counters(CounterTypes.SEND_CHANNEL_STATUS) == 0);
        assertEquals(0, counters(CounterTypes.PUBLISHER_LIMIT));
    }

    // The driver

    @Test
    void closesDriverWhileAddressesAreOpening() {
        client.addSubscription(CHANNEL, 1);
        client.addPublication("verbus:rdma?endpoint=localhost:7402", 1);
        awaitOpening(2);
        driver.close();
        launch();
    }
}
