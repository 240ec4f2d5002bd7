// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.NewCounter;
import io.verbus.memory.JvmFlags;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.status.CountersReader;

import java.time.Duration;

/**
 * A client's connection to its media driver. Creates publications, subscriptions and counters.
 *
 * <p>One bus serves a whole application. All methods are thread-safe, except where noted. Methods
 * that wait for the driver must not be called from handlers of this bus; {@link #async} sends
 * commands without waiting.
 *
 * <pre>{@code
 * try (Bus bus = Bus.connect();
 *         Subscription subscription = bus.addSubscription("verbus:ipc", 1001);
 *         Publication publication = bus.addPublication("verbus:ipc", 1001)) {
 *     DirectBuffer message = new UnsafeBuffer("hello".getBytes(StandardCharsets.US_ASCII));
 *     while (publication.offer(message) < 0) {
 *         Thread.onSpinWait(); // not connected yet, or back-pressured
 *     }
 *     FragmentHandler handler =
 *             (buffer, offset, length, header) ->
 *                     System.out.println(buffer.getStringWithoutLengthAscii(offset, length));
 *     while (subscription.poll(handler, 10) == 0) {
 *         Thread.onSpinWait();
 *     }
 * }
 * }</pre>
 *
 * <p>When the driver stops, restarts or drops the client, the bus is lost: its publications and
 * images are closed, the error handler and the driver-lost handler are called once, and the
 * application may connect a new bus. With {@link BusContext#reconnect} the bus stays open and moves
 * to the next driver with its publications, subscriptions and counters.
 *
 * <p>Shared memory stays mapped for {@link BusContext#lingerInterval} after its publication or
 * image was closed, and until any fragment handler that is reading it has returned. Publications
 * and images test a volatile flag at the start of each call, and do not touch shared memory once
 * the flag is set. A call or a claim that outlasts the linger interval accesses zeroed private
 * memory in place of the shared memory.
 */
public final class Bus implements AutoCloseable {
    private final ClientConductor conductor;
    private final ClientCalls calls;
    private final AsyncCommands async;
    private final AgentInvoker invoker;
    private final AgentRunner runner;

    private Bus(BusContext context) {
        conductor = new ClientConductor(this, context, Reconnection.connect(context));
        calls = conductor.calls();
        async = new AsyncCommands(calls, context);
        if (context.useConductorAgentInvoker) {
            runner = null;
            invoker = new AgentInvoker(context.errorHandler, null, conductor);
            invoker.start();
        } else {
            invoker = null;
            runner = new AgentRunner(context.idleStrategy, context.errorHandler, null, conductor);
            AgentRunner.startOnThread(runner, context.threadFactory);
        }
    }

    /**
     * Connects to the driver in the default directory.
     *
     * @return the bus.
     * @throws BusException if no driver of a compatible version responds within the driver timeout.
     */
    public static Bus connect() {
        return connect(new BusContext());
    }

    /**
     * Connects to a driver. Waits up to the driver timeout for a driver that is starting; after a
     * second, reports once to the context's error handler what is missing.
     *
     * @param context connection settings; copied, so the caller may change and reuse it.
     * @return the bus.
     * @throws BusException if no driver of a compatible version responds within the driver timeout,
     *     or the JVM lacks the flags that access to shared memory requires.
     */
    public static Bus connect(BusContext context) {
        JvmFlags.check();
        return new Bus(new BusContext(context));
    }

    /**
     * Warms up the JIT compiler: for the given time, the calling thread sends messages to itself
     * through private memory, so that {@link Publication#offer} for both kinds of publication,
     * {@link Subscription#poll} and {@link Subscription#controlledPoll} are compiled. Requires
     * neither a driver nor a bus, and leaves nothing behind. If a processor is free, a thread may
     * warm up while other threads start the driver and connect.
     *
     * <p>Afterwards, each poll method has seen one more type of fragment handler. The JIT inlines
     * handlers of at most two types at a call site: if an application has two handler types of its
     * own, calls to them may not be inlined.
     *
     * @param time time for which to run; if zero, does nothing. With an ahead-of-time cache, 30 to
     *     60 ms achieve most of the effect.
     * @return number of round trips, each of which sends and receives two messages.
     * @throws BusException if the time is negative, or the JVM lacks the flags that access to
     *     shared memory requires.
     */
    public static long warmUp(Duration time) {
        if (time.isNegative()) {
            throw new BusException(
                    "warm-up time " + time + " is negative: pass zero or more, such as 30 ms");
        }
        JvmFlags.check();
        return WarmUp.run(time);
    }

