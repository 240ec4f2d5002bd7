// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.Attachment;
import io.verbus.control.DriverEvent;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogTouching;
import io.verbus.memory.LingeringMappings;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The publications of a client, and the logs that they share. Used by the conductor's thread only.
 */
final class ClientPublications {
    private final class Add extends RequestedResource<Publication> {
        private final int streamId;
        private final boolean exclusive;
        private ChannelUri channel;

        private Add(
                long id,
                ChannelUri channel,
                int streamId,
                boolean exclusive,
                CompletableFuture<Publication> answer) {
            super(conductor, id, answer);
            this.channel = channel;
            this.streamId = streamId;
            this.exclusive = exclusive;
        }

        @Override
        void send(Attachment attachment, long registrationId) {
            if (registrationId != id()) {
                channel = conductor.reconnection().now(channel);
            }
            attachment.commands().addPublication(registrationId, channel, streamId, exclusive);
            pending.put(registrationId, this);
        }

        @Override
        boolean isClosed(Publication publication) {
            return publication.isClosed();
        }

        @Override
        void markClosed(Publication publication) {
            publication.markClosed();
        }

        @Override
        String words() {
            return made() == null ? "publication on '" + channel + "'" : made().toString();
        }
    }

    /** A mapped log, and the number of this client's publications that use it. */
    private static final class SharedLog {
        private final LogBuffers log;
        private int users;

        private SharedLog(LogBuffers log) {
            this.log = log;
        }
    }

    private record Entry(Add add, long logRegistrationId) {
        Publication publication() {
            return add.made();
        }
    }

    private final ClientConductor conductor;
    private final LogTouching touching;
    private final LingeringMappings lingering;
    private final Long2ObjectHashMap<Add> pending = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<SharedLog> logs = new Long2ObjectHashMap<>();

    ClientPublications(
            ClientConductor conductor, LogTouching touching, LingeringMappings lingering) {
        this.conductor = conductor;
        this.touching = touching;
        this.lingering = lingering;
    }

    void add(
            long id,
            ChannelUri channel,
            int streamId,
            boolean exclusive,
            CompletableFuture<Publication> answer) {
        conductor.ask(new Add(id, channel, streamId, exclusive, answer));
    }

    void onReady(DriverEvent.PublicationReady event) {
        Add add = pending.remove(event.correlationId());
        if (add == null) {
            return;
        }
        Publication publication;
        try {
            LogBuffers log = use(event);
            publication = publication(add, log, event);
        } catch (RuntimeException e) {
            giveBack(event);
            add.refuse(e instanceof BusException reason ? reason : new BusException("" + e, e));
            return;
        }
        if (publication == null) { // closed while the driver was adding it
            giveBack(event);
            add.settle();
            return;
        }
        entries.put(event.correlationId(), new Entry(add, event.logRegistrationId()));
        if (!add.complete(publication)) {
            publication.close(); // the caller is no longer waiting
        }
    }

    /** Returns the log that the event names, after incrementing the log's use count. */
    private LogBuffers use(DriverEvent.PublicationReady event) {
        SharedLog shared = logs.get(event.logRegistrationId());
        if (shared == null) {
            shared = new SharedLog(conductor.driver().mapLog(event.logFile(), false));
            logs.put(event.logRegistrationId(), shared);
            touching.add(shared.log);
        }
        shared.users++;
        return shared.log;
    }

    private void giveBack(DriverEvent.PublicationReady event) {
        releaseLog(event.logRegistrationId());
        conductor.commands().removePublication(event.correlationId(), false);
    }

    /**
     * Returns a new publication, or reattaches and returns the existing one. Returns null if the
     * existing publication was closed.
     */
    private Publication publication(Add add, LogBuffers log, DriverEvent.PublicationReady event) {
        long registrationId = event.correlationId();
        int limitCounterId = event.limitCounterId();
        CountersReader counters = conductor.driver().counters();
        if (limitCounterId < 0 || limitCounterId > counters.maxCounterId()) {
            throw new BusException(
                    "the driver referred to counter "
                            + limitCounterId
                            + ", which does not exist: use the same Verbus release for driver and"
                            + " clients");
        }
        UnsafeBufferPosition limit =
                new UnsafeBufferPosition((UnsafeBuffer) counters.valuesBuffer(), limitCounterId);
        ChannelStatus status = new ChannelStatus(counters, event.statusCounterId());
        if (add.made() != null) {
            return add.made().attach(registrationId, log, limit, status) ? add.made() : null;
        }
        ChannelResource.Owner owner = conductor.calls();
        Publication publication =
                add.exclusive
                        ? new ExclusivePublication(
                                add.channel, registrationId, log, limit, status, owner)
                        : new ConcurrentPublication(
                                add.channel, registrationId, log, limit, status, owner);
        publication.askedUnder(add.id());
        return publication;
    }

    /** Handles a failed command. Returns false if the command does not concern a publication. */
    boolean onFailed(DriverEvent.CommandFailed event) {
        Add add = pending.remove(event.correlationId());
        if (add == null) {
            return false;
        }
        add.refuse(new RegistrationException(event.code(), event.message()));
        return true;
    }

    void forEach(Consumer<ChannelResource> visitor) {
        entries.values().forEach(entry -> visitor.accept(entry.publication()));
    }

    void onStreamFailed(DriverEvent.PublicationFailed event) {
        PublicationErrorHandler.Receiver receiver =
                new PublicationErrorHandler.Receiver(
                        event.receiverId(),
                        event.groupTag(),
                        event.address(),
                        event.destinationId());
        for (Entry entry : entries.values().toArray(new Entry[0])) {
            if (entry.logRegistrationId == event.logRegistrationId()) {
                conductor.callHandler(
                        () ->
                                conductor
                                        .context()
                                        .publicationErrorHandler
                                        .onPublicationError(
                                                entry.publication(),
                                                event.code(),
                                                event.message(),
                                                receiver));
            }
        }
    }

    /** Removes a publication that its owner has closed. */
    void release(Publication publication) {
        Entry entry = entries.remove(publication.registrationId());
        if (entry != null) {
            conductor
                    .commands()
                    .removePublication(
                            publication.registrationId(), publication.isRevokedOnClose());
            releaseLog(entry.logRegistrationId);
        }
    }

    private void releaseLog(long logRegistrationId) {
        SharedLog shared = logs.get(logRegistrationId);
        if (shared != null && --shared.users == 0) {
            logs.remove(logRegistrationId);
            touching.remove(shared.log);
            lingering.add(shared.log, System.nanoTime());
        }
    }

    /** Returns the resource with a registration id; null if unknown. */
    RequestedResource<?> resource(long registrationId) {
        Entry entry = entries.get(registrationId);
        return entry == null ? null : entry.add;
    }

    /** Detaches the publications, and keeps them for the next driver. */
    void loseAll(Consumer<RequestedResource<?>> keeper) {
        pending.values().forEach(keeper);
        pending.clear();
        for (Entry entry : entries.values()) {
            entry.publication().detach();
            releaseLog(entry.logRegistrationId);
            keeper.accept(entry.add);
        }
        entries.clear();
    }

    /** Closes all publications without sending commands to the driver. */
    void closeAll(BusException reason) {
        pending.values().forEach(add -> add.close(reason));
        pending.clear();
        for (Entry entry : entries.values()) {
            entry.add.close(reason);
            releaseLog(entry.logRegistrationId);
        }
        entries.clear();
    }
}
