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
        long first = bus.async().addPublication(IPC, STREAM);
        long second = bus.async().addExclusivePublication(IPC, STREAM);
        long third = bus.async().addSubscription(IPC, STREAM);
        long fourth =
                bus.async()
                        .addSubscription(
                                IPC, STREAM, image -> images.add("+"), image -> images.add("-"));
        Await.until("first", () -> bus.async().getPublication(first) != null);
        Await.until("second", () -> bus.async().getExclusivePublication(second) != null);
        Await.until("third", () -> bus.async().getSubscription(third) != null);
        Await.until("fourth", () -> bus.async().getSubscription(fourth) != null);
        assertFalse(bus.async().hasActive());
        assertFalse(bus.async().isActive(first));
        Publication publication = bus.async().getPublication(first);
        ExclusivePublication exclusive = bus.async().getExclusivePublication(second);
        assertEquals(first, publication.registrationId());
        assertTrue(publication.isOriginal());
        assertSame(publication, bus.async().getPublication(first), "as often as it is asked for");
        assertSame(exclusive, bus.async().getPublication(second), "one is the other, too");
        assertThrows(BusException.class, () -> bus.async().getExclusivePublication(first));
        assertThrows(BusException.class, () -> bus.async().getSubscription(first));
        Subscription subscription = bus.async().getSubscription(fourth);
        Await.until("images", () -> subscription.imageCount() == 2);
        assertEquals(List.of("+", "+"), images);
        assertTrue(publication.offer(new UnsafeBuffer(new byte[8])) > 0);
        bus.async().removeSubscription(fourth);
        Await.until("images have gone", () -> images.equals(List.of("+", "+", "-", "-")));
        bus.async().removePublication(first);
        assertTrue(publication.isClosed());
        String gone = Drivers.refusal(() -> bus.async().getPublication(first));
        assertTrue(gone.contains("nothing is registered under id " + first), gone);
        bus.async().removePublication(first); // nothing happens
        Publication sync = bus.addPublication(IPC, STREAM);
        assertSame(sync, bus.async().getPublication(sync.registrationId()));
        sync.close();
        assertThrows(BusException.class, () -> bus.async().getPublication(sync.registrationId()));
        assertEquals(List.of(), clientErrors);
    }

    @Test
    void reportsRejectedCommandOnce() {
        assertThrows(
                BusException.class, () -> bus.async().addPublication("verbus:nothing", STREAM));
        Publication other = bus.addExclusivePublication(IPC + "?session-id=7", STREAM);
        long id = bus.async().addExclusivePublication(IPC + "?session-id=7", STREAM);
        Await.until("answered", () -> !bus.async().isActive(id));
        RegistrationException refused =
                assertThrows(RegistrationException.class, () -> bus.async().getPublication(id));
        assertEquals(ErrorCode.INVALID_CHANNEL, refused.code());
        String told = Drivers.refusal(() -> bus.async().getPublication(id));
        assertTrue(told.contains("nothing is registered"), told);
        assertFalse(other.isClosed());
    }

    /** The driver already has the resource: it must not remain. */
    @Test
    void removesResourcesStillBeingAdded() {
        for (int i = 0; i < 20; i++) {
            bus.async().removePublication(bus.async().addPublication(IPC, STREAM));
            bus.async().removeSubscription(bus.async().addSubscription(IPC, STREAM));
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
                image -> ids.add(bus.async().addPublication(IPC, STREAM + 1)),
                image -> {});
        bus.addPublication(IPC, STREAM);
        Await.until("handler was called", () -> !ids.isEmpty());
        Await.until("added", () -> bus.async().getPublication(ids.getFirst()) != null);
        assertEquals(List.of(), clientErrors);
    }

    @Test
    void rejectsAddsAfterClose() {
        long before = bus.async().addPublication(IPC, STREAM);
        Await.until("added", () -> bus.async().getPublication(before) != null);
        bus.close();
        assertTrue(bus.async().getPublication(before).isClosed());
        long after = bus.async().addPublication(IPC, STREAM);
        String told = Drivers.refusal(() -> bus.async().getPublication(after));
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
            long id = own.async().addPublication(IPC, STREAM);
            assertTrue(own.async().isActive(id));
            assertTrue(own.async().hasActive());
            Await.until("added", () -> own.async().getPublication(id) != null);
            assertNotNull(own.async().getPublication(id));
        }
    }
}
