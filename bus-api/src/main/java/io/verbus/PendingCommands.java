// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.DriverEvent;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.concurrent.CompletableFuture;

/**
 * Commands that a client has sent and that make nothing: their answer is a number, or no more than
 * success. Conductor's thread only.
 */
final class PendingCommands {
    private static final int SUCCESS = 0;

    private final Long2ObjectHashMap<CompletableFuture<Integer>> pending =
            new Long2ObjectHashMap<>();

    void add(long correlationId, CompletableFuture<Integer> answer) {
        pending.put(correlationId, answer);
    }

    void onSucceeded(DriverEvent.CommandSucceeded event) {
        complete(event.correlationId(), SUCCESS);
    }

    void onSessionId(DriverEvent.NextSessionId event) {
        complete(event.correlationId(), event.sessionId());
    }

    private void complete(long correlationId, int value) {
        CompletableFuture<Integer> answer = pending.remove(correlationId);
        if (answer != null) {
            answer.complete(value);
        }
    }

    /** True if the command was one of these. */
    boolean onFailed(DriverEvent.CommandFailed event) {
        CompletableFuture<Integer> answer = pending.remove(event.correlationId());
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
