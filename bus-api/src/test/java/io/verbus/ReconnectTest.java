// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.ScriptedDriver.Command;
import io.verbus.channel.ChannelStatus;
import io.verbus.cnc.CncFile;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.control.DriverEvent;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.UnsafeBufferPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Tests a bus that reconnects after its driver was lost. */
@Timeout(60)
class ReconnectTest {
    private static final int STREAM = 7;
    private static final String IPC = "verbus:ipc";
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[32]);

    @TempDir Path directory;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final AtomicInteger session = new AtomicInteger(100);
    private ScriptedDriver driver;
    private int driverId = 1;
    private Bus bus;

    @BeforeEach
    void connect() {
        driver = new ScriptedDriver(directory, driverId);
        bus = Bus.connect(context());
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    private BusContext context() {
        return new BusContext()
                .directoryName(directory.toString())
                .driverTimeout(Duration.ofSeconds(8))
                .keepAliveInterval(Duration.ofMillis(20))
                .lingerInterval(Duration.ofMillis(20))
                .reconnect(true)
                .errorHandler(errors::add)
                .driverLostHandler((lost, reason) -> told.add("lost"))
                .driverBackHandler(back -> told.add("back"))
                .closeHandler(() -> told.add("closed"))
                .availableImageHandler(image -> told.add("+" + image.imageId()))
                .unavailableImageHandler(image -> told.add("-" + image.imageId()));
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "condition has not come true");
            LockSupport.parkNanos(100_000);
        }
    }

    private static <T> CompletableFuture<T> async(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, task -> Thread.ofPlatform().start(task));
    }

    private void lose() throws IOException {
        driver.close();
        Files.delete(directory.resolve(CncFile.NAME));
        await(() -> !bus.isConnected());
        await(() -> told.contains("lost"));
    }

    private void nextDriver() {
        driver = new ScriptedDriver(directory, ++driverId);
    }

    /** Answers an add; returns the log. */
    private LogBuffers answer(Command.AddPublication add) {
        long id = add.correlationId();
        String name = "publication-" + driverId + "-" + id + ".log";
        int sessionId = session.incrementAndGet();
        LogBuffers log = driver.log(name, id, sessionId, STREAM);
        driver.tell(
                new DriverEvent.PublicationReady(
                        id,
                        id,
                        sessionId,
                        STREAM,
                        driver.counter(4096).id(),
                        -1,
                        add.exclusive(),
                        name));
        return log;
    }

    private Publication publication(boolean exclusive, String channel) {
        CompletableFuture<Publication> call =
                async(
                        () ->
                                exclusive
                                        ? bus.addExclusivePublication(channel, STREAM)
                                        : bus.addPublication(channel, STREAM));
        answer(driver.next(Command.AddPublication.class));
        return call.join();
    }

    private Subscription subscription(String channel) {
        CompletableFuture<Subscription> call = async(() -> bus.addSubscription(channel, STREAM));
        answer(driver.next(Command.AddSubscription.class));
        return call.join();
    }

    private void answer(Command.AddSubscription add) {
        driver.tell(new DriverEvent.SubscriptionReady(add.correlationId(), -1));
    }

    private LogBuffers image(Subscription subscription, long imageId) {
        String name = "image-" + driverId + "-" + imageId + ".log";
        LogBuffers log = driver.log(name, imageId, session.incrementAndGet(), STREAM);
        UnsafeBufferPosition position = driver.position(subscription.registrationId());
        driver.tell(
                new DriverEvent.ImageAvailable(
                        imageId,
                        subscription.registrationId(),
                        log.spec().sessionId(),
                        STREAM,
                        position.id(),
                        name,
                        "here"));
        await(() -> subscription.imageCount() > 0);
        return log;
    }

    private void expect(String... inOrder) {
        await(() -> told.size() >= inOrder.length);
        assertEquals(List.of(inOrder), told);
    }

    @Test
    void addsResourcesAgainInOriginalOrder() throws Exception {
        Publication exclusive = publication(true, IPC);
        Subscription subscription = subscription(IPC + "?alias=in");
        Publication shared = publication(false, IPC + "?alias=out");
        image(subscription, 21);
        Image image = subscription.imageAtIndex(0);
        assertEquals(64, exclusive.offer(MESSAGE));
        assertEquals(128, exclusive.offer(MESSAGE));
        int oldSession = exclusive.sessionId();
        long clientId = bus.clientId();
        lose();

        expect("+21", "-21", "lost");
        assertInstanceOf(DriverLostException.class, errors.getFirst());
        assertTrue(image.isClosed());
        assertFalse(bus.isClosed() || exclusive.isClosed() || subscription.isClosed());
        for (Publication each : List.of(exclusive, shared)) {
            assertEquals(Publication.NOT_CONNECTED, each.offer(MESSAGE));
            assertEquals(Publication.NOT_CONNECTED, each.position());
            assertEquals(Publication.NOT_CONNECTED, each.positionLimit());
            assertEquals(Publication.NOT_CONNECTED, each.availableWindow());
            assertEquals(ChannelStatus.INITIALIZING, each.channelStatus());
            assertFalse(each.isConnected());
        }
        assertEquals(oldSession, exclusive.sessionId());
        assertEquals(0, subscription.poll((buffer, offset, length, header) -> {}, 10));
        assertEquals(128, ((ExclusivePublication) exclusive).termOffset());

        nextDriver();
        Command.AddPublication first = driver.next(Command.AddPublication.class);
        Command.AddSubscription second = driver.next(Command.AddSubscription.class);
        Command.AddPublication third = driver.next(Command.AddPublication.class);
        assertTrue(first.exclusive() && !third.exclusive());
        assertEquals(IPC + "?alias=in", second.channel());
        assertEquals(IPC + "?alias=out", third.channel());
        assertTrue(bus.isConnected());
        answer(first);
        answer(second);
        image(subscription, 22);
        expect("+21", "-21", "lost", "+22");
        assertEquals(Publication.NOT_CONNECTED, shared.offer(MESSAGE));
        answer(third);
        expect("+21", "-21", "lost", "+22", "back");
        assertEquals(64, exclusive.offer(MESSAGE));
        assertEquals(64, shared.offer(MESSAGE));
        assertNotEquals(oldSession, exclusive.sessionId());
        assertEquals(first.correlationId(), exclusive.registrationId());
        assertEquals(second.correlationId(), subscription.registrationId());
        assertNotEquals(clientId, bus.clientId());
        assertEquals(1, errors.size());

        exclusive.close();
        assertEquals(new Command.RemovePublication(first.correlationId()), driver.next());
        subscription.close();
        assertEquals(new Command.RemoveSubscription(second.correlationId()), driver.next());
        assertEquals(Publication.CLOSED, exclusive.offer(MESSAGE));
        assertEquals("-22", told.getLast());
    }

    @Test
    void addWithoutDriverWaitsForNextDriverAndKeepsId() throws Exception {
        Publication early = publication(false, IPC);
        long inFlight = bus.async().addSubscription(IPC, STREAM);
        driver.next(Command.AddSubscription.class);
        lose();
        long later = bus.async().addExclusivePublication(IPC, STREAM);
        CompletableFuture<Subscription> waiting = async(() -> bus.addSubscription(IPC, STREAM + 1));
        long removed = bus.async().addPublication(IPC, STREAM + 2);
        bus.async().removePublication(removed);
        assertNull(bus.async().getPublication(later));
        assertTrue(bus.async().isActive(inFlight));
        await(() -> waiting.isDone() || bus.async().hasActive());

        nextDriver();
        answer(driver.next(Command.AddPublication.class));
        answer(driver.next(Command.AddSubscription.class));
        Command.AddPublication add = driver.next(Command.AddPublication.class);
        assertTrue(add.correlationId() > later, "an id of the driver that is gone");
        answer(add);
        Command.AddSubscription last = driver.next(Command.AddSubscription.class);
        assertEquals(STREAM + 1, last.streamId());
        answer(last);
        assertEquals(STREAM + 1, waiting.join().streamId());
        await(() -> bus.async().getSubscription(inFlight) != null);
        ExclusivePublication made = bus.async().getExclusivePublication(later);
        assertEquals(64, made.offer(MESSAGE));
        assertEquals(64, early.offer(MESSAGE));
        bus.async().removePublication(later);
        assertEquals(new Command.RemovePublication(made.registrationId()), driver.next());
        assertTrue(made.isClosed());
    }

    @Test
    void addThatTimesOutWithoutDriverIsNotRetried() throws Exception {
        bus.close();
        told.clear();
        bus = Bus.connect(context().driverTimeout(Duration.ofMillis(300)));
        driver.next(Command.ClientClose.class);
        lose();
        BusException e = assertThrows(BusException.class, () -> bus.addPublication(IPC, STREAM));
        assertTrue(e.getMessage().contains("has not answered the request to "), e.getMessage());
        nextDriver();
        expect("lost", "back");
        assertFalse(driver.hasNext());
    }

    @Test
    void reportsOnceWhyNoDriverIsFound() throws Exception {
        bus.close();
        bus = Bus.connect(context().driverTimeout(Duration.ofMillis(300)));
        lose();
        await(() -> errors.stream().anyMatch(DriverTimeoutException.class::isInstance));
        LockSupport.parkNanos(500_000_000);
        List<String> why =
                errors.stream()
                        .filter(DriverTimeoutException.class::isInstance)
                        .map(Throwable::getMessage)
                        .toList();
        assertEquals(1, why.size(), why.toString());
        assertTrue(
                why.getFirst().startsWith("no media driver was found within 300 ms")
                        && why.getFirst().contains(": start a media driver"),
                why.getFirst());
        nextDriver();
        await(() -> bus.isConnected());
    }

    @Test
    void resourceClosedWithoutDriverIsNotAddedAgain() throws Exception {
        Publication publication = publication(true, IPC);
        Subscription subscription = subscription(IPC);
        Subscription stays = subscription(IPC);
        lose();
        publication.close();
        subscription.close();
        assertEquals(Publication.CLOSED, publication.offer(MESSAGE));
        nextDriver();
        Command.AddSubscription add = driver.next(Command.AddSubscription.class);
        stays.close(); // while the driver is asked
        assertEquals(new Command.RemoveSubscription(add.correlationId()), driver.next());
        expect("lost", "back");
        assertFalse(driver.hasNext());
    }

    @Test
    void resourceClosedWhileNextDriverAddsItIsRemoved() throws Exception {
        Publication publication = publication(true, IPC);
        lose();
        nextDriver();
        Command.AddPublication add = driver.next(Command.AddPublication.class);
        publication.close();
        answer(add);
        assertEquals(new Command.RemovePublication(add.correlationId()), driver.next());
        expect("lost", "back");
        assertEquals(Publication.CLOSED, publication.offer(MESSAGE));
    }

    @Test
    void resourceThatNextDriverRejectsIsClosedAndReported() throws Exception {
        Publication publication = publication(true, IPC + "?session-id=5");
        Subscription subscription = subscription(IPC);
        Publication other = publication(false, IPC);
        long id = publication.registrationId();
        lose();
        errors.clear();
        nextDriver();
        long refused = driver.next(Command.AddPublication.class).correlationId();
        driver.tell(
                new DriverEvent.CommandFailed(refused, ErrorCode.GENERIC_ERROR, "session clash"));
        driver.tell(
                new DriverEvent.CommandFailed(
                        driver.next(Command.AddSubscription.class).correlationId(),
                        ErrorCode.INVALID_CHANNEL,
                        "no such channel"));
        answer(driver.next(Command.AddPublication.class));
        expect("lost", "back");
        assertTrue(publication.isClosed() && subscription.isClosed());
        assertEquals(Publication.CLOSED, publication.offer(MESSAGE));
        assertEquals(64, other.offer(MESSAGE));
        assertEquals(2, errors.size());
        RegistrationException e = assertInstanceOf(RegistrationException.class, errors.getFirst());
        assertEquals(ErrorCode.GENERIC_ERROR, e.code());
        assertTrue(e.getMessage().contains("was closed"), e.getMessage());
        assertTrue(e.getMessage().endsWith("session clash"), e.getMessage());
        assertThrows(BusException.class, () -> bus.async().getPublication(id));
        publication.close();
        assertFalse(driver.hasNext());
    }

    @Test
    void destinationsAddedAgainKeepIds() throws Exception {
        Publication publication = publication(true, "verbus:udp?control-mode=manual");
        long[] ids = new long[3];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = publication.asyncAddDestination("verbus:udp?endpoint=h:" + (9000 + i));
            long id = driver.next(Command.AddDestination.class).correlationId();
            assertEquals(ids[i], id);
            driver.tell(new DriverEvent.CommandSucceeded(id));
        }
        CompletableFuture<Void> removed =
                async(
                        () -> {
                            publication.removeDestination(ids[0]);
                            return null;
                        });
        driver.tell(
                new DriverEvent.CommandSucceeded(
                        driver.next(Command.RemoveDestination.class).correlationId()));
        removed.join();
        lose();
        assertTrue(
                assertThrows(
                                DriverLostException.class,
                                () -> publication.addDestination("verbus:udp?endpoint=h:1"))
                        .getMessage()
                        .contains("add the destination"));
        assertThrows(DriverLostException.class, () -> bus.nextSessionId(STREAM));

        nextDriver();
        answer(driver.next(Command.AddPublication.class));
        errors.clear();
        long[] again = new long[2];
        for (int i = 0; i < again.length; i++) {
            Command.AddDestination add = driver.next(Command.AddDestination.class);
            assertEquals("verbus:udp?endpoint=h:" + (9001 + i), add.channel());
            assertEquals(publication.registrationId(), add.registrationId());
            again[i] = add.correlationId();
        }
        driver.tell(new DriverEvent.CommandSucceeded(again[0]));
        expect("lost");
        driver.tell(
                new DriverEvent.CommandFailed(again[1], ErrorCode.INVALID_CHANNEL, "no address"));
        expect("lost", "back");
        assertTrue(errors.getFirst().getMessage().contains("h:9002"), errors.toString());
        publication.asyncRemoveDestination(ids[1]);
        Command.RemoveDestination remove = driver.next(Command.RemoveDestination.class);
        assertEquals(again[0], remove.destinationId());
        driver.tell(new DriverEvent.CommandSucceeded(remove.correlationId()));
        await(() -> !bus.async().hasActive());

        told.clear();
        lose();
        nextDriver();
        answer(driver.next(Command.AddPublication.class));
        expect("lost", "back"); // and no destination is left
        assertFalse(driver.hasNext());
    }

    @Test
    void countersKeepValuesAfterReconnect() throws Exception {
        CompletableFuture<Counter> call = async(() -> bus.addCounter(1001, "mine"));
        driver.tell(
                new DriverEvent.CounterReady(
                        driver.next(Command.AddCounter.class).correlationId(),
                        driver.counter(0).id()));
        Counter counter = call.join();
        counter.set(40);
        int oldId = counter.id();
        lose();
        assertEquals(40, counter.increment());
        assertEquals(41, counter.get());
        assertEquals(oldId, counter.id());
        nextDriver();
        Command.AddCounter add = driver.next(Command.AddCounter.class);
        assertEquals(1001, add.typeId());
        driver.counter(0); // so that the counter gets another id
        UnsafeBufferPosition place = driver.counter(0);
        driver.tell(new DriverEvent.CounterReady(add.correlationId(), place.id()));
        expect("lost", "back");
        assertEquals(41, place.get());
        assertEquals(place.id(), counter.id());
        assertEquals(41, counter.getAndAdd(1));
        assertEquals(42, place.get());
        assertEquals(add.correlationId(), counter.registrationId());
        assertFalse(counter.isClosed());
    }

    @Test
    void requestsUseResponseSubscriptionIdOfNextDriver() throws Exception {
        Subscription responses =
                subscription("verbus:udp?control=localhost:9000|control-mode=response");
        String request = "verbus:udp?endpoint=localhost:9001|response-correlation-id=";
        publication(true, request + responses.registrationId());
        Publication ofNobody = publication(true, request + 99_999);
        for (int i = 0; i < 2; i++) {
            told.clear();
            lose();
            nextDriver();
            answer(driver.next(Command.AddSubscription.class));
            Command.AddPublication add = driver.next(Command.AddPublication.class);
            assertTrue(
                    add.channel().contains("response-correlation-id=" + responses.registrationId()),
                    add.channel());
            answer(add);
            expect("lost", "back");
            assertTrue(ofNobody.isClosed());
        }
        assertTrue(errors.toString().contains("response-correlation-id=99999"), errors.toString());
    }

    @Test
    void closingBusWithoutDriverClosesAllResources() throws Exception {
        Publication publication = publication(true, IPC);
        Subscription subscription = subscription(IPC);
        lose();
        CompletableFuture<Subscription> waiting = async(() -> bus.addSubscription(IPC, STREAM));
        await(() -> bus.async().hasActive());
        bus.close();
        assertTrue(publication.isClosed() && subscription.isClosed() && bus.isClosed());
        assertEquals(Publication.CLOSED, publication.offer(MESSAGE));
        CompletionException e = assertThrows(CompletionException.class, waiting::join);
        assertTrue(e.getCause().getMessage().contains("the bus is closed"), e.toString());
        expect("lost", "closed");
        nextDriver();
        assertFalse(driver.hasNext());
    }

    @Test
    void droppedClientReconnectsToSameDriverAsNewClient() {
        Publication publication = publication(true, IPC);
        long clientId = bus.clientId();
        await(() -> driver.keepalives() > 0);
        driver.giveUp(clientId);
        await(() -> told.contains("lost"));
        assertEquals(new Command.ClientClose(clientId), driver.next());
        answer(driver.next(Command.AddPublication.class));
        expect("lost", "back");
        assertEquals(64, publication.offer(MESSAGE));
        assertNotEquals(clientId, bus.clientId());
    }

    /** The driver releases the old stream once it has lingered. */
    @Test
    void retriesAddsWhileSameDriverStillHoldsOldResources() {
        Publication publication = publication(true, IPC + "?session-id=5");
        Subscription subscription = subscription(IPC);
        await(() -> driver.keepalives() > 0);
        long clientId = bus.clientId();
        driver.giveUp(clientId);
        assertEquals(new Command.ClientClose(clientId), driver.next());
        for (int i = 0; i < 3; i++) {
            driver.tell(
                    new DriverEvent.CommandFailed(
                            driver.next(Command.AddPublication.class).correlationId(),
                            ErrorCode.GENERIC_ERROR,
                            "session clash"));
            if (i == 0) {
                driver.tell(
                        new DriverEvent.CommandFailed(
                                driver.next(Command.AddSubscription.class).correlationId(),
                                ErrorCode.GENERIC_ERROR,
                                "not yet"));
            } else if (i == 1) {
                answer(driver.next(Command.AddSubscription.class));
            }
        }
        assertEquals(Publication.NOT_CONNECTED, publication.offer(MESSAGE));
        answer(driver.next(Command.AddPublication.class));
        expect("lost", "back");
        assertEquals(64, publication.offer(MESSAGE));
        assertFalse(subscription.isClosed());
        assertEquals(1, errors.size());
    }

    @Test
    void movesToNextDriverIfDriverIsLostDuringReconnect() throws Exception {
        Publication one = publication(true, IPC);
        Publication two = publication(false, IPC);
        for (int i = 0; i < 3; i++) {
            told.clear();
            lose();
            nextDriver();
            answer(driver.next(Command.AddPublication.class));
            await(() -> one.offer(MESSAGE) == 64);
            driver.next(Command.AddPublication.class);
        }
        told.clear();
        lose();
        nextDriver();
        answer(driver.next(Command.AddPublication.class));
        answer(driver.next(Command.AddPublication.class));
        expect("lost", "back");
        assertEquals(64, one.offer(MESSAGE));
        assertEquals(64, two.offer(MESSAGE));
    }

    @Test
    void reconnectsOnApplicationThreadWithInvoker() throws Exception {
        bus.close();
        driver.next(Command.ClientClose.class);
        told.clear();
        bus = Bus.connect(context().useConductorAgentInvoker(true));
        CompletableFuture<Publication> call = async(() -> bus.addPublication(IPC, STREAM));
        answer(driver.next(Command.AddPublication.class));
        Publication publication = call.join();
        driver.close();
        Files.delete(directory.resolve(CncFile.NAME));
        await(
                () -> {
                    bus.conductorAgentInvoker().invoke();
                    return !bus.isConnected();
                });
        CompletableFuture<Subscription> waiting = async(() -> bus.addSubscription(IPC, STREAM));
        nextDriver();
        answer(driver.next(Command.AddPublication.class));
        answer(driver.next(Command.AddSubscription.class));
        assertEquals(STREAM, waiting.join().streamId());
        await(
                () -> {
                    bus.conductorAgentInvoker().invoke();
                    return told.contains("back");
                });
        assertEquals(64, publication.offer(MESSAGE));
    }
}