    /**
     * Adds a publication that any number of threads may use concurrently. Publications with the
     * same channel and stream id share a session. Waits for the driver, up to the driver timeout.
     *
     * @param channel channel to publish on; see {@link ChannelUri}.
     * @param streamId stream to publish to.
     * @return the publication.
     * @throws RegistrationException if the driver rejects the publication.
     * @throws BusException if the channel is invalid or the driver does not answer.
     */
    public Publication addPublication(String channel, int streamId) {
        return addPublication(ChannelUri.parse(channel), streamId);
    }

    /** Adds a publication, like {@link #addPublication(String, int)}. */
    public Publication addPublication(ChannelUri channel, int streamId) {
        channel.checkPublishable();
        return calls.addPublication(channel, streamId, false);
    }

    /**
     * Adds a publication that has its own session and may be used by only one thread at a time. It
     * is faster than a shared publication. Waits for the driver, up to the driver timeout.
     *
     * @param channel channel to publish on; see {@link ChannelUri}.
     * @param streamId stream to publish to.
     * @return the publication.
     * @throws RegistrationException if the driver rejects the publication.
     * @throws BusException if the channel is invalid or the driver does not answer.
     */
    public ExclusivePublication addExclusivePublication(String channel, int streamId) {
        return addExclusivePublication(ChannelUri.parse(channel), streamId);
    }

    /** Adds an exclusive publication, like {@link #addExclusivePublication(String, int)}. */
    public ExclusivePublication addExclusivePublication(ChannelUri channel, int streamId) {
        channel.checkPublishable();
        return (ExclusivePublication) calls.addPublication(channel, streamId, true);
    }

    /**
     * Adds a subscription with the context's image handlers. Waits for the driver, up to the driver
     * timeout, but not for publishers, which may connect later.
     *
     * @param channel channel to receive from; see {@link ChannelUri}.
     * @param streamId stream to receive.
     * @return the subscription.
     * @throws RegistrationException if the driver rejects the subscription.
     * @throws BusException if the channel is invalid or the driver does not answer.
     */
    public Subscription addSubscription(String channel, int streamId) {
        return addSubscription(ChannelUri.parse(channel), streamId);
    }

    /** Adds a subscription, like {@link #addSubscription(String, int)}. */
    public Subscription addSubscription(ChannelUri channel, int streamId) {
        BusContext context = conductor.context();
        return addSubscription(
                channel, streamId, context.availableImageHandler, context.unavailableImageHandler);
    }

    /**
     * Adds a subscription with its own image handlers, which may be called before this method
     * returns. Waits for the driver, up to the driver timeout.
     *
     * @param channel channel to receive from; see {@link ChannelUri}.
     * @param streamId stream to receive.
     * @param available handler called for each image that joins.
     * @param unavailable handler called for each image that leaves.
     * @return the subscription.
     * @throws RegistrationException if the driver rejects the subscription.
     * @throws BusException if the channel is invalid or the driver does not answer.
     */
    public Subscription addSubscription(
            String channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        return addSubscription(ChannelUri.parse(channel), streamId, available, unavailable);
    }

    /**
     * Adds a subscription, like {@link #addSubscription(String, int, AvailableImageHandler,
     * UnavailableImageHandler)}.
     */
    public Subscription addSubscription(
            ChannelUri channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        channel.checkSubscribable();
        return calls.addSubscription(
                channel,
                streamId,
                BusContext.given(available, "available-image handler"),
                BusContext.given(unavailable, "unavailable-image handler"));
    }

