// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.Attachment;
import io.verbus.control.Destinations;

import java.util.concurrent.CompletableFuture;

/**
 * What the application has asked for: a publication, a subscription or a counter, from the call
 * until it is closed. It is asked of a driver, and of each next one while it is wanted. Conductor's
 * thread only.
 *
 * @param <T> what is made.
 */
abstract class Addition<T> {
    private final ClientConductor conductor;
    private final long id;
    private final CompletableFuture<T> answer;
    private final Destinations destinations = new Destinations();

    /** Null until a driver has answered. */
    private T made;

    private long registrationId;
    private boolean isConfirmed;
    private boolean isRenewed;

    /**
     * @param id under which the application has asked.
     * @param answer to be completed once.
     */
    Addition(ClientConductor conductor, long id, CompletableFuture<T> answer) {
        this.conductor = conductor;
        this.id = id;
        this.answer = answer;
        registrationId = id;
    }

    /** Sends the command. */
    abstract void send(Attachment attachment, long registrationId);

    /** Whether the application has closed what was made. */
    abstract boolean isClosed(T thing);

    /** Closes what was made, without a word to the driver. */
    abstract void markClosed(T thing);

    /** Closes what was made before a driver has answered. */
    void drop() {}

    /** What is asked for, in words that follow "the". */
    abstract String words();

    /** The id under which the application has asked. */
    final long id() {
        return id;
    }

    /** Identity at the driver that was asked last. */
    final long registrationId() {
        return registrationId;
    }

    final Destinations destinations() {
        return destinations;
    }

    /** Whether the driver that was asked last has it. */
    final boolean isConfirmed() {
        return isConfirmed;
    }

    /** What a driver has made; null before. */
    final T made() {
        return made;
    }

    /** Whether the application waits for it, or has it and has not closed it. */
    final boolean isWanted() {
        return made == null ? !answer.isDone() : !isClosed(made);
    }

    /**
     * Asks a driver.
     *
     * @param isRenewed whether all that was lost is being asked for, and the answer is counted.
     */
    final void ask(Attachment attachment, boolean isRenewed) {
        this.isRenewed = isRenewed;
        isConfirmed = false;
        registrationId = attachment.isOwn(id) ? id : attachment.commands().nextCorrelationId();
        send(attachment, registrationId);
    }

    /**
     * The driver has it.
     *
     * @return false if the application does not wait for it any more.
     */
    final boolean complete(T thing) {
        isConfirmed = true;
        boolean isFirst = made == null;
        made = thing;
        boolean isTaken = !isFirst || answer.complete(thing);
        if (!isFirst) {
            conductor.reconnection().renewDestinations(this);
        }
        settle();
        return isTaken;
    }

    /** The driver does not have it: tells who waits for it, or closes what the application has. */
    final void refuse(BusException reason) {
        if (made == null) {
            drop();
            answer.completeExceptionally(reason);
        } else if (isWanted() && conductor.reconnection().asksAgain(this)) {
            return;
        } else {
            markClosed(made);
            conductor.calls().forget(id);
            String text =
                    "the "
                            + words()
                            + " is closed, because the next media driver cannot have it: "
                            + reason.getMessage();
            conductor.onError(
                    reason instanceof RegistrationException refusal
                            ? new RegistrationException(refusal.code(), text)
                            : new BusException(text, reason));
        }
        settle();
    }

    /** The bus is closed. */
    final void close(BusException reason) {
        if (made == null) {
            drop();
            answer.completeExceptionally(reason);
        } else {
            markClosed(made);
        }
    }

    /** The answer of this driver is there, or of no more interest. */
    final void settle() {
        if (isRenewed) {
            isRenewed = false;
            conductor.onRenewed();
        }
    }
}
