// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A bus stalls until it has missed events, while its driver still receives its keepalives. */
@Timeout(240)
class LostBusTest {
    private static final String CHANNEL = "aeron:ipc?term-length=64k";
    private static final int STREAM = 10;
    private static final int EVENTS_LENGTH = 1024 * 1024;
    private static final int READERS = 40;
    private static final int ENDS = 10;
    private static final int NAME_LENGTH = 1000;
    private static final int SESSION = 77;

    /** Far longer than any test waits. */
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(200);

    private final Path directory = DriverDirectory.uniquePath();

    private final List<Throwable> lost = new CopyOnWriteArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);

    private BusContext context() {
        return new BusContext()
                .directoryName(directory.toString())
                .driverTimeout(Duration.ofSeconds(30))
                .errorHandler(error -> {});
    }

    private DriverConfig config() {
        return Drivers.config()
                .directory(directory)
                .clientLivenessTimeoutNs(LIVENESS_NS)
                .toClientsLength(EVENTS_LENGTH)
                .build();
    }

    private io.aeron.driver.MediaDriver aeronsDriver() {
        return io.aeron.driver.MediaDriver.launch(
                new io.aeron.driver.MediaDriver.Context()
                        .aeronDirectoryName(directory.toString())
                        .threadingMode(io.aeron.driver.ThreadingMode.SHARED)
                        .clientLivenessTimeoutNs(LIVENESS_NS)
                        .publicationUnblockTimeoutNs(LIVENESS_NS + 1)
                        .toClientsBufferLength(
                                EVENTS_LENGTH + BroadcastBufferDescriptor.TRAILER_LENGTH)
                        .ipcTermBufferLength(64 * 1024)
                        .dirDeleteOnShutdown(true));
    }

    @Test
    void closesAfterMissedEventsOnVerbusDriver() {
        try (MediaDriver driver = MediaDriver.launch(config())) {
            loseBus(false);
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    @Test
    void reconnectsAfterMissedEventsOnVerbusDriver() {
        try (MediaDriver driver = MediaDriver.launch(config())) {
            loseBus(true);
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    @Test
    void closesAfterMissedEventsOnAeronDriver() {
        try (io.aeron.driver.MediaDriver driver = aeronsDriver()) {
            loseBus(false);
            assertTrue(driver.context().countersManager() != null);
        }
    }

    private void loseBus(boolean isToReconnect) {
        Bus stalled =
                Bus.connect(
                        context()
                                .useConductorAgentInvoker(true)
                                .reconnect(isToReconnect)
                                .driverLostHandler((bus, reason) -> lost.add(reason)));
        try (stalled;
                Bus other = Bus.connect(context());
                Publication publication = other.addExclusivePublication(CHANNEL, STREAM);
                Subscription reader = other.addSubscription(CHANNEL, STREAM)) {
            Subscription slow = stalled.addSubscription(CHANNEL, STREAM);
            stalled.addExclusivePublication(CHANNEL + "|session-id=" + SESSION, STREAM + 1);
            Await.until("both readers", () -> reader.imageCount() == 1 && invokeFor(stalled, slow));
            Await.until("back pressure", () -> offer(publication, reader) < 0 && isRead(reader));
            missEvents(other);
            Await.until(
                    "lost",
                    () -> {
                        stalled.conductorAgentInvoker().invoke();
                        return !lost.isEmpty();
                    });
            assertTrue(
                    lost.getFirst().getMessage().contains("were lost (unable to keep up"),
                    "" + lost);
            assertEquals(!isToReconnect, stalled.isClosed());
            // Within a small part of the client liveness time-out.
            Await.until("no back pressure", 30, () -> offer(publication, reader) > 0);
            if (!isToReconnect) {
                Await.until("the session id to be free", 30, () -> isSessionFree(other));
            }
        }
        assertFalse(lost.isEmpty());
    }

    private static boolean invokeFor(Bus bus, Subscription subscription) {
        bus.conductorAgentInvoker().invoke();
        return subscription.imageCount() == 1;
    }

    private long offer(Publication publication, Subscription reader) {
        long result = publication.offer(message);
        reader.poll((buffer, offset, length, header) -> {}, 10);
        return result;
    }

    private static boolean isRead(Subscription reader) {
        return reader.poll((buffer, offset, length, header) -> {}, 10) == 0;
    }

    /** Makes the driver send all clients more than its event buffer holds. */
    private static void missEvents(Bus other) {
        // The event of an ended image contains the channel's text.
        String channel = CHANNEL + "|alias=" + "x".repeat(NAME_LENGTH);
        List<Subscription> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(other.addSubscription(channel, STREAM + 2));
        }
        int round = ENDS * READERS * NAME_LENGTH;
        for (int length = 0; length < 2 * EVENTS_LENGTH; length += round) {
            List<Publication> publications = new ArrayList<>();
            for (int i = 0; i < ENDS; i++) {
                publications.add(other.addExclusivePublication(CHANNEL, STREAM + 2));
            }
            Await.until(
                    "images", () -> readers.stream().allMatch(each -> each.imageCount() == ENDS));
            publications.forEach(Publication::close);
            Await.until("ends", () -> readers.stream().noneMatch(Subscription::isConnected));
        }
        readers.forEach(Subscription::close);
    }

    private static boolean isSessionFree(Bus other) {
        String channel = CHANNEL + "|session-id=" + SESSION;
        try (ExclusivePublication publication =
                other.addExclusivePublication(channel, STREAM + 1)) {
            return publication.sessionId() == SESSION;
        } catch (RegistrationException e) {
            return false;
        }
    }
}
