// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.control.Attachment;
import io.verbus.control.CommandEncoder;
import io.verbus.control.DestinationChange;
import io.verbus.control.DriverConnection;
import io.verbus.control.DriverEvent;
import io.verbus.control.EventDecoder;
import io.verbus.control.PendingCommands;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogTouching;
import io.verbus.memory.LingeringMappings;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.status.CountersReader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The client's conductor. Sends application threads' requests to the driver, handles the driver's
 * events, sends heartbeats, and checks the driver's heartbeat.
 *
 * <p>The thread that runs the duty cycle owns all of the client's state. Application threads queue
 * requests through {@link ClientRequests}.
 */
final class ClientConductor implements Agent {
    private static final int EVENTS_PER_CYCLE = 32;

    private final Bus bus;
    private final BusContext context;
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

    // Held during the duty cycle and while handlers run. Contended only if the application runs the
    // conductor itself.
    private final ReentrantLock duty = new ReentrantLock();
    private final Reconnection reconnection;
    private final long keepAliveIntervalNs;
    private long lastKeepAliveNs;

    // Written in the duty cycle; read by any thread: the current or last driver, the reason why
    // that driver was lost (null unless the bus is looking for the next driver), and the reason why
    // the bus is closed (null while it is open).
    private volatile Attachment attachment;
    private volatile DriverLostException lostReason;
    private volatile BusException closedReason;

    ClientConductor(Bus bus, BusContext context, Attachment attachment) {
        this.bus = bus;
        this.context = context;
        this.attachment = attachment;
        reconnection = new Reconnection(this);
        lingering = new LingeringMappings(context.lingerInterval.toNanos(), context.errorHandler);
        touching = new LogTouching();
        publications = new ClientPublications(this, touching, lingering);
        subscriptions = new ClientSubscriptions(this, touching, lingering);
        counters = new ClientCounters(this);
        requests = new ClientRequests(context, duty, this::doWork);
        calls = new ClientCalls(this, requests);
        addContextHandlers();
        keepAliveIntervalNs = context.keepAliveInterval.toNanos();
        lastKeepAliveNs = System.nanoTime() - keepAliveIntervalNs;
    }

    private void addContextHandlers() {
        if (context.availableCounterHandler != null) {
            counters.available().put(calls.nextCorrelationId(), context.availableCounterHandler);
        }
        if (context.unavailableCounterHandler != null) {
            counters.unavailable()
                    .put(calls.nextCorrelationId(), context.unavailableCounterHandler);
        }
        if (context.closeHandler != null) {
            closeHandlers.put(calls.nextCorrelationId(), context.closeHandler);
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
            if (closedReason == null && lostReason != null) {
                work += reconnect(nowNs);
            } else if (closedReason == null) {
                work += commands().flush();
                work += receiveEvents();
                work += checkLiveness(nowNs);
                work += reconnection.askAgain(attachment, nowNs);
            } else if (!requests.isTerminated()) {
                work +=
                        commands()
                                .flush(); // commands that did not fit into the lost driver's buffer
            }
            return work + touching.work() + lingering.unmap(nowNs);
        } finally {
            duty.unlock();
        }
    }