    // Counters and handlers

    /**
     * Returns the driver's counters. The result must not be used once the bus is closed or has
     * moved to the next driver; call this method again for the next driver's counters.
     *
     * @return a reader for the driver's counters.
     * @throws BusException if the bus is closed.
     */
    public CountersReader counters() {
        return conductor.counterValues();
    }

    /**
     * Adds a counter that lives as long as this client, and announces it to all clients. Waits for
     * the driver, up to the driver timeout.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param key buffer with the key, which distinguishes counters of one type; null if {@code
     *     keyLength} is 0.
     * @param keyOffset offset of the key in its buffer.
     * @param keyLength length of the key in bytes, at most 112.
     * @param label buffer with a human-readable label in ASCII.
     * @param labelOffset offset of the label in its buffer.
     * @param labelLength length of the label in bytes, at most 380.
     * @return the counter, with value 0.
     * @throws IllegalArgumentException if the key or the label is too long.
     * @throws RegistrationException if the driver rejects the counter, for example for lack of
     *     space.
     * @throws BusException if the driver does not answer.
     */
    public Counter addCounter(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength) {
        return calls.addCounter(
                NewCounter.of(typeId, key, keyOffset, keyLength, label, labelOffset, labelLength));
    }

    /**
     * Adds a counter without a key, like {@link #addCounter(int, DirectBuffer, int, int,
     * DirectBuffer, int, int)}.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param label human-readable label in ASCII, at most 380 characters.
     * @return the counter, with value 0.
     */
    public Counter addCounter(int typeId, String label) {
        return calls.addCounter(NewCounter.of(typeId, label));
    }

    /**
     * Adds a counter that lives as long as the driver, or finds the existing counter with the same
     * type and registration id, regardless of its key and label. Waits for the driver, up to the
     * driver timeout.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param key buffer with the key, which distinguishes counters of one type; null if {@code
     *     keyLength} is 0.
     * @param keyOffset offset of the key in its buffer.
     * @param keyLength length of the key in bytes, at most 112.
     * @param label buffer with a human-readable label in ASCII.
     * @param labelOffset offset of the label in its buffer.
     * @param labelLength length of the label in bytes, at most 380.
     * @param registrationId registration id, which the application chooses.
     * @return the counter, with its current value.
     * @throws IllegalArgumentException if the key or the label is too long.
     * @throws RegistrationException if the driver rejects the counter, for example because a client
     *     owns a counter with the same type and registration id.
     * @throws BusException if the driver does not answer.
     */
    public Counter addStaticCounter(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength,
            long registrationId) {
        return calls.addStaticCounter(
                NewCounter.of(typeId, key, keyOffset, keyLength, label, labelOffset, labelLength),
                registrationId);
    }

    /**
     * Adds or finds a static counter without a key, like {@link #addStaticCounter(int,
     * DirectBuffer, int, int, DirectBuffer, int, int, long)}.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param label human-readable label in ASCII, at most 380 characters.
     * @param registrationId registration id, which the application chooses.
     * @return the counter, with its current value.
     */
    public Counter addStaticCounter(int typeId, String label, long registrationId) {
        return calls.addStaticCounter(NewCounter.of(typeId, label), registrationId);
    }

    /**
     * Adds a handler that is called for each counter that a client adds from now on.
     *
     * @param handler handler to call on the client conductor's thread.
     * @return id for {@link #removeAvailableCounterHandler(long)}.
     */
    public long addAvailableCounterHandler(AvailableCounterHandler handler) {
        long id = calls.nextCorrelationId();
        conductor
                .counters()
                .available()
                .put(id, BusContext.given(handler, "available-counter handler"));
        return id;
    }

    /** Removes a handler by its id; returns false if the id is unknown. */
    public boolean removeAvailableCounterHandler(long id) {
        return conductor.counters().available().remove(id) != null;
    }

    /** Removes a handler; returns false if it was not added. */
    public boolean removeAvailableCounterHandler(AvailableCounterHandler handler) {
        return conductor.counters().available().values().removeIf(each -> each == handler);
    }

