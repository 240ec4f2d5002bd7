// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.CommandEncoder;
import io.verbus.control.DestinationChange;
import io.verbus.control.NewCounter;

import java.util.concurrent.CompletableFuture;

/**
 * The application's calls to a client: calls that wait for the driver's answer, and asynchronous
 * calls, whose answers are fetched later by command id. Thread-safe.
 */
final class ClientCalls implements ChannelResource.Owner {
    private final ClientConductor conductor;
    private final ClientRequests requests;
    private final Registrations registrations = new Registrations();

    ClientCalls(ClientConductor conductor, ClientRequests requests) {
        this.conductor = conductor;
        this.requests = requests;
    }

    // Publications and subscriptions

    Publication addPublication(ChannelUri channel, int streamId, boolean exclusive) {
        String what = "add a publication for stream " + streamId + " on '" + channel + "'";
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
        String what = "add a subscription for stream " + streamId + " on '" + channel + "'";
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
        registrations.end(publication.askedUnder());
        requests.add(() -> conductor.publications().release(publication));
    }

    @Override
    public void release(Subscription subscription) {
        registrations.end(subscription.askedUnder());
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

    // Commands without a result

    @Override
    public void change(DestinationChange change) {
        perform(change.words(), changing(change));
    }

    @Override
    public long changeLater(DestinationChange change) {
        Asked<Integer> asked = begin(changing(change));
        asked.answer.whenComplete(
                (value, failure) -> {
                    registrations.end(asked.id);
                    if (failure != null) {
                        conductor.onError(failure);
                    }
                });
        return asked.id;
    }

    private Command<Integer> changing(DestinationChange change) {
        return (id, answer) -> {
            if (conductor.canSend(id, change.registrationId(), change.words(), answer)) {
                conductor.changeDestination(id, change, answer);
            }
        };
    }

    @Override
    public void reject(Image image, String reason) {
        command(
                "reject " + image,
                (to, id) -> to.rejectImage(id, image.imageId(), image.position(), reason));
    }

    int nextSessionId(int streamId) {
        return command(
                "get the next session id for stream " + streamId,
                (to, id) -> to.nextSessionId(id, streamId));
    }

    /** Encodes a command with an id. */
    private interface Encoding {
        void write(CommandEncoder to, long id);
    }

    private int command(String what, Encoding encoding) {
        return perform(
                what,
                (id, answer) -> {
                    if (conductor.canSend(id, id, what, answer)) {
                        encoding.write(conductor.commands(), id);
                        conductor.pending().add(id, answer, () -> {});
                    }
                });
    }

    /** Sends a command, and waits for the answer. */
    private int perform(String what, Command<Integer> command) {
        requests.checkNotInHandler(what);
        Asked<Integer> asked = begin(command);
        int value = await(asked, what);
        registrations.end(asked.id);
        return value;
    }

    // Answers

    /** Sends a command in the duty cycle; its answer completes the future. */
    private interface Command<T> {
        void send(long id, CompletableFuture<T> answer);
    }

    private record Asked<T>(long id, CompletableFuture<T> answer) {}

    private <T> Asked<T> begin(Command<T> command) {
        long id = nextCorrelationId();
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

    /** Returns the result of an asynchronous call, or null until the driver has answered. */
    <T> T get(long id, Class<T> type) {
        requests.serveIfInvoked();
        return registrations.get(id, type);
    }

    /** Closes the result of an asynchronous call, now or once the driver has answered. */
    void remove(long id) {
        registrations.remove(id);
    }

    /** Forgets a call whose result was closed. */
    void forget(long id) {
        registrations.end(id);
    }

    boolean isActive(long id) {
        return registrations.isActive(id);
    }

    boolean hasActive() {
        return registrations.hasActive();
    }

    long nextCorrelationId() {
        return conductor.commands().nextCorrelationId();
    }

    void checkNotInHandler(String what) {
        requests.checkNotInHandler(what);
    }
}
