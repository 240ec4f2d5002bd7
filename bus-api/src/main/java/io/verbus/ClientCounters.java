// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.CommandEncoder;
import io.verbus.control.DriverEvent;
import io.verbus.control.NewCounter;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.CountersReader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;

/** The counters of a client, and handlers of all clients' counters. Conductor's thread only. */
final class ClientCounters {
    /** An add; a static counter's registration id was chosen by the application. */
    private record Pending(long registrationId, CompletableFuture<Counter> answer) {}

    private final ConcurrentSkipListMap<Long, AvailableCounterHandler> available =
            new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Long, UnavailableCounterHandler> unavailable =
            new ConcurrentSkipListMap<>();
    private final ClientConductor conductor;
    private final CountersReader counters;
    private final CommandEncoder commands;
    private final Long2ObjectHashMap<Pending> pending = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Counter> all = new Long2ObjectHashMap<>();

    ClientCounters(ClientConductor conductor, CountersReader counters, CommandEncoder commands) {
        this.conductor = conductor;
        this.counters = counters;
        this.commands = commands;
    }

    /** Handlers of counters that come, in the order of their ids. Any thread. */
    ConcurrentSkipListMap<Long, AvailableCounterHandler> available() {
        return available;
    }

    /** Handlers of counters that go, in the order of their ids. Any thread. */
    ConcurrentSkipListMap<Long, UnavailableCounterHandler> unavailable() {
        return unavailable;
    }

    void add(long correlationId, NewCounter counter, CompletableFuture<Counter> answer) {
        commands.addCounter(correlationId, counter);
        pending.put(correlationId, new Pending(correlationId, answer));
    }

    void addStatic(
            long correlationId,
            NewCounter counter,
            long registrationId,
            CompletableFuture<Counter> answer) {
        commands.addStaticCounter(correlationId, counter, registrationId);
        pending.put(correlationId, new Pending(registrationId, answer));
    }

    void onReady(DriverEvent.CounterReady event) {
        complete(event.correlationId(), event.counterId());
        available
                .values()
                .forEach(
                        handler ->
                                conductor.callHandler(
                                        () ->
                                                handler.onAvailableCounter(
                                                        counters,
                                                        event.correlationId(),
                                                        event.counterId())));
    }

    void onStaticReady(DriverEvent.StaticCounterReady event) {
        complete(event.correlationId(), event.counterId());
    }

    private void complete(long correlationId, int counterId) {
        Pending add = pending.remove(correlationId);
        if (add == null) {
            return; // another client's
        }
        if (counterId < 0 || counterId > counters.maxCounterId()) {
            add.answer.completeExceptionally(
                    new BusException(
                            "the driver names counter "
                                    + counterId
                                    + ", which does not exist: use the same Verbus release for"
                                    + " driver and clients"));
            return;
        }
        Counter counter =
                new Counter(
                        correlationId, add.registrationId, counters, counterId, conductor.calls());
        all.put(correlationId, counter);
        if (!add.answer.complete(counter)) {
            counter.close(); // nobody waits for it any more
        }
    }

    void onGone(DriverEvent.CounterGone event) {
        unavailable
                .values()
                .forEach(
                        handler ->
                                conductor.callHandler(
                                        () ->
                                                handler.onUnavailableCounter(
                                                        counters,
                                                        event.registrationId(),
                                                        event.counterId())));
    }

    /** True if the command was one of these. */
    boolean onFailed(DriverEvent.CommandFailed event) {
        Pending add = pending.remove(event.correlationId());
        if (add == null) {
            return false;
        }
        add.answer.completeExceptionally(new RegistrationException(event.code(), event.message()));
        return true;
    }

    /** Takes a counter out that its owner has closed. A static one stays at the driver. */
    void release(Counter counter) {
        if (all.remove(counter.correlationId()) != null
                && counter.correlationId() == counter.registrationId()) {
            commands.removeCounter(counter.registrationId());
        }
    }

    /** Closes everything without telling the driver. */
    void closeAll(BusException reason) {
        pending.values().forEach(add -> add.answer.completeExceptionally(reason));
        pending.clear();
        all.values().forEach(Counter::markClosed);
        all.clear();
    }
}
