// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.CommandEncoder;
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

/** The publications of a client, and the logs that they share. Conductor's thread only. */
final class ClientPublications {
    private record Pending(
            ChannelUri channel, boolean exclusive, CompletableFuture<Publication> answer) {}

    /** A mapped log and how many publications of this client use it. */
    private static final class SharedLog {
        private final LogBuffers log;
        private int users;

        private SharedLog(LogBuffers log) {
            this.log = log;
        }
    }

    private record Entry(Publication publication, long logRegistrationId) {}

    private final ClientConductor conductor;
    private final DriverConnection driver;
    private final CommandEncoder commands;
    private final LogTouching touching;
    private final LingeringMappings lingering;
    private final Long2ObjectHashMap<Pending> pending = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<SharedLog> logs = new Long2ObjectHashMap<>();

    ClientPublications(
            ClientConductor conductor,
            DriverConnection driver,
            CommandEncoder commands,
            LogTouching touching,
            LingeringMappings lingering) {
        this.conductor = conductor;
        this.driver = driver;
        this.commands = commands;
        this.touching = touching;
        this.lingering = lingering;
    }

    void add(
            long registrationId,
            ChannelUri channel,
            int streamId,
            boolean exclusive,
            CompletableFuture<Publication> answer) {
        commands.addPublication(registrationId, channel, streamId, exclusive);
        pending.put(registrationId, new Pending(channel, exclusive, answer));
    }

    void onReady(DriverEvent.PublicationReady event) {
        Pending add = pending.remove(event.correlationId());
        if (add == null) {
            return;
        }
        long registrationId = event.correlationId();
        SharedLog shared;
        Publication publication;
        try {
            shared = logs.get(event.logRegistrationId());
            if (shared == null) {
                shared = new SharedLog(driver.mapLog(event.logFile(), false));
                logs.put(event.logRegistrationId(), shared);
                touching.add(shared.log);
            }
            shared.users++;
            publication = publication(add, registrationId, shared.log, event);
        } catch (RuntimeException e) {
            releaseLog(event.logRegistrationId());
            commands.removePublication(registrationId, false);
            add.answer.completeExceptionally(e);
            return;
        }
        entries.put(registrationId, new Entry(publication, event.logRegistrationId()));
        if (!add.answer.complete(publication)) {
            publication.close(); // nobody waits for it any more
        }
    }

    private Publication publication(
            Pending add, long registrationId, LogBuffers log, DriverEvent.PublicationReady event) {
        int limitCounterId = event.limitCounterId();
        CountersReader counters = driver.counters();
        if (limitCounterId < 0 || limitCounterId > counters.maxCounterId()) {
            throw new BusException(
                    "the driver names counter "
                            + limitCounterId
                            + ", which does not exist: use the same Verbus release for driver and"
                            + " clients");
        }
        UnsafeBufferPosition limit =
                new UnsafeBufferPosition((UnsafeBuffer) counters.valuesBuffer(), limitCounterId);
        ChannelStatus status = new ChannelStatus(counters, event.statusCounterId());
        ChannelResource.Owner owner = conductor.calls();
        return add.exclusive
                ? new ExclusivePublication(add.channel, registrationId, log, limit, status, owner)
                : new ConcurrentPublication(add.channel, registrationId, log, limit, status, owner);
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

    void forEach(Consumer<ChannelResource> visitor) {
        entries.values().forEach(entry -> visitor.accept(entry.publication));
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
                                                entry.publication,
                                                event.code(),
                                                event.message(),
                                                receiver));
            }
        }
    }

    /** Takes a publication out that its owner has closed. */
    void release(Publication publication) {
        Entry entry = entries.remove(publication.registrationId());
        if (entry != null) {
            commands.removePublication(
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

    /** Closes everything without telling the driver. */
    void closeAll(BusException reason) {
        pending.values().forEach(add -> add.answer.completeExceptionally(reason));
        pending.clear();
        for (Entry entry : entries.values()) {
            entry.publication.markClosed();
            releaseLog(entry.logRegistrationId);
        }
        entries.clear();
    }
}