    /**
     * Adds a handler that is called each time a client's counter is removed from now on.
     *
     * @param handler handler to call on the client conductor's thread.
     * @return id for {@link #removeUnavailableCounterHandler(long)}.
     */
    public long addUnavailableCounterHandler(UnavailableCounterHandler handler) {
        long id = calls.nextCorrelationId();
        conductor
                .counters()
                .unavailable()
                .put(id, BusContext.given(handler, "unavailable-counter handler"));
        return id;
    }

    /** Removes a handler by its id; returns false if the id is unknown. */
    public boolean removeUnavailableCounterHandler(long id) {
        return conductor.counters().unavailable().remove(id) != null;
    }

    /** Removes a handler; returns false if it was not added. */
    public boolean removeUnavailableCounterHandler(UnavailableCounterHandler handler) {
        return conductor.counters().unavailable().values().removeIf(each -> each == handler);
    }

    /**
     * Adds a handler that is called once, when the bus is closed or has permanently lost its
     * driver.
     *
     * @param handler handler to call after publications, subscriptions and counters were closed, on
     *     the client conductor's thread or the thread that closes the bus.
     * @return id for {@link #removeCloseHandler(long)}.
     */
    public long addCloseHandler(Runnable handler) {
        long id = calls.nextCorrelationId();
        conductor.closeHandlers().put(id, BusContext.given(handler, "close handler"));
        return id;
    }

    /** Removes a handler by its id; returns false if the id is unknown. */
    public boolean removeCloseHandler(long id) {
        return conductor.closeHandlers().remove(id) != null;
    }

    /** Removes a handler; returns false if it was not added. */
    public boolean removeCloseHandler(Runnable handler) {
        return conductor.closeHandlers().values().removeIf(each -> each == handler);
    }

    // The bus

    /** Returns the commands of this bus that do not wait for the driver. */
    public AsyncCommands async() {
        return async;
    }

    /**
     * Returns this client's id at its driver; the id changes when the bus moves to another driver.
     */
    public long clientId() {
        return conductor.clientId();
    }

    /** Returns an id that no other command or client of the driver uses. */
    public long nextCorrelationId() {
        return calls.nextCorrelationId();
    }

    /**
     * Returns a session id that none of the driver's publications of the stream uses, for use as
     * the channel key {@code session-id}. Waits for the driver, up to the driver timeout.
     *
     * @param streamId stream id.
     * @return the session id.
     * @throws BusException if the driver does not answer; old Aeron drivers never do.
     */
    public int nextSessionId(int streamId) {
        return calls.nextSessionId(streamId);
    }

    /**
     * Returns whether the bus is connected to a driver. False once the bus is closed, and from the
     * loss of a driver until the next driver is found.
     */
    public boolean isConnected() {
        return conductor.isConnected();
    }

    /**
     * Returns a human-readable description that includes the directory, the client's name and id,
     * and whether the bus is connected.
     */
    @Override
    public String toString() {
        BusContext context = conductor.context();
        return "bus of "
                + context.directoryName
                + " (client "
                + (context.clientName.isEmpty() ? "" : context.clientName + " ")
                + clientId()
                + (isClosed() ? ", closed)" : isConnected() ? ")" : ", disconnected)");
    }

    /** Returns whether the bus was closed, or has lost its driver and does not reconnect. */
    public boolean isClosed() {
        return conductor.isClosed();
    }

    /**
     * Returns the invoker of the client conductor, or null unless {@link
     * BusContext#useConductorAgentInvoker} is set. The application must call it several times per
     * second, always on the same thread.
     */
    public AgentInvoker conductorAgentInvoker() {
        return invoker;
    }

    /**
     * Closes all publications, subscriptions and counters, and disconnects from the driver. Must
     * not be called from a handler of this bus.
     *
     * @throws BusException if called from a handler of this bus.
     */
    @Override
    public void close() {
        calls.checkNotInHandler("close");
        if (runner != null) {
            runner.close();
        } else {
            invoker.close();
        }
    }
}
