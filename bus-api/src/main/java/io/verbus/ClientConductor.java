// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.cnc.ClientHeartbeat;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.control.CommandEncoder;
import io.verbus.control.DriverEvent;
import io.verbus.control.EventDecoder;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogTouching;
import io.verbus.memory.LingeringMappings;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.broadcast.CopyBroadcastReceiver;
import org.agrona.concurrent.status.CountersReader;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Keeps a client in touch with its driver: sends what application threads ask for, takes the
 * driver's events, gives signs of life and looks for the driver's.
 *
 * <p>All state of the client belongs to the thread that is in the duty cycle. Application threads
 * hand requests over through {@link ClientRequests}.
 */
final class ClientConductor implements Agent {
    private static final int EVENTS_PER_CYCLE = 32;

    private final Bus bus;
    private final Bus.Context context;
    private final DriverConnection driver;
    private final CommandEncoder commands;
    private final CopyBroadcastReceiver events;
    private final MessageHandler onMessage = this::onMessage;
    private final EventDecoder decoder = new EventDecoder();
    private final LogTouching touching;
    private final LingeringMappings lingering;
    private final ClientPublications publications;
    private final ClientSubscriptions subscriptions;
    private final ClientCounters counters;
    private final PendingCommands pending = new PendingCommands();
    private final ClientRequests requests;
    private final ClientCalls calls;
    private final ConcurrentSkipListMap<Long, Runnable> closeHandlers =
            new ConcurrentSkipListMap<>();

    // Held in the duty cycle and in handlers. Contended only where the application is the invoker.
    private final ReentrantLock duty = new ReentrantLock();
    private final ClientHeartbeat heartbeat;
    private final long keepAliveIntervalNs;
    private long lastKeepAliveNs;

    // Written in the duty cycle, read by any thread: why the bus is of no more use, or null.
    private volatile BusException closedReason;

    ClientConductor(Bus bus, Bus.Context context, DriverConnection driver) {
        this.bus = bus;
        this.context = context;
        this.driver = driver;
        commands = new CommandEncoder(driver.toDriver());
        driver.hold(commands.clientId());
        heartbeat = new ClientHeartbeat(driver.counters(), commands.clientId(), context.clientName);
        events = new CopyBroadcastReceiver(driver.toClients(), new ExpandableArrayBuffer());
        lingering = new LingeringMappings(context.lingerInterval.toNanos(), context.errorHandler);
        touching = new LogTouching();
        publications = new ClientPublications(this, driver, commands, touching, lingering);
        subscriptions = new ClientSubscriptions(this, driver, commands, touching, lingering);
        counters = new ClientCounters(this, driver.counters(), commands);
        requests = new ClientRequests(context, duty, this::doWork);
        calls = new ClientCalls(this, requests, commands);
        addContextHandlers();
        keepAliveIntervalNs = context.keepAliveInterval.toNanos();
        lastKeepAliveNs = System.nanoTime() - keepAliveIntervalNs;
    }

    private void addContextHandlers() {
        if (context.availableCounterHandler != null) {
            counters.available().put(commands.nextCorrelationId(), context.availableCounterHandler);
        }
        if (context.unavailableCounterHandler != null) {
            counters.unavailable()
                    .put(commands.nextCorrelationId(), context.unavailableCounterHandler);
        }
        if (context.closeHandler != null) {
            closeHandlers.put(commands.nextCorrelationId(), context.closeHandler);
        }
    }

    @Override
    public String roleName() {
        return "verbus-client-conductor";
    }

    // Duty cycle

    @Override
    public int doWork() {
        if (!duty.tryLock()) {
            return 0;
        }
        try {
            long nowNs = System.nanoTime();
            int work = requests.serve();
            if (closedReason == null) {
                work += commands.flush();
                work += receiveEvents();
                work += checkLiveness(nowNs);
            }
            return work + touching.work() + lingering.unmap(nowNs);
        } finally {
            duty.unlock();
        }
    }

    private int receiveEvents() {
        int count = 0;
        try {
            while (count < EVENTS_PER_CYCLE && events.receive(onMessage) > 0) {
                count++;
            }
        } catch (RuntimeException e) {
            loseDriver(
                    new DriverLostException(
                            "events of the media driver were lost ("
                                    + e.getMessage()
                                    + "): connect again, and run the client conductor more often or"
                                    + " enlarge the driver's event buffer"));
        }
        return count;
    }

    private void onMessage(int typeId, MutableDirectBuffer buffer, int index, int length) {
        try {
            onEvent(decoder.decode(typeId, buffer, index, length));
        } catch (RuntimeException e) {
            onError(e);
        }
    }

