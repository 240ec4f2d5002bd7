// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A client's commands and their results, by correlation id. An entry lasts until the command's
 * result is closed, the command's failure is thrown, or the command completes without a result.
 * Thread-safe.
 */
final class Registrations {
    private final ConcurrentHashMap<Long, CompletableFuture<?>> answers = new ConcurrentHashMap<>();

    /** Returns a future for the answer to a command that is about to be sent. */
    <T> CompletableFuture<T> begin(long id) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        answers.put(id, answer);
        return answer;
    }

    /** Forgets a command and its result. */
    void end(long id) {
        answers.remove(id);
    }

    /** Returns whether the command is still unanswered. */
    boolean isActive(long id) {
        CompletableFuture<?> answer = answers.get(id);
        return answer != null && !answer.isDone();
    }

    /** Returns whether any command is still unanswered. */
    boolean hasActive() {
        return answers.values().stream().anyMatch(answer -> !answer.isDone());
    }

    /**
     * Returns the result of a command.
     *
     * @param id correlation id of the command.
     * @param type type of the result.
     * @return the result, or null if the driver has not answered yet.
     * @throws BusException if the command has failed, or there is no result of the given type for
     *     the id.
     */
    <T> T get(long id, Class<T> type) {
        CompletableFuture<?> answer = answers.get(id);
        if (answer == null) {
            throw new BusException(
                    "nothing is registered under id "
                            + id
                            + ": the resource was closed, its failure was already thrown, or the id"
                            + " belongs to another bus");
        }
        if (!answer.isDone()) {
            return null;
        }
        Object made;
        try {
            made = answer.join();
        } catch (CompletionException e) {
            end(id);
            throw ClientRequests.thrownHere(e.getCause());
        }
        if (!type.isInstance(made)) {
            throw new BusException(
                    "id "
                            + id
                            + " belongs to the "
                            + made
                            + ": call the get method for that "
                            + "kind of resource");
        }
        return type.cast(made);
    }

    /** Closes the result of a command, now or once the driver has answered. */
    void remove(long id) {
        CompletableFuture<?> answer = answers.remove(id);
        if (answer == null
                || answer.completeExceptionally(
                        new BusException("the resource was removed before the driver answered"))
                || answer.isCompletedExceptionally()) {
            return; // the conductor closes a result whose answer is already completed
        }
        switch (answer.join()) {
            case Publication publication -> publication.close();
            case Subscription subscription -> subscription.close();
            case Counter counter -> counter.close();
            default -> {} // the command has no result
        }
    }
}
