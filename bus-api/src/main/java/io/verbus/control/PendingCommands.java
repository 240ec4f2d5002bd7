// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.RegistrationException;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.concurrent.CompletableFuture;

/**
 * A client's pending commands that create no resource: the driver answers with a number, or only
 * reports success. Used by the conductor's thread only.
 */
public final class PendingCommands {
    private static final int SUCCESS = 0;

    private record Pending(CompletableFuture<Integer> answer, Runnable onSuccess) {}

    private final Long2ObjectHashMap<Pending> pending = new Long2ObjectHashMap<>();

    /** Creates an empty set. */
    public PendingCommands() {}

    /**
     * Adds a command that was sent.
     *
     * @param correlationId id of the command.
     * @param answer future to complete.
     * @param onSuccess action to run before the future completes, even if the caller no longer
     *     waits.
     */
    public void add(long correlationId, CompletableFuture<Integer> answer, Runnable onSuccess) {
        pending.put(correlationId, new Pending(answer, onSuccess));
    }

    /** Completes a command that has succeeded. */
    public void onSucceeded(DriverEvent.CommandSucceeded event) {
        complete(event.correlationId(), SUCCESS);
    }

    /** Completes a command whose answer is a session id. */
    public void onSessionId(DriverEvent.NextSessionId event) {
        complete(event.correlationId(), event.sessionId());
    }

    private void complete(long correlationId, int value) {
        Pending command = pending.remove(correlationId);
        if (command != null) {
            command.onSuccess.run();
            command.answer.complete(value);
        }
    }

    /** Fails a command; returns false if it is not pending here. */
    public boolean onFailed(DriverEvent.CommandFailed event) {
        Pending command = pending.remove(event.correlationId());
        if (command == null) {
            return false;
        }
        command.answer.completeExceptionally(
                new RegistrationException(event.code(), event.message()));
        return true;
    }

    /** Fails all commands because the driver no longer answers. */
    public void closeAll(BusException reason) {
        pending.values().forEach(command -> command.answer.completeExceptionally(reason));
        pending.clear();
    }
}