    private void onEvent(DriverEvent event) {
        switch (event) {
            case DriverEvent.PublicationReady ready -> publications.onReady(ready);
            case DriverEvent.SubscriptionReady ready -> subscriptions.onReady(ready);
            case DriverEvent.ImageAvailable image -> subscriptions.onImageAvailable(image);
            case DriverEvent.ImageUnavailable image -> subscriptions.onImageUnavailable(image);
            case DriverEvent.PublicationFailed failed -> publications.onStreamFailed(failed);
            case DriverEvent.CommandFailed failed
                    when failed.code() == ErrorCode.CHANNEL_ENDPOINT_ERROR ->
                    onEndpointFailed(failed);
            // Not of publications and subscriptions that were removed: the driver had done so.
            case DriverEvent.CommandFailed failed -> {
                if (!publications.onFailed(failed)
                        && !pending.onFailed(failed)
                        && !counters.onFailed(failed)) {
                    subscriptions.onFailed(failed);
                }
            }
            case DriverEvent.CommandSucceeded succeeded -> pending.onSucceeded(succeeded);
            case DriverEvent.NextSessionId next -> pending.onSessionId(next);
            case DriverEvent.CounterReady ready -> counters.onReady(ready);
            case DriverEvent.StaticCounterReady ready -> counters.onStaticReady(ready);
            case DriverEvent.CounterGone gone -> counters.onGone(gone);
            case DriverEvent.ClientTimedOut timedOut -> {
                if (timedOut.clientId() == commands.clientId()) {
                    loseDriver(givenUp());
                }
            }
        }
    }

    /** A channel cannot be used any more: the id is that of the counter of its status. */
    private void onEndpointFailed(DriverEvent.CommandFailed event) {
        Consumer<ChannelResource> tell =
                resource -> {
                    if (resource.channelStatusId() == event.correlationId()) {
                        onError(
                                new RegistrationException(
                                        event.code(), resource + ": " + event.message()));
                    }
                };
        publications.forEach(tell);
        subscriptions.forEach(tell);
    }

    private int checkLiveness(long nowNs) {
        long sinceNs = nowNs - lastKeepAliveNs;
        if (closedReason != null || sinceNs < keepAliveIntervalNs) {
            return 0;
        }
        lastKeepAliveNs = nowNs;
        DriverLostException failure =
                heartbeat.beat(System.currentTimeMillis()) ? driver.failure() : givenUp();
        if (failure != null) {
            loseDriver(failure);
        }
        return 1;
    }

    private static DriverLostException givenUp() {
        return new DriverLostException(
                "the media driver has heard nothing of this client for too long and has released"
                        + " all it had: connect again, and run the client conductor more often or"
                        + " raise the driver's client liveness timeout");
    }

    private void loseDriver(DriverLostException reason) {
        if (closedReason != null) {
            return;
        }
        closedReason = reason;
        closeAll(reason);
        onError(reason);
        callHandler(() -> context.driverLostHandler.onDriverLost(bus, reason));
        closeHandlers.values().forEach(this::callHandler);
    }

    private void closeAll(BusException reason) {
        publications.closeAll(reason);
        pending.closeAll(reason);
        subscriptions.closeAll(reason);
        counters.closeAll(reason);
    }

    @Override
    public void onClose() {
        duty.lock();
        try {
            if (requests.isTerminated()) {
                return;
            }
            boolean isLost = closedReason != null;
            BusException reason =
                    isLost
                            ? closedReason
                            : new BusException("the bus is closed: connect a new one");
            closedReason = reason;
            if (!isLost) {
                commands.flush();
                commands.close();
            }
            closeAll(reason);
            if (!isLost) {
                closeHandlers.values().forEach(this::callHandler);
            }
            requests.terminate();
            lingering.add(driver, System.nanoTime());
            lingering.unmapInBackground();
        } finally {
            duty.unlock();
        }
    }

    // For application threads

    ClientCalls calls() {
        return calls;
    }

    /** Handlers of the end of the bus, in the order of their ids. */
    ConcurrentSkipListMap<Long, Runnable> closeHandlers() {
        return closeHandlers;
    }

    void onInvalidFrame(Image image, InvalidFrameException fault) {
        requests.add(() -> subscriptions.onInvalidFrame(image, fault));
    }

    CountersReader counterValues() {
        if (requests.isTerminated()) {
            throw new BusException("the bus is closed: connect a new one to read counters");
        }
        return driver.counters();
    }

    long clientId() {
        return commands.clientId();
    }

    boolean isClosed() {
        return closedReason != null;
    }

    // For the parts of the client

    ClientPublications publications() {
        return publications;
    }

    ClientSubscriptions subscriptions() {
        return subscriptions;
    }

    ClientCounters counters() {
        return counters;
    }

    PendingCommands pending() {
        return pending;
    }

    /** Why the bus is of no more use; null while it is. Any thread. */
    BusException closedReason() {
        return closedReason;
    }

    Bus.Context context() {
        return context;
    }

    void onError(Throwable error) {
        context.errorHandler.onError(error);
    }

    /** Calls a handler of the application, which must not end the duty cycle. */
    void callHandler(Runnable call) {
        try {
            call.run();
        } catch (Exception e) {
            onError(e);
        }
    }
}
