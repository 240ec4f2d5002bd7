// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.Attachment;
import io.verbus.control.DriverEvent;
import io.verbus.control.NewCounter;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.CountersReader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * A client's counters, and its handlers for all clients' counters. Used by the conductor's thread
 * only.
 */
final class ClientCounters {
    private final class Add extends RequestedResource<Counter> {
        private final NewCounter counter;

        /**
         * Registration id that the application chose for a static counter; null for other counters.
         */
        private final Long chosenId;

        private Add(long id, NewCounter counter, Long chosenId, CompletableFuture<Counter> answer) {
            super(conductor, id, answer);
            this.counter = counter;
            this.chosenId = chosenId;
        }

        private long identity() {
            return chosenId == null ? registrationId() : chosenId;
        }

        @Override
        void send(Attachment attachment, long registrationId) {
            if (chosenId == null) {
                attachment.commands().addCounter(registrationId, counter);
            } else {
                attachment.commands().addStaticCounter(registrationId, counter, chosenId);
            }
            pending.put(registrationId, this);
        }

        @Override
        boolean isClosed(Counter made) {
            return made.isClosed();
        }

        @Override
        void markClosed(Counter made) {
            made.markClosed();
        }

        @Override
        String words() {
            return "counter of type " + counter.typeId();
        }
    }

    private final ConcurrentSkipListMap<Long, AvailableCounterHandler> available =
            new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Long, UnavailableCounterHandler> unavailable =
            new ConcurrentSkipListMap<>();
    private final ClientConductor conductor;
    private final Long2ObjectHashMap<Add> pending = new Long2ObjectHashMap<>();

    /** Requested counters, by the id of the call that adds them. */
    private final Long2ObjectHashMap<Add> all = new Long2ObjectHashMap<>();

    ClientCounters(ClientConductor conductor) {
        this.conductor = conductor;
    }

    /** Returns the handlers for added counters, in the order of the handlers' ids. Thread-safe. */
    ConcurrentSkipListMap<Long, AvailableCounterHandler> available() {
        return available;
    }

    /**
     * Returns the handlers for removed counters, in the order of the handlers' ids. Thread-safe.
     */
    ConcurrentSkipListMap<Long, UnavailableCounterHandler> unavailable() {
        return unavailable;
    }

    void add(long correlationId, NewCounter counter, CompletableFuture<Counter> answer) {
        conductor.ask(new Add(correlationId, counter, null, answer));
    }

    void addStatic(
            long correlationId,
            NewCounter counter,
            long registrationId,
            CompletableFuture<Counter> answer) {
        conductor.ask(new Add(correlationId, counter, registrationId, answer));
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
                                                        conductor.driver().counters(),
                                                        event.correlationId(),
                                                        event.counterId())));
    }

    void onStaticReady(DriverEvent.StaticCounterReady event) {
        complete(event.correlationId(), event.counterId());
    }

    private void complete(long correlationId, int counterId) {
        Add add = pending.remove(correlationId);
        if (add == null) {
            return; // another client's counter
        }
        CountersReader counters = conductor.driver().counters();
        if (counterId < 0 || counterId > counters.maxCounterId()) {
            add.refuse(
                    new BusException(
                            "the driver referred to counter "
                                    + counterId
                                    + ", which does not exist: use the same Verbus release for"
                                    + " driver and clients"));
            return;
        }
        Counter counter = add.made();
        if (counter == null) {
            counter = new Counter(add.id(), add.identity(), counters, counterId, conductor.calls());
        } else if (!counter.move(add.identity(), counters, counterId, add.chosenId == null)) {
            free(add); // closed while the driver was adding it
            add.settle();
            return;
        }
        all.put(add.id(), add);
        if (!add.complete(counter)) {
            counter.close(); // the caller is no longer waiting
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
                                                        conductor.driver().counters(),
                                                        event.registrationId(),
                                                        event.counterId())));
    }

    /** Handles a failed command. Returns false if the command does not concern a counter. */
    boolean onFailed(DriverEvent.CommandFailed event) {
        Add add = pending.remove(event.correlationId());
        if (add == null) {
            return false;
        }
        add.refuse(new RegistrationException(event.code(), event.message()));
        return true;
    }

    /** Removes a counter that its owner has closed. A static counter remains at the driver. */
    void release(Counter counter) {
        Add add = all.remove(counter.correlationId());
        if (add != null) {
            free(add);
        }
    }

    private void free(Add add) {
        if (add.chosenId == null) {
            conductor.commands().removeCounter(add.registrationId());
        }
    }

    /** Moves the counters to private memory, and keeps them for the next driver. */
    void loseAll(Consumer<RequestedResource<?>> keeper) {
        pending.values().forEach(keeper);
        pending.clear();
        for (Add add : all.values()) {
            add.made().leave();
            keeper.accept(add);
        }
        all.clear();
    }

    /** Closes all counters without sending commands to the driver. */
    void closeAll(BusException reason) {
        pending.values().forEach(add -> add.close(reason));
        pending.clear();
        all.values().forEach(add -> add.close(reason));
        all.clear();
    }
}