    private int receiveEvents() {
        Attachment from = attachment;
        int count = 0;
        try {
            while (count < EVENTS_PER_CYCLE && lostReason == null && from.receive(onMessage) > 0) {
                count++;
            }
        } catch (RuntimeException e) {
            DriverLostException lost =
                    new DriverLostException(
                            "media driver events were lost ("
                                    + e.getMessage()
                                    + "): connect again, and run the client conductor more often");
            lost.initCause(e);
            loseDriver(lost);
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
            // Ignored for publications and subscriptions that were being removed: the driver had
            // already removed them.
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
                if (timedOut.clientId() == clientId()) {
                    loseDriver(Attachment.givenUp());
                }
            }
        }
    }

    /**
     * Reports that a channel is unusable. The event identifies the channel by its status counter.
     */
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
        if (!isConnected() || sinceNs < keepAliveIntervalNs) {
            return 0;
        }
        lastKeepAliveNs = nowNs;
        DriverLostException failure = attachment.beat();
        if (failure != null) {
            loseDriver(failure);
        }
        return 1;
    }

    private void loseDriver(DriverLostException reason) {
        if (!isConnected()) {
            return;
        }
        // Otherwise, a driver that is still alive would back-pressure publishers until this client
        // times out.
        commands().close();
        if (context.reconnect) {
            lostReason = reason;
            publications.loseAll(reconnection::keep);
            pending.closeAll(reason);
            subscriptions.loseAll(reconnection::keep);
            counters.loseAll(reconnection::keep);
            reconnection.begin(System.nanoTime());
        } else {
            closedReason = reason;
            closeAll(reason);
        }
        onError(reason);
        callHandler(() -> context.driverLostHandler.onDriverLost(bus, reason));
        if (closedReason != null) {
            closeHandlers.values().forEach(this::callHandler);
        }
    }

    private int reconnect(long nowNs) {
        Attachment next = reconnection.look(attachment, nowNs);
        if (next == null) {
            return 0;
        }
        lingering.add(attachment.driver(), nowNs);
        attachment = next;
        lostReason = null;
        lastKeepAliveNs = nowNs - keepAliveIntervalNs;
        if (!reconnection.renew(next, nowNs)) {
            callDriverBackHandler();
        }
        return 1;
    }

    /**
     * Counts an answer from the next driver to a command that adds a resource or a destination
     * again.
     */
    void onRenewed() {
        if (reconnection.isAnswered() && isConnected()) {
            callDriverBackHandler();
        }
    }

    private void callDriverBackHandler() {
        callHandler(() -> context.driverBackHandler.accept(bus));
    }

    private void closeAll(BusException reason) {
        publications.closeAll(reason);
        pending.closeAll(reason);
        subscriptions.closeAll(reason);
        counters.closeAll(reason);
        reconnection.close(reason);
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
                            : new BusException("the bus is closed: connect a new bus");
            closedReason = reason;
            commands().flush();
            commands().close();
            closeAll(reason);
            if (!isLost) {
                closeHandlers.values().forEach(this::callHandler);
            }
            requests.terminate();
            lingering.add(attachment.driver(), System.nanoTime());
            lingering.unmapInBackground();
        } finally {
            duty.unlock();
        }
    }

    // Methods for application threads

    ClientCalls calls() {
        return calls;
    }

    /** Returns the close handlers, in the order of their ids. */
    ConcurrentSkipListMap<Long, Runnable> closeHandlers() {
        return closeHandlers;
    }

    void onInvalidFrame(Image image, InvalidFrameException fault) {
        Attachment from = attachment;
        requests.add(
                () -> {
                    if (from == attachment && lostReason == null) {
                        subscriptions.onInvalidFrame(image, fault);
                    } else {
                        onError(fault); // the image was closed when its driver was lost
                    }
                });
    }

    CountersReader counterValues() {
        if (requests.isTerminated()) {
            throw new BusException("the bus is closed: connect a new bus to read counters");
        }
        return driver().counters();
    }

    long clientId() {
        return commands().clientId();
    }

    /** Returns whether the client currently has a driver. */
    boolean isConnected() {
        return lostReason == null && closedReason == null;
    }

    boolean isClosed() {
        return closedReason != null;
    }

    // Methods for the other parts of the client

    Attachment attachment() {
        return attachment;
    }

    DriverConnection driver() {
        return attachment.driver();
    }

    /**
     * Returns the encoder for commands to the current or last driver. Any thread may take ids from
     * it.
     */
    CommandEncoder commands() {
        return attachment.commands();
    }

    /** Requests a resource from the driver, or keeps it for the next driver. */
    void ask(RequestedResource<?> resource) {
        if (lostReason == null) {
            resource.ask(attachment, false);
        } else {
            reconnection.keep(resource);
        }
    }

    /**
     * Returns whether both ids were assigned by the current driver rather than a lost one. If not,
     * fails the answer.
     *
     * @param what the command, in words that follow "cannot" in error messages.
     */
    boolean canSend(long id, long registrationId, String what, CompletableFuture<?> answer) {
        if (lostReason == null && attachment.isOwn(id) && attachment.isOwn(registrationId)) {
            return true;
        }
        answer.completeExceptionally(
                new DriverLostException(
                        "cannot "
                                + what
                                + " because the connection to the media driver is lost: try again"
                                + " once the bus has reconnected"));
        return false;
    }

    void changeDestination(long id, DestinationChange change, CompletableFuture<Integer> answer) {
        RequestedResource<?> of = publications.resource(change.registrationId());
        RequestedResource<?> resource =
                of != null ? of : subscriptions.resource(change.registrationId());
        if (resource == null || !context.reconnect) {
            commands().changeDestination(id, change);
            pending.add(id, answer, () -> {});
            return;
        }
        DestinationChange now = resource.destinations().now(change);
        commands().changeDestination(id, now);
        pending.add(id, answer, () -> resource.destinations().onChanged(id, now));
    }

    Reconnection reconnection() {
        return reconnection;
    }

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

    /** Returns why the bus is closed, or null if it is not. Thread-safe. */
    BusException closedReason() {
        return closedReason;
    }

    BusContext context() {
        return context;
    }

    void onError(Throwable error) {
        context.errorHandler.onError(error);
    }

    /**
     * Calls one of the application's handlers. An exception from the handler must not end the duty
     * cycle.
     */
    void callHandler(Runnable call) {
        try {
            call.run();
        } catch (Exception e) {
            onError(e);
        }
    }
}
