// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.concurrent.CompletableFuture;

/** Destinations that a client has asked its driver to add or remove. Conductor's thread only. */
final class ClientDestinations {
    private final CommandEncoder commands;
    private final Long2ObjectHashMap<CompletableFuture<Boolean>> pending =
            new Long2ObjectHashMap<>();

    ClientDestinations(CommandEncoder commands) {
        this.commands = commands;
    }

    void add(long registrationId, ChannelUri destination, CompletableFuture<Boolean> answer) {
        pending.put(commands.addDestination(registrationId, destination), answer);
    }

    void remove(long registrationId, ChannelUri destination, CompletableFuture<Boolean> answer) {
        pending.put(commands.removeDestination(registrationId, destination), answer);
    }

    void onSucceeded(DriverEvent.CommandSucceeded event) {
        CompletableFuture<Boolean> answer = pending.remove(event.correlationId());
        if (answer != null) {
            answer.complete(true);
        }
    }

    /** True if the command was one of these. */
    boolean onFailed(DriverEvent.CommandFailed event) {
        CompletableFuture<Boolean> answer = pending.remove(event.correlationId());
        if (answer == null) {
            return false;
        }
        answer.completeExceptionally(new RegistrationException(event.code(), event.message()));
        return true;
    }

    /** The driver answers no more. */
    void closeAll(BusException reason) {
        pending.values().forEach(answer -> answer.completeExceptionally(reason));
        pending.clear();
    }
}
