// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.RegistrationException;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.concurrent.CompletableFuture;

/**
 * Commands that a client has sent and that make nothing: their answer is a number, or no more than
 * success. Conductor's thread only.
 */
public final class PendingCommands {
    private static final int SUCCESS = 0;

    private record Pending(CompletableFuture<Integer> answer, Runnable onSuccess) {}

    private final Long2ObjectHashMap<Pending> pending = new Long2ObjectHashMap<>();

    /** Nothing is asked yet. */
    public PendingCommands() {}

    /**
     * A command was sent.
     *
     * @param answer to complete.
     * @param onSuccess run before that, also if nobody waits for the answer any more.
     */
    public void add(long correlationId, CompletableFuture<Integer> answer, Runnable onSuccess) {
        pending.put(correlationId, new Pending(answer, onSuccess));
    }

    /** A command has succeeded. */
    public void onSucceeded(DriverEvent.CommandSucceeded event) {
        complete(event.correlationId(), SUCCESS);
    }

    /** The answer to a command is a session id. */
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

    /** True if the command was one of these. */
    public boolean onFailed(DriverEvent.CommandFailed event) {
        Pending command = pending.remove(event.correlationId());
        if (command == null) {
            return false;
        }
        command.answer.completeExceptionally(
                new RegistrationException(event.code(), event.message()));
        return true;
    }

    /** The driver answers no more. */
    public void closeAll(BusException reason) {
        pending.values().forEach(command -> command.answer.completeExceptionally(reason));
        pending.clear();
    }
}
