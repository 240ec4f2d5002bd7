// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Asynchronous additions to a bus. */
@Timeout(60)
class AsyncBusTest {
    private static final String IPC = "verbus:ipc";
    private static final int STREAM = 10;

    private final List<Throwable> clientErrors = new CopyOnWriteArrayList<>();
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        bus = Bus.connect(Drivers.context(driver).errorHandler(clientErrors::add));
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    @Test
    void returnsResourcesOnceDriverHasAnswered() {
        List<String> images = new CopyOnWriteArrayList<>();
        long first = bus.asyncAddPublication(IPC, STREAM);
        long second = bus.asyncAddExclusivePublication(IPC, STREAM);
        long third = bus.asyncAddSubscription(IPC, STREAM);
        long fourth =
                bus.asyncAddSubscription(
                        IPC, STREAM, image -> images.add("+"), image -> images.add("-"));
        Await.until("first", () -> bus.getPublication(first) != null);
        Await.until("second", () -> bus.getExclusivePublication(second) != null);
        Await.until("third", () -> bus.getSubscription(third) != null);
        Await.until("fourth", () -> bus.getSubscription(fourth) != null);
        assertFalse(bus.hasActiveCommands());
        assertFalse(bus.isCommandActive(first));
        Publication publication = bus.getPublication(first);
        ExclusivePublication exclusive = bus.getExclusivePublication(second);
        assertEquals(first, publication.registrationId());
        assertTrue(publication.isOriginal());
        assertSame(publication, bus.getPublication(first), "as often as it is asked for");
        assertSame(exclusive, bus.getPublication(second), "one is the other, too");
        assertThrows(BusException.class, () -> bus.getExclusivePublication(first));
        assertThrows(BusException.class, () -> bus.getSubscription(first));
        Subscription subscription = bus.getSubscription(fourth);
        Await.until("images", () -> subscription.imageCount() == 2);
        assertEquals(List.of("+", "+"), images);
        assertTrue(publication.offer(new UnsafeBuffer(new byte[8])) > 0);
        bus.asyncRemoveSubscription(fourth);
        Await.until("images have gone", () -> images.equals(List.of("+", "+", "-", "-")));
        bus.asyncRemovePublication(first);
        assertTrue(publication.isClosed());
        String gone = Drivers.refusal(() -> bus.getPublication(first));
        assertTrue(gone.contains("nothing is registered under id " + first), gone);
        bus.asyncRemovePublication(first); // nothing happens
        Publication sync = bus.addPublication(IPC, STREAM);
        assertSame(sync, bus.getPublication(sync.registrationId()));
        sync.close();
        assertThrows(BusException.class, () -> bus.getPublication(sync.registrationId()));
        assertEquals(List.of(), clientErrors);
    }

    @Test
    void reportsRejectedCommandOnce() {
        assertThrows(BusException.class, () -> bus.asyncAddPublication("verbus:nothing", STREAM));
        Publication other = bus.addExclusivePublication(IPC + "?session-id=7", STREAM);
        long id = bus.asyncAddExclusivePublication(IPC + "?session-id=7", STREAM);
        Await.until("answered", () -> !bus.isCommandActive(id));
        RegistrationException refused =
                assertThrows(RegistrationException.class, () -> bus.getPublication(id));
        assertEquals(ErrorCode.INVALID_CHANNEL, refused.code());
        String told = Drivers.refusal(() -> bus.getPublication(id));
        assertTrue(told.contains("nothing is registered"), told);
        assertFalse(other.isClosed());
    }

    /** The driver already has the resource: it must not remain. */
    @Test
    void removesResourcesStillBeingAdded() {
        for (int i = 0; i < 20; i++) {
            bus.asyncRemovePublication(bus.asyncAddPublication(IPC, STREAM));
            bus.asyncRemoveSubscription(bus.asyncAddSubscription(IPC, STREAM));
        }
        Publication last = bus.addPublication(IPC, STREAM + 1); // answered after all the others
        Await.until(
                "the others have gone",
                () -> Drivers.count(bus, CounterTypes.PUBLISHER_LIMIT) == 1);
        assertFalse(last.isConnected());
        Publication alone = bus.addPublication(IPC, STREAM);
        assertFalse(alone.isConnected());
        assertTrue(alone.isOriginal());
        assertEquals(List.of(), clientErrors);
    }

    @Test
    void addsResourcesInHandlers() {
        List<Long> ids = new CopyOnWriteArrayList<>();
        bus.addSubscription(
                IPC,
                STREAM,
                image -> ids.add(bus.asyncAddPublication(IPC, STREAM + 1)),
                image -> {});
        bus.addPublication(IPC, STREAM);
        Await.until("handler was called", () -> !ids.isEmpty());
        Await.until("added", () -> bus.getPublication(ids.getFirst()) != null);
        assertEquals(List.of(), clientErrors);
    }

    @Test
    void rejectsAddsAfterClose() {
        long before = bus.asyncAddPublication(IPC, STREAM);
        Await.until("added", () -> bus.getPublication(before) != null);
        bus.close();
        assertTrue(bus.getPublication(before).isClosed());
        long after = bus.asyncAddPublication(IPC, STREAM);
        String told = Drivers.refusal(() -> bus.getPublication(after));
        assertTrue(told.contains("the bus is closed"), told);
    }

    /** Only the calls run the driver and the conductor. */
    @Test
    void getInvokesConductorInInvokerMode() {
        try (MediaDriver invoked =
                        MediaDriver.launchEmbedded(
                                Drivers.config().threading(ThreadingMode.INVOKER));
                Bus own =
                        Bus.connect(
                                Drivers.context(invoked).driverAgentInvoker(invoked.invoker()))) {
            long id = own.asyncAddPublication(IPC, STREAM);
            assertTrue(own.isCommandActive(id));
            assertTrue(own.hasActiveCommands());
            Await.until("added", () -> own.getPublication(id) != null);
            assertNotNull(own.getPublication(id));
        }
    }
}
