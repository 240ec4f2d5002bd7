// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.memory.JvmFlags;

import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;

/**
 * A client's connection to its media driver: where publications and subscriptions are made.
 *
 * <p>Any thread may call any method. One bus serves a whole application. When the driver stops, is
 * restarted or gives the client up, the bus is lost: its publications and images are closed, the
 * error handler and the driver-lost handler are told once, and a new bus can be connected. With
 * {@link Context#reconnect} the bus stays, and goes over to the next driver with all that it has.
 *
 * <p>Shared memory stays mapped for {@link Context#lingerInterval} after what uses it was closed,
 * and as long as a fragment handler that was called with it has not returned. Publications and
 * images test a volatile flag at the start of each call and do not touch shared memory once it is
 * set. A call that is later still, or a claim, finds empty memory of this process in its place.
 */
public final class Bus extends AsyncBus implements AutoCloseable {
    private final AgentInvoker invoker;
    private final AgentRunner runner;

    private Bus(Context context) {
        super(context);
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
     * Connects to the driver of the default directory.
     *
     * @return the bus.
     * @throws BusException if no driver of this version answers there in time.
     */
    public static Bus connect() {
        return connect(new Context());
    }

    /**
     * Connects to a driver. Waits up to the driver timeout for one that is starting.
     *
     * @param context how to connect; copied, so that it can be changed and used again.
     * @return the bus.
     * @throws BusException if no driver of this version answers there in time, or the JVM was
     *     started without the flags that shared memory takes.
     */
    public static Bus connect(Context context) {
        JvmFlags.check();
        return new Bus(new Context(context));
    }

    /**
     * Has the calling thread send messages to itself, in memory of its own, so that the JVM has
     * compiled what a message passes through before the first one that counts: {@link
     * Publication#offer} of both kinds, {@link Subscription#poll} and {@link
     * Subscription#controlledPoll}. Needs neither driver nor bus, and leaves nothing behind: a
     * thread may do it while others start the driver and connect, as long as there is a processor
     * for it.
     *
     * <p>The JVM then knows one more fragment handler for each way to poll, and inlines no more
     * than two: where an application has two of its own, they may be called instead.
     *
     * @param time how long. 30 to 60 ms do most of it in a JVM with an ahead-of-time cache; none
     *     for zero.
     * @return how many messages went there and back.
     * @throws BusException if the time is negative.
     */
    public static long warmUp(Duration time) {
        if (time.isNegative()) {
            throw new BusException(
                    "warm-up time " + time + " is negative: choose one, such as 30 ms");
        }
        JvmFlags.check();
        return WarmUp.run(time);
    }

    /**
     * Adds a publication that any number of threads may offer to. Publications of the same channel
     * and stream share a session. Waits for the driver, up to the driver timeout.
     *
     * @param channel to publish on, see {@link ChannelUri}.
     * @param streamId to publish to.
     * @return the publication.
     * @throws RegistrationException if the driver refuses it.
     * @throws BusException if the channel is wrong or the driver does not answer.
     */
    public Publication addPublication(String channel, int streamId) {
        return addPublication(ChannelUri.parse(channel), streamId);
    }

    /** As {@link #addPublication(String, int)}. */
    public Publication addPublication(ChannelUri channel, int streamId) {
        channel.checkPublishable();
        return calls.addPublication(channel, streamId, false);
    }

    /**
     * Adds a publication with a session of its own that one thread at a time may offer to: faster
     * than a shared one. Waits for the driver, up to the driver timeout.
     *
     * @param channel to publish on, see {@link ChannelUri}.
     * @param streamId to publish to.
     * @return the publication.
     * @throws RegistrationException if the driver refuses it.
     * @throws BusException if the channel is wrong or the driver does not answer.
     */
    public ExclusivePublication addExclusivePublication(String channel, int streamId) {
        return addExclusivePublication(ChannelUri.parse(channel), streamId);
    }

    /** As {@link #addExclusivePublication(String, int)}. */
    public ExclusivePublication addExclusivePublication(ChannelUri channel, int streamId) {
        channel.checkPublishable();
        return (ExclusivePublication) calls.addPublication(channel, streamId, true);
    }

    /**
     * Adds a subscription, with the image handlers of the context. Waits for the driver, up to the
     * driver timeout; publishers may connect later.
     *
     * @param channel to receive from, see {@link ChannelUri}.
     * @param streamId to receive.
     * @return the subscription.
     * @throws RegistrationException if the driver refuses it.
     * @throws BusException if the channel is wrong or the driver does not answer.
     */
    public Subscription addSubscription(String channel, int streamId) {
        return addSubscription(ChannelUri.parse(channel), streamId);
    }

    /** As {@link #addSubscription(String, int)}. */
    public Subscription addSubscription(ChannelUri channel, int streamId) {
        Context context = conductor.context();
        return addSubscription(
                channel, streamId, context.availableImageHandler, context.unavailableImageHandler);
    }

    /**
     * Adds a subscription with image handlers of its own.
     *
     * @param channel to receive from, see {@link ChannelUri}.
     * @param streamId to receive.
     * @param available told of each image that joins.
     * @param unavailable told of each image that leaves.
     * @return the subscription.
     * @throws RegistrationException if the driver refuses it.
     * @throws BusException if the channel is wrong or the driver does not answer.
     */
    public Subscription addSubscription(
            String channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        return addSubscription(ChannelUri.parse(channel), streamId, available, unavailable);
    }

    /** As {@link #addSubscription(String, int, AvailableImageHandler, UnavailableImageHandler)}. */
    public Subscription addSubscription(
            ChannelUri channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        channel.checkSubscribable();
        return calls.addSubscription(
                channel,
                streamId,
                Objects.requireNonNull(available),
                Objects.requireNonNull(unavailable));
    }

    /** Identity of this client at its driver; another one at the next. */
    public long clientId() {
        return conductor.clientId();
    }

    /** An id that no command and no client of the driver has. */
    public long nextCorrelationId() {
        return calls.nextCorrelationId();
    }

    /**
     * A session id that no publication of a stream has at the driver, for the key {@code
     * session-id}. Waits for the driver, up to the driver timeout.
     *
     * @param streamId of the stream.
     * @throws BusException if the driver does not answer, as an old one of Aeron.
     */
    public int nextSessionId(int streamId) {
        return calls.nextSessionId(streamId);
    }

    /**
     * Whether there is a driver: not once the bus is closed, nor from the loss of a driver until
     * the next one is found.
     */
    public boolean isConnected() {
        return conductor.isConnected();
    }

    /** Directory, client name and id, and whether there is a driver, for people. */
    @Override
    public String toString() {
        Context context = conductor.context();
        return "bus of "
                + context.directoryName
                + " (client "
                + (context.clientName.isEmpty() ? "" : context.clientName + " ")
                + clientId()
                + (isClosed() ? ", closed)" : isConnected() ? ")" : ", without a driver)");
    }

    /** Whether the bus was closed or, unless it connects to the next one, has lost its driver. */
    public boolean isClosed() {
        return conductor.isClosed();
    }

    /**
     * Runs the client conductor where {@link Context#useConductorAgentInvoker} is set: the
     * application calls it at least a few times each second, always on the same thread. Null
     * otherwise.
     */
    public AgentInvoker conductorAgentInvoker() {
        return invoker;
    }

    /**
     * Closes all publications and subscriptions, and leaves the driver. Not to be called in a
     * handler.
     *
     * @throws BusException if called in a handler of this bus.
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

    /** How to connect. Not safe for use by several threads at once. */
    public static final class Context extends ClientSettings {
        private static final int MAX_CLIENT_NAME = 100;

        Duration driverTimeout = Duration.ofSeconds(10);
        Duration keepAliveInterval = Duration.ofMillis(500);
        Duration lingerInterval = Duration.ofSeconds(5);
        IdleStrategy idleStrategy; // null: a new BackoffIdleStrategy
        boolean useConductorAgentInvoker;
        AgentInvoker driverAgentInvoker; // null: the driver has threads of its own
        ThreadFactory threadFactory = Context::daemon;
        String clientName = "";

        /** The defaults. */
        public Context() {}

        Context(Context other) {
            super(other);
            driverTimeout = other.driverTimeout;
            keepAliveInterval = other.keepAliveInterval;
            lingerInterval = other.lingerInterval;
            idleStrategy =
                    other.idleStrategy != null
                            ? other.idleStrategy
                            : new BackoffIdleStrategy(10, 10, 1_000, 1_000_000);
            useConductorAgentInvoker = other.useConductorAgentInvoker;
            driverAgentInvoker = other.driverAgentInvoker;
            threadFactory = other.threadFactory;
            clientName = other.clientName;
        }

        @Override
        Context self() {
            return this;
        }

        /** Runs the driver, where it has no threads of its own. */
        int invokeDriver() {
            return driverAgentInvoker == null ? 0 : driverAgentInvoker.invoke();
        }

        /**
         * @param timeout to wait for a driver's answer, and for which a driver's heartbeat may
         *     stand still before the driver is given up. Default: 10 s.
         */
        public Context driverTimeout(Duration timeout) {
            this.driverTimeout = positive("driver timeout", timeout);
            return this;
        }

        /**
         * @param interval between this client's signs of life. Default: 500 ms.
         */
        public Context keepAliveInterval(Duration interval) {
            this.keepAliveInterval = positive("keep-alive interval", interval);
            return this;
        }

        /**
         * @param interval for which shared memory stays mapped after it was closed, so that calls
         *     that were under way can return. Default: 5 s.
         */
        public Context lingerInterval(Duration interval) {
            this.lingerInterval = positive("linger interval", interval);
            return this;
        }

        /**
         * @param idleStrategy of the client conductor's thread. Default: back off, up to 1 ms.
         */
        public Context idleStrategy(IdleStrategy idleStrategy) {
            this.idleStrategy = Objects.requireNonNull(idleStrategy);
            return this;
        }

        /**
         * @param use whether the application runs the client conductor itself, through {@link
         *     Bus#conductorAgentInvoker}, instead of a thread of its own.
         */
        public Context useConductorAgentInvoker(boolean use) {
            this.useConductorAgentInvoker = use;
            return this;
        }

        /**
         * @param invoker of a driver that has no threads of its own: run while this client waits
         *     for the driver. Implies {@link #useConductorAgentInvoker}.
         */
        public Context driverAgentInvoker(AgentInvoker invoker) {
            this.driverAgentInvoker = Objects.requireNonNull(invoker);
            return useConductorAgentInvoker(true);
        }

        /**
         * @param factory of the client conductor's thread. Default: daemon threads.
         */
        public Context threadFactory(ThreadFactory factory) {
            this.threadFactory = Objects.requireNonNull(factory);
            return this;
        }

        /**
         * @param name of the client, which stands in the label of the counter that tells that it
         *     lives: ASCII, at most 100 characters. Default: none.
         * @throws BusException if the name is longer.
         */
        public Context clientName(String name) {
            if (name.length() > MAX_CLIENT_NAME) {
                throw new BusException(
                        "the client name has "
                                + name.length()
                                + " characters: choose one of at most "
                                + MAX_CLIENT_NAME);
            }
            this.clientName = name;
            return this;
        }

        private static Thread daemon(Runnable task) {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }

        private static Duration positive(String name, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new BusException(
                        name + " " + value + " is not positive: choose one, such as 5 s");
            }
            return value;
        }
    }
}
