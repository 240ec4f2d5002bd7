// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.CommandEncoder;
import io.verbus.control.DestinationChange;
import io.verbus.control.NewCounter;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * What application threads ask of a client: with an answer that is waited for, or with one that is
 * looked for later, under the id of the command. Any thread.
 */
final class ClientCalls implements ChannelResource.Owner {
    private final ClientConductor conductor;
    private final ClientRequests requests;
    private final CommandEncoder commands;
    private final Registrations registrations = new Registrations();

    /**
     * @param commands only {@link CommandEncoder#nextCorrelationId} on application threads.
     */
    ClientCalls(ClientConductor conductor, ClientRequests requests, CommandEncoder commands) {
        this.conductor = conductor;
        this.requests = requests;
        this.commands = commands;
    }

    // Publications and subscriptions

    Publication addPublication(ChannelUri channel, int streamId, boolean exclusive) {
        String what = "add a publication of stream " + streamId + " on '" + channel + "'";
        requests.checkNotInHandler(what);
        return await(beginPublication(channel, streamId, exclusive), what);
    }

    long addPublicationLater(ChannelUri channel, int streamId, boolean exclusive) {
        return beginPublication(channel, streamId, exclusive).id;
    }

    private Asked<Publication> beginPublication(
            ChannelUri channel, int streamId, boolean exclusive) {
        return begin(
                (id, answer) ->
                        conductor.publications().add(id, channel, streamId, exclusive, answer));
    }

    Subscription addSubscription(
            ChannelUri channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        String what = "add a subscription to stream " + streamId + " on '" + channel + "'";
        requests.checkNotInHandler(what);
        return await(beginSubscription(channel, streamId, available, unavailable), what);
    }

    long addSubscriptionLater(
            ChannelUri channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        return beginSubscription(channel, streamId, available, unavailable).id;
    }

    private Asked<Subscription> beginSubscription(
            ChannelUri channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        return begin(
                (id, answer) ->
                        conductor
                                .subscriptions()
                                .add(id, channel, streamId, available, unavailable, answer));
    }

    @Override
    public void release(Publication publication) {
        registrations.end(publication.registrationId());
        requests.add(() -> conductor.publications().release(publication));
    }

    @Override
    public void release(Subscription subscription) {
        registrations.end(subscription.registrationId());
        requests.add(() -> conductor.subscriptions().release(subscription));
    }

    // Counters

    Counter addCounter(NewCounter counter) {
        String what = "add a counter of type " + counter.typeId();
        requests.checkNotInHandler(what);
        return await(beginCounter(counter), what);
    }

    long addCounterLater(NewCounter counter) {
        return beginCounter(counter).id;
    }

    private Asked<Counter> beginCounter(NewCounter counter) {
        return begin((id, answer) -> conductor.counters().add(id, counter, answer));
    }

    Counter addStaticCounter(NewCounter counter, long registrationId) {
        String what = "add a static counter of type " + counter.typeId();
        requests.checkNotInHandler(what);
        return await(beginStaticCounter(counter, registrationId), what);
    }

    long addStaticCounterLater(NewCounter counter, long registrationId) {
        return beginStaticCounter(counter, registrationId).id;
    }

    private Asked<Counter> beginStaticCounter(NewCounter counter, long registrationId) {
        return begin(
                (id, answer) ->
                        conductor.counters().addStatic(id, counter, registrationId, answer));
    }

    @Override
    public void release(Counter counter) {
        registrations.end(counter.correlationId());
        requests.add(() -> conductor.counters().release(counter));
    }

    // Commands that make nothing

    @Override
    public void change(DestinationChange change) {
        perform(change.words(), id -> commands.changeDestination(id, change));
    }

    @Override
    public long changeLater(DestinationChange change) {
        Asked<Integer> asked = command(id -> commands.changeDestination(id, change));
        asked.answer.whenComplete(
                (value, failure) -> {
                    registrations.end(asked.id);
                    if (failure != null) {
                        conductor.onError(failure);
                    }
                });
        return asked.id;
    }

    @Override
    public void reject(Image image, String reason) {
        perform(
                "reject " + image,
                id -> commands.rejectImage(id, image.imageId(), image.position(), reason));
    }

    int nextSessionId(int streamId) {
        return perform(
                "find the next session id of stream " + streamId,
                id -> commands.nextSessionId(id, streamId));
    }

    /** Sends a command, and waits for its answer. */
    private int perform(String what, LongConsumer encode) {
        requests.checkNotInHandler(what);
        Asked<Integer> asked = command(encode);
        int value = await(asked, what);
        registrations.end(asked.id);
        return value;
    }

    private Asked<Integer> command(LongConsumer encode) {
        return begin(
                (id, answer) -> {
                    encode.accept(id);
                    conductor.pending().add(id, answer);
                });
    }

    // Answers

    /** A command that the duty cycle is to send, under an id, with an answer to complete. */
    private interface Command<T> {
        void send(long id, CompletableFuture<T> answer);
    }

    private record Asked<T>(long id, CompletableFuture<T> answer) {}

    private <T> Asked<T> begin(Command<T> command) {
        long id = commands.nextCorrelationId();
        CompletableFuture<T> answer = registrations.begin(id);
        requests.add(
                () -> {
                    BusException reason = conductor.closedReason();
                    if (reason == null) {
                        command.send(id, answer);
                    } else {
                        answer.completeExceptionally(reason);
                    }
                });
        return new Asked<>(id, answer);
    }

    private <T> T await(Asked<T> asked, String what) {
        try {
            return requests.await(asked.answer, what);
        } catch (BusException e) {
            registrations.end(asked.id);
            throw e;
        }
    }

    /** What was asked for later: null until the driver has answered. */
    <T> T get(long id, Class<T> type) {
        requests.serveIfInvoked();
        return registrations.get(id, type);
    }

    /** Closes what was asked for, now or once it is there. */
    void remove(long id) {
        registrations.remove(id);
    }

    boolean isActive(long id) {
        return registrations.isActive(id);
    }

    boolean hasActive() {
        return registrations.hasActive();
    }

    long nextCorrelationId() {
        return commands.nextCorrelationId();
    }

    void checkNotInHandler(String what) {
        requests.checkNotInHandler(what);
    }
}
