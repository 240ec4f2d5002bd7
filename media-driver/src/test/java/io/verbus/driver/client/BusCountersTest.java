// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.verbus.AvailableCounterHandler;
import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.Counter;
import io.verbus.RegistrationException;
import io.verbus.UnavailableCounterHandler;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.release.Release;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Counters of a bus, visible to an Aeron client of the same driver, and vice versa. */
@Timeout(60)
class BusCountersTest {
    private static final int TYPE = 1234;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final List<String> told = new CopyOnWriteArrayList<>();
    private MediaDriver driver;
    private Aeron aeron;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
        bus =
                Bus.connect(
                        Drivers.context(driver)
                                .clientName("prices")
                                .availableCounterHandler((all, id, counter) -> tell("+", id))
                                .unavailableCounterHandler((all, id, counter) -> tell("-", id))
                                .errorHandler(clientErrors::add));
    }

    private void tell(String what, long registrationId) {
        told.add(what + registrationId);
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

    @Test
    void aeronClientReadsKeyAndLabelOfCounter() {
        UnsafeBuffer text = new UnsafeBuffer("..key..label".getBytes(StandardCharsets.US_ASCII));
        CountersReader theirs = aeron.countersReader();
        Counter counter = bus.addCounter(TYPE, text, 2, 3, text, 7, 5);
        assertEquals(TYPE, theirs.getCounterTypeId(counter.id()));
        assertEquals("label", theirs.getCounterLabel(counter.id()));
        int key = CountersReader.metaDataOffset(counter.id()) + CountersReader.KEY_OFFSET;
        assertEquals("key", theirs.metaDataBuffer().getStringWithoutLengthAscii(key, 3));
        assertEquals(counter.registrationId(), theirs.getCounterRegistrationId(counter.id()));
        assertEquals(bus.clientId(), theirs.getCounterOwnerId(counter.id()));
        counter.set(41);
        counter.increment();
        assertEquals(42, theirs.getCounterValue(counter.id()));
        Await.until("told", () -> told.contains("+" + counter.registrationId()));
        counter.close();
        assertTrue(counter.isClosed());
        Await.until("told of the end", () -> told.contains("-" + counter.registrationId()));
        Await.until(
                "freed",
                () -> theirs.getCounterState(counter.id()) == CountersReader.RECORD_RECLAIMED);
        counter.close();
    }

    @Test
    void reportsCountersOfAeronClient() {
        List<String> added = new CopyOnWriteArrayList<>();
        AvailableCounterHandler available =
                (counters, id, counterId) ->
                        added.add("+" + id + "=" + counters.getCounterLabel(counterId));
        UnavailableCounterHandler unavailable = (counters, id, counterId) -> added.add("-" + id);
        long first = bus.addAvailableCounterHandler(available);
        bus.addUnavailableCounterHandler(unavailable);
        io.aeron.Counter counter = aeron.addCounter(TYPE, "theirs");
        long id = counter.registrationId();
        Await.until("told", () -> told.contains("+" + id));
        Await.until("the other, too", () -> added.contains("+" + id + "=theirs"));
        assertTrue(bus.removeAvailableCounterHandler(first));
        assertFalse(bus.removeAvailableCounterHandler(first));
        assertFalse(bus.removeAvailableCounterHandler(available));
        aeron.addCounter(TYPE, "another");
        counter.close();
        Await.until("told of the end", () -> added.contains("-" + id));
        assertFalse(added.toString().contains("another"), added.toString());
        assertTrue(bus.removeUnavailableCounterHandler(unavailable));
        assertFalse(bus.removeUnavailableCounterHandler(unavailable));
    }

    @Test
    void sharesAndKeepsStaticCounters() {
        Counter ours = bus.addStaticCounter(TYPE, "shared", 77);
        assertEquals(77, ours.registrationId());
        ours.set(5);
        io.aeron.Counter theirs = aeron.addStaticCounter(TYPE, "other label", 77);
        assertEquals(ours.id(), theirs.id());
        assertEquals(5, theirs.get());
        ours.close();
        UnsafeBuffer label = new UnsafeBuffer("again".getBytes(StandardCharsets.US_ASCII));
        Counter again = bus.addStaticCounter(TYPE, null, 0, 0, label, 0, 5, 77);
        assertEquals(ours.id(), again.id());
        assertEquals(5, again.get());
        assertEquals("shared", bus.counters().getCounterLabel(again.id()));
        assertEquals(5, new Counter(bus.counters(), again.id()).get());
        assertEquals(77, new Counter(bus.counters(), again.id()).registrationId());
        assertThrows(BusException.class, () -> new Counter(bus.counters(), -1));
        int beyond = bus.counters().maxCounterId();
        assertThrows(BusException.class, () -> new Counter(bus.counters(), beyond));
    }

    @Test
    void rejectsStaticCounterWithIdOfOwnedCounter() {
        Counter owned = bus.addCounter(TYPE, "owned");
        RegistrationException refused =
                assertThrows(
                        RegistrationException.class,
                        () -> bus.addStaticCounter(TYPE, "static", owned.registrationId()));
        long id = bus.async().addStaticCounter(TYPE, "static", owned.registrationId());
        Await.until("answered", () -> !bus.async().isActive(id));
        RegistrationException later =
                assertThrows(RegistrationException.class, () -> bus.async().getCounter(id));
        assertEquals(refused.code(), later.code());
    }

    @Test
    void addsCountersAsynchronously() {
        UnsafeBuffer text = new UnsafeBuffer("key".getBytes(StandardCharsets.US_ASCII));
        long first = bus.async().addCounter(TYPE, text, 0, 3, text, 0, 3);
        text.setMemory(0, 3, (byte) 'x'); // the text was copied
        long second = bus.async().addStaticCounter(TYPE, null, 0, 0, text, 0, 3, 9);
        long third = bus.async().addCounter(TYPE, "third");
        long removed = bus.async().addCounter(TYPE, "removed");
        bus.async().removeCounter(removed);
        Await.until("first", () -> bus.async().getCounter(first) != null);
        Await.until("second", () -> bus.async().getCounter(second) != null);
        Await.until("third", () -> bus.async().getCounter(third) != null);
        assertEquals("key", bus.counters().getCounterLabel(bus.async().getCounter(first).id()));
        assertEquals(9, bus.async().getCounter(second).registrationId());
        assertEquals(second, bus.async().getCounter(second).correlationId());
        Await.until("removed is gone", () -> told.contains("-" + removed));
        assertThrows(BusException.class, () -> bus.async().getCounter(removed));
        bus.async().removeCounter(third);
        Await.until("third is gone", () -> told.contains("-" + third));
        assertFalse(bus.async().hasActive());
    }

    @Test
    void freesCountersOfClosedClient() {
        Bus other = Bus.connect(Drivers.context(driver));
        AtomicInteger closed = new AtomicInteger();
        long removed = other.addCloseHandler(() -> closed.addAndGet(100));
        Runnable counted = closed::incrementAndGet;
        other.addCloseHandler(counted);
        other.addCloseHandler(() -> closed.addAndGet(10));
        assertTrue(other.removeCloseHandler(removed));
        assertTrue(other.removeCloseHandler(counted));
        assertFalse(other.removeCloseHandler(counted));
        Counter counter = other.addCounter(TYPE, "short-lived");
        other.close();
        assertEquals(10, closed.get());
        assertTrue(counter.isClosed());
        Await.until("told", () -> told.contains("-" + counter.registrationId()));
        Await.until("told of the client", () -> told.contains("-" + other.clientId()));
        assertThrows(BusException.class, () -> other.addCounter(TYPE, "late"));
    }

    @Test
    void rejectsTooLongKeysAndLabels() {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[400]);
        Counter most = bus.addCounter(TYPE, bytes, 0, 112, bytes, 0, 380);
        assertNull(
                most.label(),
                "Agrona's counter knows its label only where it was allocated: read the counters");
        assertThrows(
                IllegalArgumentException.class,
                () -> bus.addCounter(TYPE, bytes, 0, 113, bytes, 0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> bus.async().addCounter(TYPE, bytes, 0, 1, bytes, 0, 381));
        assertThrows(IllegalArgumentException.class, () -> bus.addCounter(TYPE, "x".repeat(381)));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> bus.addCounter(TYPE, bytes, 390, 11, bytes, 0, 1));
    }

    @Test
    void heartbeatLabelHasClientName() {
        bus.addCounter(TYPE, "first");
        String expected =
                "client-heartbeat: id="
                        + bus.clientId()
                        + " name=prices "
                        + Release.CURRENT.text()
                        + " pid="
                        + ProcessHandle.current().pid();
        List<String> labels = new ArrayList<>();
        Await.until(
                "named",
                () -> {
                    labels.clear();
                    bus.counters()
                            .forEach(
                                    (id, type, key, label) -> {
                                        if (type == CounterTypes.CLIENT_HEARTBEAT) {
                                            labels.add(label);
                                        }
                                    });
                    return labels.contains(expected);
                });
        assertThrows(BusException.class, () -> new BusContext().clientName("x".repeat(101)));
    }

    @Test
    void allocatesFreeSessionIds() {
        int first = bus.nextSessionId(10);
        int second = bus.nextSessionId(10);
        assertNotEquals(first, second);
        String channel = "aeron:ipc?session-id=" + second;
        assertEquals(second, bus.addExclusivePublication(channel, 10).sessionId());
        long id = bus.nextCorrelationId();
        assertTrue(bus.nextCorrelationId() > id);
        assertTrue(aeron.nextCorrelationId() > id + 1);
    }
}
