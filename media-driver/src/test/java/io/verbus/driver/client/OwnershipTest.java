// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands of one client about resources, or with ids, of another. */
@Timeout(120)
class OwnershipTest {
    private static final String PLACE = "aeron:udp?endpoint=127.0.0.1:30997";
    private static final String LOG = "aeron:ipc?term-length=64k";

    private final MediaDriver driver =
            MediaDriver.launchEmbedded(
                    Drivers.config()
                            .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(60))
                            .toClientsLength(16 * 1024 * 1024));
    private final RawClient owner = new RawClient(driver);
    private final RawClient other = new RawClient(driver);
    private long publication;
    private long subscription;
    private long manualPublication;
    private long manualSubscription;
    private long destination;
    private long counter;
    private long image;

    @BeforeEach
    void add() {
        publication = done(owner.addPublication(LOG, 1));
        subscription = done(owner.addSubscription("aeron:ipc", 1));
        manualPublication =
                done(owner.addPublication("aeron:udp?control-mode=manual|term-length=64k", 1));
        manualSubscription = done(owner.addSubscription("aeron:udp?control-mode=manual", 1));
        destination = done(owner.destination(RawClient.ADD_DESTINATION, manualPublication, PLACE));
        done(owner.destination(RawClient.ADD_RECEIVE_DESTINATION, manualSubscription, PLACE));
        counter = done(owner.addCounter());
        image = GreedyClientTest.awaitImage(owner, subscription);
        assertFalse(other.answer(other.addCounter()).isError());
    }

    @AfterEach
    void close() {
        owner.close();
        other.close();
        driver.close();
    }

    private long done(long correlationId) {
        RawClient.Event answer = owner.answer(correlationId);
        assertFalse(answer.isError(), answer.text());
        return correlationId;
    }

    private void refused(ErrorCode code, long correlationId) {
        RawClient.Event answer = other.answer(correlationId);
        assertEquals(code, answer.code(), answer.text());
        assertAllIsThere();
    }

    private void assertAllIsThere() {
        assertEquals(2, system(SystemCounter.PUBLICATIONS));
        assertEquals(3, system(SystemCounter.SUBSCRIPTIONS));
    }

    private long system(SystemCounter counter) {
        return counters().getCounterValue(counter.ordinal());
    }

    private CountersReader counters() {
        return owner.counters();
    }

    private long about(int typeId, long registrationId) {
        long correlationId = other.nextId();
        other.about(typeId, other.id(), correlationId, registrationId);
        return correlationId;
    }

    @Test
    void refusesToRemovePublicationOfAnotherClient() {
        refused(ErrorCode.UNKNOWN_PUBLICATION, about(RawClient.REMOVE_PUBLICATION, publication));
        long revoked = other.nextId();
        other.revoke(other.id(), revoked, publication);
        refused(ErrorCode.UNKNOWN_PUBLICATION, revoked);
    }

    @Test
    void refusesToRemoveSubscriptionOfAnotherClient() {
        refused(ErrorCode.UNKNOWN_SUBSCRIPTION, about(RawClient.REMOVE_SUBSCRIPTION, subscription));
    }

    @Test
    void refusesToRemoveCounterOfAnotherClient() {
        refused(ErrorCode.UNKNOWN_COUNTER, about(RawClient.REMOVE_COUNTER, counter));
    }

    @Test
    void refusesToChangeDestinationsOfAnotherClient() {
        refused(
                ErrorCode.UNKNOWN_PUBLICATION,
                other.destination(RawClient.ADD_DESTINATION, manualPublication, PLACE));
        refused(
                ErrorCode.UNKNOWN_PUBLICATION,
                other.destination(RawClient.REMOVE_DESTINATION, manualPublication, PLACE));
        long byId = other.nextId();
        other.removeDestinationById(other.id(), byId, manualPublication, destination);
        refused(ErrorCode.UNKNOWN_PUBLICATION, byId);
        refused(
                ErrorCode.UNKNOWN_SUBSCRIPTION,
                other.destination(RawClient.ADD_RECEIVE_DESTINATION, manualSubscription, PLACE));
        refused(
                ErrorCode.UNKNOWN_SUBSCRIPTION,
                other.destination(RawClient.REMOVE_RECEIVE_DESTINATION, manualSubscription, PLACE));
    }

    /** A command waiting for a name server would delay the owner's commands. */
    @Test
    void rejectsForeignCommandBeforeResolvingNames() {
        refused(
                ErrorCode.UNKNOWN_PUBLICATION,
                other.destination(
                        RawClient.ADD_DESTINATION,
                        manualPublication,
                        "aeron:udp?endpoint=no-such-host.invalid:1"));
        assertEquals(0, system(SystemCounter.NAME_RESOLVER_MAX_TIME));
    }

    @Test
    void acceptsImageRejectionOnlyFromSubscriber() {
        long rejected = other.nextId();
        other.rejectImage(other.id(), rejected, image);
        RawClient.Event answer = other.answer(rejected);
        assertTrue(answer.text().contains("does not read image " + image), answer.text());
        assertEquals(0, system(SystemCounter.IMAGES_REJECTED));
        long own = other.addSubscription("aeron:ipc", 1);
        assertFalse(other.answer(own).isError());
        long again = other.nextId();
        other.rejectImage(other.id(), again, image);
        assertFalse(other.answer(again).isError());
        assertEquals(1, system(SystemCounter.IMAGES_REJECTED));
    }

    @Test
    void revokesSharedPublicationOnlyForSoleHolder() {
        long first = owner.nextId();
        owner.addPublication(RawClient.ADD_PUBLICATION, owner.id(), first, 5, LOG);
        done(first);
        long second = other.nextId();
        other.addPublication(RawClient.ADD_PUBLICATION, other.id(), second, 5, LOG);
        assertFalse(other.answer(second).isError());
        long revoked = other.nextId();
        other.revoke(other.id(), revoked, second);
        assertFalse(other.answer(revoked).isError());
        assertEquals(0, system(SystemCounter.PUBLICATIONS_REVOKED));
        long last = owner.nextId();
        owner.revoke(owner.id(), last, first);
        done(last);
        assertEquals(1, system(SystemCounter.PUBLICATIONS_REVOKED));
    }

    @Test
    void refusesToRedirectResponsesOfAnotherClient() {
        long waiting =
                done(
                        owner.addSubscription(
                                "aeron:udp?control-mode=response|control=127.0.0.1:30996", 9));
        RawClient.Event answer =
                other.answer(
                        other.addPublication(
                                "aeron:udp?endpoint=127.0.0.1:30995|term-length=64k"
                                        + "|response-correlation-id="
                                        + waiting,
                                9));
        assertTrue(answer.text().contains("unable to find response subscription"), answer.text());
    }

    /** A command with the id of another client's resource is not answered at all. */
    @Test
    void ignoresCommandWithIdOfAnotherClient() {
        owner.take();
        for (long taken :
                List.of(publication, subscription, manualPublication, counter, owner.id())) {
            other.addSubscription(other.id(), taken, 1, "aeron:no-media");
            other.addSubscription(other.id(), taken, 1, "aeron:ipc");
            other.addPublication(RawClient.ADD_PUBLICATION, other.id(), taken, 1, LOG);
            other.addCounter(RawClient.ADD_COUNTER, other.id(), taken, 1001, 0);
            other.addCounter(RawClient.ADD_STATIC_COUNTER, other.id(), taken, 1001, 3);
            other.about(RawClient.REMOVE_COUNTER, other.id(), taken, 1);
            other.about(RawClient.REMOVE_PUBLICATION, other.id(), taken, 1);
            other.about(RawClient.REMOVE_SUBSCRIPTION, other.id(), taken, 1);
            other.rejectImage(other.id(), taken, 1);
            other.nextSessionId(other.id(), taken);
            other.junk(RawClient.ADD_SUBSCRIPTION, other.id(), taken, 20);
        }
        other.awaitRead();
        done(owner.addCounter());
        assertEquals(
                List.of(),
                other.take().stream()
                        .filter(each -> each.correlationId() <= counter && each.isError())
                        .toList());
        assertAllIsThere();
        assertEquals(
                1,
                Drivers.errors(driver).stream()
                        .filter(each -> each.contains("which another client uses"))
                        .count());
    }

    @Test
    void rejectsIdThatWasNotAllocated() {
        long later = other.nextId() + 1_000_000;
        other.addSubscription(other.id(), later, 1, "aeron:ipc");
        RawClient.Event answer = other.answer(later);
        assertEquals(ErrorCode.MALFORMED_COMMAND, answer.code());
        assertTrue(answer.text().contains("was not allocated"), answer.text());
    }

    @Test
    void rejectsNegativeClientId() {
        long correlationId = other.nextId();
        other.addSubscription(-5, correlationId, 1, "aeron:ipc");
        assertEquals(ErrorCode.MALFORMED_COMMAND, other.answer(correlationId).code());
    }

    @Test
    void ignoresTerminationUnlessAllowed() {
        other.terminate(other.id());
        other.awaitRead();
        done(owner.addCounter());
    }

    /** Documented in docs/security.md: the driver cannot tell which client sends a command. */
    @Test
    void acceptsKeepaliveAndCloseFromAnyClient() {
        other.ofClient(RawClient.KEEPALIVE, owner.id());
        other.awaitRead();
        assertAllIsThere();
        other.ofClient(RawClient.CLIENT_CLOSE, owner.id());
        Await.until("all of the owner has gone", () -> system(SystemCounter.SUBSCRIPTIONS) == 0);
    }
}
