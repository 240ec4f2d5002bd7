// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a client has asked its driver for, by the id under which it was asked: from the command on
 * until it is closed, has failed and that was told, or is done with. Any thread.
 */
final class Registrations {
    private final ConcurrentHashMap<Long, CompletableFuture<?>> answers = new ConcurrentHashMap<>();

    /** Makes the answer to a command that is about to be sent. */
    <T> CompletableFuture<T> begin(long id) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        answers.put(id, answer);
        return answer;
    }

    /** Forgets a command and what has come of it. */
    void end(long id) {
        answers.remove(id);
    }

    /** Whether a command of that id has not been answered yet. */
    boolean isActive(long id) {
        CompletableFuture<?> answer = answers.get(id);
        return answer != null && !answer.isDone();
    }

    /** Whether any command has not been answered yet. */
    boolean hasActive() {
        return answers.values().stream().anyMatch(answer -> !answer.isDone());
    }

    /**
     * What a command has made.
     *
     * @param id of the command.
     * @param type of what it makes.
     * @return null if the driver has not answered yet.
     * @throws BusException if the command has failed, or there is none of that id and type.
     */
    <T> T get(long id, Class<T> type) {
        CompletableFuture<?> answer = answers.get(id);
        if (answer == null) {
            throw new BusException(
                    "nothing is registered under id "
                            + id
                            + ": it was closed, has failed and that was told, or is another bus's");
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
                    "under id " + id + " is the " + made + ": get it by the method for its kind");
        }
        return type.cast(made);
    }

    /** Closes what a command has made, or what it will make once the driver has answered. */
    void remove(long id) {
        CompletableFuture<?> answer = answers.remove(id);
        if (answer == null
                || answer.completeExceptionally(
                        new BusException("it was removed before the driver had answered"))
                || answer.isCompletedExceptionally()) {
            return; // who takes the answer closes what nobody waits for
        }
        switch (answer.join()) {
            case Publication publication -> publication.close();
            case Subscription subscription -> subscription.close();
            case Counter counter -> counter.close();
            default -> {} // a command that makes nothing
        }
    }
}
