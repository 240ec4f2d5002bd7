// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.control.DriverEvent;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.UnsafeBufferPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

class BusTest {
    private static final int STREAM = 10;
    private static final int SESSION = -9;
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[] {1, 2, 3});

    @TempDir Path directory;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<DriverLostException> losses = new CopyOnWriteArrayList<>();
    private final List<String> images = new CopyOnWriteArrayList<>();
    private ScriptedDriver driver;
    private Bus bus;

    @BeforeEach
    void connect() {
        driver = new ScriptedDriver(directory, 1);
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
                .errorHandler(errors::add)
                .driverLostHandler((lost, reason) -> losses.add(reason))
                .availableImageHandler(image -> images.add("+" + image.imageId()))
                .unavailableImageHandler(
                        image -> images.add("-" + image.imageId() + "@" + image.position()));
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "condition has not come true");
            LockSupport.parkNanos(100_000);
        }
    }

    private static <T> CompletableFuture<T> async(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                result.complete(call.get());
                            } catch (Throwable e) {
                                result.completeExceptionally(e);
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static BusException failureOf(CompletableFuture<?> call) {
        CompletionException e = assertThrows(CompletionException.class, call::join);
        return assertInstanceOf(BusException.class, e.getCause());
    }

    private ScriptedDriver.Command.AddPublication nextAddPublication() {
        return assertInstanceOf(ScriptedDriver.Command.AddPublication.class, driver.next());
    }

    private void publicationReady(long correlationId, long logId, int limitId, boolean exclusive) {
        driver.tell(
                new DriverEvent.PublicationReady(
                        correlationId,
                        logId,
                        SESSION,
                        STREAM,
                        limitId,
                        -1,
                        exclusive,
                        "publication-" + logId + ".log"));
    }

    private Publication publication(UnsafeBufferPosition limit) {
        CompletableFuture<Publication> call = async(() -> bus.addPublication("verbus:ipc", STREAM));
        long id = nextAddPublication().correlationId();
        driver.log("publication-" + id + ".log", id, SESSION, STREAM);
        publicationReady(id, id, limit.id(), false);
        return call.join();
    }

    private Subscription subscription() {
        CompletableFuture<Subscription> call =
                async(() -> bus.addSubscription("verbus:ipc?alias=in", STREAM));
        ScriptedDriver.Command.AddSubscription add =
                assertInstanceOf(ScriptedDriver.Command.AddSubscription.class, driver.next());
        assertEquals(STREAM, add.streamId());
        assertEquals("verbus:ipc?alias=in", add.channel());
        driver.tell(new DriverEvent.SubscriptionReady(add.correlationId(), -1));
        return call.join();
    }

    private LogBuffers image(Subscription subscription, long imageId) {
        LogBuffers log = driver.log("image-" + imageId + ".log", imageId, SESSION, STREAM);
        UnsafeBufferPosition position = driver.position(subscription.registrationId());
        driver.tell(
                new DriverEvent.ImageAvailable(
                        imageId,
                        subscription.registrationId(),
                        SESSION,
                        STREAM,
                        position.id(),
                        "image-" + imageId + ".log",
                        "here"));
        await(() -> subscription.imageCount() > 0);
        return log;
    }

    @Test
    void addsPublicationsThatWriteToDriverLog() {
        UnsafeBufferPosition limit = driver.counter(1 << 16);
        Publication publication = publication(limit);
        assertEquals(SESSION, publication.sessionId());
        assertEquals(STREAM, publication.streamId());
        assertEquals("verbus:ipc", publication.channel().toString());
        assertTrue(publication.isConnected());
        assertEquals(64, publication.offer(MESSAGE));
        assertEquals(64, publication.position());
        assertEquals(1 << 16, publication.positionLimit());
        publication.close();
        publication.close();
        assertEquals(
                new ScriptedDriver.Command.RemovePublication(publication.registrationId()),
                driver.next());
        assertEquals(Publication.CLOSED, publication.offer(MESSAGE));
        assertEquals(Publication.CLOSED, publication.position());
        assertEquals(Publication.CLOSED, publication.positionLimit());
        assertFalse(publication.isConnected());
        assertEquals(List.of(), errors);
    }

    @Test
    void addsExclusivePublications() {
        CompletableFuture<ExclusivePublication> call =
                async(() -> bus.addExclusivePublication("verbus:ipc?mtu=1k", STREAM));
        ScriptedDriver.Command.AddPublication add = nextAddPublication();
        assertTrue(add.exclusive());
        assertEquals("verbus:ipc?mtu=1k", add.channel());
        driver.log("publication-3.log", 3, SESSION, STREAM);
        publicationReady(add.correlationId(), 3, driver.counter(4096).id(), true);
        ExclusivePublication publication = call.join();
        assertEquals(64, publication.offer(MESSAGE));
        assertEquals(1024 - 32, publication.maxPayloadLength());
        assertEquals(8192, publication.maxMessageLength());
    }

    @Test
    void sharesOneLogBetweenPublicationsOfStream() {
        UnsafeBufferPosition limit = driver.counter(1 << 16);
        Publication one = publication(limit);
        CompletableFuture<Publication> call = async(() -> bus.addPublication("verbus:ipc", STREAM));
        publicationReady(
                nextAddPublication().correlationId(), one.registrationId(), limit.id(), false);
        Publication two = call.join();
        assertEquals(64, one.offer(MESSAGE));
        assertEquals(128, two.offer(MESSAGE));
        assertEquals(128, one.position());
        one.close();
        assertEquals(Publication.CLOSED, one.offer(MESSAGE));
        assertEquals(192, two.offer(MESSAGE));
    }

    @Test
    void reportsReasonWhenDriverRejectsAdd() {
        CompletableFuture<Publication> publication =
                async(() -> bus.addPublication("verbus:ipc", STREAM));
        driver.tell(
                new DriverEvent.CommandFailed(
                        nextAddPublication().correlationId(), ErrorCode.STORAGE_SPACE, "no space"));
        RegistrationException e =
                assertInstanceOf(RegistrationException.class, failureOf(publication));
        assertEquals(ErrorCode.STORAGE_SPACE, e.code());
        assertEquals("no space", e.getMessage());

        CompletableFuture<Subscription> subscription =
                async(() -> bus.addSubscription("verbus:ipc", STREAM));
        ScriptedDriver.Command.AddSubscription add =
                assertInstanceOf(ScriptedDriver.Command.AddSubscription.class, driver.next());
        driver.tell(
                new DriverEvent.CommandFailed(
                        add.correlationId(), ErrorCode.NOT_SUPPORTED, "no rdma"));
        assertEquals("no rdma", failureOf(subscription).getMessage());
    }

    @Test
    void rejectsInvalidChannelsWithoutSendingCommand() {
        assertThrows(BusException.class, () -> bus.addPublication("verbus:ipc?x=1", STREAM));
        assertThrows(BusException.class, () -> bus.addSubscription("verbus:tcp", STREAM));
        assertThrows(
                BusException.class,
                () -> bus.addPublication("verbus:rdma?endpoint=host:0", STREAM));
    }

    @Test
    void timesOutAndReleasesResourceOfLateAnswer() throws Exception {
        try (Bus hasty = Bus.connect(context().driverTimeout(Duration.ofMillis(50)))) {
            BusException e =
                    assertThrows(
                            DriverTimeoutException.class,
                            () -> hasty.addPublication("verbus:ipc", STREAM));
            assertTrue(e.getMessage().contains("50 ms"), e.getMessage());
            // The client releases the resource of an answer that arrives too late.
            long id = nextAddPublication().correlationId();
            driver.log("publication-" + id + ".log", id, SESSION, STREAM);
            publicationReady(id, id, driver.counter(0).id(), false);
            assertEquals(new ScriptedDriver.Command.RemovePublication(id), driver.next());
        }
    }

    @Test
    void reportsRejectedStreams() {
        List<String> told = new CopyOnWriteArrayList<>();
        try (Bus other =
                Bus.connect(
                        context()
                                .publicationErrorHandler(
                                        (publication, code, message) ->
                                                told.add(
                                                        publication.registrationId()
                                                                + " "
                                                                + code
                                                                + " "
                                                                + message)))) {
            CompletableFuture<Publication> call =
                    async(() -> other.addPublication("verbus:ipc", STREAM));
            long id = nextAddPublication().correlationId();
            driver.log("publication-5.log", 5, SESSION, STREAM);
            publicationReady(id, 5, driver.counter(0).id(), false);
            call.join();
            for (int log : new int[] {77, 5}) {
                driver.tell(
                        new DriverEvent.PublicationFailed(
                                log, -1, -1, -1, null, ErrorCode.IMAGE_REJECTED, "of " + log));
            }
            await(() -> !told.isEmpty());
            assertEquals(List.of(id + " IMAGE_REJECTED of 5"), told);
        }
    }

    /** The event contains a counter id, which may equal the id of a pending command. */
    @Test
    void namesResourceOfFailedChannel() {
        CompletableFuture<Publication> waiting =
                async(() -> bus.addPublication("verbus:ipc", STREAM));
        int number = (int) nextAddPublication().correlationId();
        CompletableFuture<Subscription> call =
                async(() -> bus.addSubscription("verbus:udp?endpoint=localhost:1", STREAM));
        ScriptedDriver.Command.AddSubscription add =
                assertInstanceOf(ScriptedDriver.Command.AddSubscription.class, driver.next());
        driver.tell(new DriverEvent.SubscriptionReady(add.correlationId(), number));
        Subscription subscription = call.join();
        driver.tell(
                new DriverEvent.CommandFailed(
                        number, ErrorCode.CHANNEL_ENDPOINT_ERROR, "the socket is gone"));
        await(() -> !errors.isEmpty());
        String told = errors.get(0).getMessage();
        assertEquals(subscription + ": the socket is gone", told);
        assertFalse(waiting.isDone());
        assertFalse(subscription.isClosed());
    }

    @Test
    void deliversFramesWrittenToImage() {
        Subscription subscription = subscription();
        assertTrue(subscription.hasNoImages());
        LogBuffers log = image(subscription, 21);
        assertEquals(List.of("+21"), images);
        assertTrue(subscription.isConnected());
        Image image = subscription.imageBySessionId(SESSION);
        assertNotNull(image);
        assertEquals("here", image.source());
        assertSame(subscription, image.subscription());

        new io.verbus.logbuffer.ExclusiveAppender(log).append(MESSAGE, 0, 3, 0, 4096);
        byte[] received = new byte[3];
        assertEquals(
                1, subscription.poll((buffer, at, length, h) -> buffer.getBytes(at, received), 9));
        assertArrayEquals(new byte[] {1, 2, 3}, received);
        assertEquals(64, image.position());

        driver.tell(new DriverEvent.ImageUnavailable(21, subscription.registrationId()));
        await(subscription::hasNoImages);
        await(() -> images.size() == 2);
        assertEquals("-21@64", images.get(1));
        assertTrue(image.isClosed());
        assertEquals(64, image.position());
        assertEquals(0, subscription.poll((buffer, at, length, h) -> {}, 9));
    }

    @Test
    void usesThreadFactoryAndHandlersOfContext() {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        List<Throwable> ofPolls = new CopyOnWriteArrayList<>();
        try (Bus other =
                Bus.connect(
                        context()
                                .subscriberErrorHandler(ofPolls::add)
                                .threadFactory(
                                        task -> {
                                            Thread thread = new Thread(task);
                                            thread.setDaemon(true);
                                            threads.add(thread);
                                            return thread;
                                        }))) {
            assertEquals("verbus-client-conductor", threads.get(0).getName());
            CompletableFuture<Subscription> call =
                    async(() -> other.addSubscription("verbus:ipc", STREAM));
            ScriptedDriver.Command.AddSubscription add =
                    assertInstanceOf(ScriptedDriver.Command.AddSubscription.class, driver.next());
            driver.tell(new DriverEvent.SubscriptionReady(add.correlationId(), -1));
            Subscription subscription = call.join();
            LogBuffers log = image(subscription, 23);
            new io.verbus.logbuffer.ExclusiveAppender(log).append(MESSAGE, 0, 3, 0, 4096);
            subscription.poll(
                    (buffer, at, length, header) -> {
                        throw new IllegalStateException("handler");
                    },
                    1);
            assertEquals("handler", ofPolls.get(0).getMessage());
            assertEquals(List.of(), errors);
        }
    }

    @Test
    void removesImagesWhenSubscriptionIsClosed() {
        Subscription subscription = subscription();
        image(subscription, 21);
        subscription.close();
        assertTrue(subscription.hasNoImages());
        assertEquals(
                new ScriptedDriver.Command.RemoveSubscription(subscription.registrationId()),
                driver.next());
        await(() -> images.size() == 2);
        assertEquals(List.of("+21", "-21@0"), images);
    }

    @Test
    void rejectsImagesWithInvalidFrames() {
        Subscription subscription = subscription();
        LogBuffers log = image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        new io.verbus.logbuffer.ExclusiveAppender(log).append(MESSAGE, 0, 3, 0, 4096);
        log.term(0).putInt(64, 17); // shorter than a header
        assertEquals(1, subscription.poll((buffer, at, length, h) -> {}, 1));
        assertEquals(0, subscription.poll((buffer, at, length, h) -> {}, 9));
        ScriptedDriver.Command.RejectImage reject =
                assertInstanceOf(ScriptedDriver.Command.RejectImage.class, driver.next());
        assertEquals(21, reject.imageId());
        assertEquals(64, reject.position());
        assertTrue(image.isClosed());
        assertEquals(64, image.position());
        await(() -> images.contains("-21@64"));
        assertEquals(1, errors.size());
        assertTrue(errors.get(0).getMessage().contains("position 64"), errors.toString());
        assertTrue(subscription.hasNoImages());
    }

    @Test
    void survivesEventsForRemovedImages() {
        Subscription subscription = subscription();
        UnsafeBufferPosition position = driver.position(subscription.registrationId() + 1);
        driver.tell(
                new DriverEvent.ImageAvailable(
                        30, subscription.registrationId(), 1, STREAM, position.id(), "no.log", ""));
        await(() -> errors.size() == 1);
        driver.log("image-31.log", 31, SESSION, STREAM);
        driver.tell(
                new DriverEvent.ImageAvailable(
                        31,
                        subscription.registrationId(),
                        1,
                        STREAM,
                        position.id(),
                        "image-31.log",
                        ""));
        await(() -> errors.size() == 2);
        assertFalse(subscription.isClosed());
        UnsafeBufferPosition gone = driver.position(subscription.registrationId());
        driver.free(gone.id());
        driver.tell(
                new DriverEvent.ImageAvailable(
                        31,
                        subscription.registrationId(),
                        1,
                        STREAM,
                        gone.id(),
                        "image-31.log",
                        ""));
        image(subscription, 21);
        assertEquals(2, errors.size(), errors.toString());
    }

    @Test
    void closesSubscriptionThatCannotMapImage() throws Exception {
        Subscription subscription = subscription();
        Files.write(directory.resolve("image-30.log"), new byte[100]);
        driver.tell(
                new DriverEvent.ImageAvailable(
                        30, subscription.registrationId(), 1, STREAM, 0, "image-30.log", ""));
        assertEquals(
                new ScriptedDriver.Command.RemoveSubscription(subscription.registrationId()),
                driver.next());
        assertTrue(subscription.isClosed());
        assertEquals(2, errors.size());
    }

    @Test
    void survivesRandomEvents() {
        Random random = new Random(42);
        for (int i = 0; i < 200; i++) {
            byte[] event = new byte[random.nextInt(100)];
            random.nextBytes(event);
            driver.tell(random.nextBoolean() ? 1 + i : 0xF00 + i % 16, event);
        }
        publication(driver.counter(0));
        assertFalse(bus.isClosed());
    }

    @Test
    void sendsHeartbeats() {
        subscription();
        await(() -> driver.keepalives() > 3);
    }

    @Test
    void reportsOnceThatDriverHasDroppedClient() {
        Publication publication = publication(driver.counter(1 << 16));
        Subscription subscription = subscription();
        image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        driver.tell(new DriverEvent.ClientTimedOut(bus.clientId() + 1000));
        driver.tell(new DriverEvent.ClientTimedOut(bus.clientId()));
        driver.tell(new DriverEvent.ClientTimedOut(bus.clientId()));
        expectLoss(publication, subscription, image);
    }

    @Test
    void detectsThatDriverHasDroppedClient() {
        Publication publication = publication(driver.counter(1 << 16));
        Subscription subscription = subscription();
        image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        await(() -> driver.keepalives() > 0);
        driver.giveUp(bus.clientId());
        expectLoss(publication, subscription, image);
    }

    @Test
    void reportsDriverDeathOnce() {
        bus.close();
        driver.next();
        bus = Bus.connect(context().driverTimeout(Duration.ofMillis(500)));
        Publication publication = publication(driver.counter(1 << 16));
        Subscription subscription = subscription();
        image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        driver.die();
        expectLoss(publication, subscription, image);
        assertTrue(losses.get(0).getMessage().contains("pid 4711"), losses.toString());
    }

    @Test
    void reportsDriverShutdownOnce() {
        Publication publication = publication(driver.counter(1 << 16));
        Subscription subscription = subscription();
        image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        driver.leave();
        expectLoss(publication, subscription, image);
        assertTrue(losses.get(0).getMessage().contains("has been shut down"), losses.toString());
    }

    @Test
    void reportsDriverRestartAndNewBusConnects() throws Exception {
        Publication publication = publication(driver.counter(1 << 16));
        Subscription subscription = subscription();
        image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        Files.delete(directory.resolve(CncFile.NAME));
        try (ScriptedDriver restarted = new ScriptedDriver(directory, 2)) {
            expectLoss(publication, subscription, image);
            bus.close();
            try (Bus again = Bus.connect(context())) {
                assertFalse(again.isClosed());
                async(() -> again.addSubscription("verbus:ipc", STREAM));
                await(() -> restarted.keepalives() > 0);
            }
        }
    }

    private void expectLoss(Publication publication, Subscription subscription, Image image) {
        await(() -> !losses.isEmpty());
        assertTrue(bus.isClosed());
        assertTrue(publication.isClosed());
        assertEquals(Publication.CLOSED, publication.offer(MESSAGE));
        assertTrue(subscription.isClosed());
        assertTrue(image.isClosed());
        assertEquals(List.of("+21", "-21@0"), images);
        BusException e =
                assertThrows(DriverLostException.class, () -> bus.addPublication("verbus:ipc", 1));
        assertTrue(e.getMessage().contains("connect again") || e.getMessage().contains("start a"));
        publication.close();
        subscription.close();
        bus.close();
        assertEquals(1, losses.size());
        assertEquals(1, errors.size());
        assertInstanceOf(DriverLostException.class, errors.get(0));
    }

    @Test
    void reportsLostEvents() throws Exception {
        try (Bus slow =
                Bus.connect(
                        context()
                                .keepAliveInterval(Duration.ofHours(1))
                                .useConductorAgentInvoker(true))) {
            for (int i = 0; i < 5000; i++) {
                driver.tell(new DriverEvent.CommandSucceeded(i));
            }
            slow.conductorAgentInvoker().invoke();
            assertTrue(slow.isClosed());
            // The other bus runs on its own thread, and may or may not have kept up.
            await(() -> losses.stream().anyMatch(e -> e.getMessage().contains("were lost")));
        }
    }

    @Test
    void runsOnApplicationThreadWithInvoker() throws Exception {
        try (Bus invoked = Bus.connect(context().useConductorAgentInvoker(true))) {
            CompletableFuture<Publication> call =
                    async(() -> invoked.addPublication("verbus:ipc", STREAM));
            long id = nextAddPublication().correlationId();
            driver.log("publication-5.log", 5, SESSION, STREAM);
            publicationReady(id, 5, driver.counter(4096).id(), false);
            assertEquals(64, call.join().offer(MESSAGE));
            assertNotNull(invoked.conductorAgentInvoker());
        }
    }

    @Test
    void rejectsAddsButAllowsCloseInHandlers() {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        CompletableFuture<Subscription> call =
                async(
                        () ->
                                bus.addSubscription(
                                        "verbus:ipc",
                                        STREAM,
                                        image -> {
                                            try {
                                                bus.addPublication("verbus:ipc", STREAM);
                                            } catch (BusException e) {
                                                refused.complete(e);
                                            }
                                            image.subscription().close();
                                        },
                                        image -> images.add("-" + image.imageId())));
        ScriptedDriver.Command.AddSubscription add =
                assertInstanceOf(ScriptedDriver.Command.AddSubscription.class, driver.next());
        // A subscription receives images before the driver answers its add command.
        driver.log("image-40.log", 40, SESSION, STREAM);
        driver.tell(
                new DriverEvent.ImageAvailable(
                        40,
                        add.correlationId(),
                        SESSION,
                        STREAM,
                        driver.position(add.correlationId()).id(),
                        "image-40.log",
                        ""));
        driver.tell(new DriverEvent.SubscriptionReady(add.correlationId(), -1));
        assertTrue(refused.join().getMessage().contains("handler"), refused.join().getMessage());
        await(() -> images.contains("-40"));
        assertTrue(call.isDone() || !call.isCompletedExceptionally());
    }

    @Test
    void passesHandlerExceptionsToErrorHandler() {
        CompletableFuture<Subscription> call =
                async(
                        () ->
                                bus.addSubscription(
                                        "verbus:ipc",
                                        STREAM,
                                        image -> {
                                            throw new IllegalStateException("available");
                                        },
                                        image -> {}));
        ScriptedDriver.Command.AddSubscription add =
                assertInstanceOf(ScriptedDriver.Command.AddSubscription.class, driver.next());
        driver.tell(new DriverEvent.SubscriptionReady(add.correlationId(), -1));
        image(call.join(), 41);
        assertEquals("available", errors.get(0).getMessage());
        assertFalse(bus.isClosed());
    }

    @Test
    void disconnectsFromDriverOnClose() {
        Publication publication = publication(driver.counter(0));
        Subscription subscription = subscription();
        image(subscription, 21);
        assertEquals("test", bus.counters().getCounterLabel(0));
        bus.close();
        bus.close();
        assertEquals(new ScriptedDriver.Command.ClientClose(bus.clientId()), driver.next());
        assertTrue(bus.isClosed());
        assertTrue(publication.isClosed());
        assertTrue(subscription.isClosed());
        assertEquals(List.of("+21", "-21@0"), images);
        assertThrows(BusException.class, () -> bus.addPublication("verbus:ipc", STREAM));
        assertThrows(BusException.class, () -> bus.addSubscription("verbus:ipc", STREAM));
        assertThrows(BusException.class, bus::counters);
        assertEquals(List.of(), errors);
        assertEquals(List.of(), losses);
    }

    @Test
    void unmapsLogsAfterLingerInterval() throws Exception {
        try (Bus brief = Bus.connect(context().lingerInterval(Duration.ofMillis(20)))) {
            CompletableFuture<Publication> call =
                    async(() -> brief.addPublication("verbus:ipc", STREAM));
            long id = nextAddPublication().correlationId();
            driver.log("publication-77.log", 77, SESSION, STREAM);
            publicationReady(id, 77, driver.counter(4096).id(), false);
            Publication publication = call.join();
            int mappedAtBoth = mappings("publication-77.log");
            publication.close();
            await(() -> mappings("publication-77.log") == mappedAtBoth - 1);
        }
        await(() -> mappings(directory.resolve(CncFile.NAME).toString()) == 2);
    }

    /**
     * Adds a publication to a short-lived bus and closes it; it is unmapped after all logs that
     * were closed before.
     */
    private void awaitLinger(Bus brief, int logId) {
        CompletableFuture<Publication> call =
                async(() -> brief.addPublication("verbus:ipc", STREAM));
        ScriptedDriver.Command command = driver.next();
        while (!(command instanceof ScriptedDriver.Command.AddPublication)) {
            command = driver.next(); // resources closed before have been released
        }
        long id = ((ScriptedDriver.Command.AddPublication) command).correlationId();
        String name = "publication-" + logId + ".log";
        driver.log(name, logId, SESSION, STREAM);
        publicationReady(id, logId, driver.counter(4096).id(), false);
        Publication publication = call.join();
        int mapped = mappings(name);
        publication.close();
        assertInstanceOf(ScriptedDriver.Command.RemovePublication.class, driver.next());
        await(() -> mappings(name) == mapped - 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"the driver", "the subscription", "the bus"})
    void keepsMemoryMappedUntilHandlerReturns(String closedBy) throws Exception {
        bus.close();
        driver.next();
        bus = Bus.connect(context().lingerInterval(Duration.ofMillis(20)));
        Subscription subscription = subscription();
        LogBuffers log = image(subscription, 55);
        Image image = subscription.imageBySessionId(SESSION);
        int mapped = mappings("image-55.log");
        var appender = new io.verbus.logbuffer.ExclusiveAppender(log);
        appender.append(MESSAGE, 0, 3, 0, 4096);
        appender.append(MESSAGE, 0, 3, 0, 4096);
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        List<String> received = new CopyOnWriteArrayList<>();
        CompletableFuture<Integer> polled =
                async(
                        () ->
                                subscription.poll(
                                        (buffer, offset, length, header) -> {
                                            isIn.countDown();
                                            awaitLatch(isClosed);
                                            received.add(
                                                    buffer.getByte(offset)
                                                            + " of "
                                                            + length
                                                            + " in "
                                                            + header.reservedValue());
                                        },
                                        10));
        awaitLatch(isIn);
        switch (closedBy) {
            case "the driver" ->
                    driver.tell(
                            new DriverEvent.ImageUnavailable(55, subscription.registrationId()));
            case "the subscription" -> subscription.close();
            default -> bus.close();
        }
        await(image::isClosed);
        try (Bus other = Bus.connect(context().lingerInterval(Duration.ofMillis(100)))) {
            awaitLinger(other, 66);
        }
        assertEquals(mapped, mappings("image-55.log"));
        isClosed.countDown();
        assertEquals(1, polled.join());
        assertEquals(List.of("1 of 3 in 0"), received);
        await(() -> mappings("image-55.log") == mapped - 1);
        assertEquals(0, subscription.poll((buffer, at, length, h) -> {}, 9));
        assertEquals(0, image.poll((buffer, at, length, h) -> {}, 9));
        assertTrue(image.isClosed());
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void survivesCallsAfterMemoryIsUnmapped() throws Exception {
        ConcurrentLinkedQueue<Runnable> late = new ConcurrentLinkedQueue<>();
        try (Bus brief = Bus.connect(context().lingerInterval(Duration.ofMillis(20)))) {
            CompletableFuture<Publication> call =
                    async(() -> brief.addPublication("verbus:ipc", STREAM));
            long id = nextAddPublication().correlationId();
            LogBuffers log = driver.log("publication-77.log", 77, SESSION, STREAM);
            publicationReady(id, 77, driver.counter(4096).id(), false);
            Publication publication = call.join();
            BufferClaim claim = new BufferClaim();
            assertEquals(64, publication.tryClaim(8, claim));
            org.agrona.concurrent.status.CountersReader counters = brief.counters();
            late.add(() -> claim.buffer().putLong(claim.offset(), 7));
            late.add(claim::abort);
            late.add(() -> assertEquals(Publication.CLOSED, publication.offer(MESSAGE)));
            late.add(() -> assertEquals(0, counters.getCounterValue(0)));
            int mapped = mappings("publication-77.log");
            publication.close();
            await(() -> mappings("publication-77.log") == mapped - 1);
            assertEquals(0, log.term(0).getLong(32), "the claim is as it was");
        }
        await(() -> mappings(directory.resolve(CncFile.NAME).toString()) == 2);
        late.forEach(Runnable::run);
    }

    @Test
    void stopsThreadOnClose() throws Exception {
        int before = Thread.activeCount();
        for (int i = 0; i < 20; i++) {
            Bus.connect(context()).close();
        }
        assertTrue(Thread.activeCount() <= before + 2, Thread.activeCount() + " threads");
    }

    private static int mappings(String name) {
        try {
            return (int)
                    Files.readAllLines(Path.of("/proc/self/maps")).stream()
                            .filter(line -> line.contains(name))
                            .count();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void readsEndOfStream() {
        Subscription subscription = subscription();
        LogBuffers log = image(subscription, 21);
        Image image = subscription.imageBySessionId(SESSION);
        assertFalse(image.isEndOfStream());
        new io.verbus.logbuffer.ExclusiveAppender(log).append(MESSAGE, 0, 3, 0, 4096);
        log.metadata().putLongVolatile(LogLayout.END_OF_STREAM, 64);
        assertFalse(image.isEndOfStream());
        subscription.poll((buffer, at, length, h) -> {}, 9);
        assertTrue(image.isEndOfStream());
        subscription.close();
        assertTrue(image.isEndOfStream());
    }
}
