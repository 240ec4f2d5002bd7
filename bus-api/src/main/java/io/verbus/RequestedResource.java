// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.Attachment;
import io.verbus.control.Destinations;

import java.util.concurrent.CompletableFuture;

/**
 * A publication, subscription or counter that the application has requested and not yet closed. The
 * resource is added again at each driver to which the bus moves. Used by the conductor's thread
 * only.
 *
 * @param <T> type of the resource.
 */
abstract class RequestedResource<T> {
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
     * @param id id of the application's call.
     * @param answer future that the first answer completes; answers after a reconnect have no
     *     effect on it.
     */
    RequestedResource(ClientConductor conductor, long id, CompletableFuture<T> answer) {
        this.conductor = conductor;
        this.id = id;
        this.answer = answer;
        registrationId = id;
    }

    /** Sends the command that adds the resource. */
    abstract void send(Attachment attachment, long registrationId);

    /** Returns whether the application has closed the resource. */
    abstract boolean isClosed(T thing);

    /** Closes the resource without sending a command to the driver. */
    abstract void markClosed(T thing);

    /** Closes the object, if any, that was created before a driver answered. */
    void drop() {}

    /** Returns a description of the resource that reads well after "the". */
    abstract String words();

    /** Returns the id of the application's call. */
    final long id() {
        return id;
    }

    /** Returns the registration id at the driver that was last asked to add the resource. */
    final long registrationId() {
        return registrationId;
    }

    final Destinations destinations() {
        return destinations;
    }

    /** Returns whether the driver that was last asked to add the resource has done so. */
    final boolean isConfirmed() {
        return isConfirmed;
    }

    /** Returns the resource; null until a driver has answered. */
    final T made() {
        return made;
    }

    /**
     * Returns whether the application is still waiting for the resource, or has it and has not
     * closed it.
     */
    final boolean isWanted() {
        return made == null ? !answer.isDone() : !isClosed(made);
    }

    /**
     * Asks a driver to add the resource.
     *
     * @param isRenewed whether this is part of a reconnection, which then counts the answer.
     */
    final void ask(Attachment attachment, boolean isRenewed) {
        this.isRenewed = isRenewed;
        isConfirmed = false;
        registrationId = attachment.isOwn(id) ? id : attachment.commands().nextCorrelationId();
        send(attachment, registrationId);
    }

    /**
     * Completes the call after a driver has added the resource.
     *
     * @return false if the caller is no longer waiting for the resource.
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

    /**
     * Fails the call after a driver has rejected it or, if the resource already exists, closes the
     * resource.
     */
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
                            + " was closed after reconnecting, because the new media driver"
                            + " rejected it: "
                            + reason.getMessage();
            conductor.onError(
                    reason instanceof RegistrationException refusal
                            ? new RegistrationException(refusal.code(), text)
                            : new BusException(text, reason));
        }
        settle();
    }

    /** Closes the resource, or fails the call, because the bus is closed. */
    final void close(BusException reason) {
        if (made == null) {
            drop();
            answer.completeExceptionally(reason);
        } else {
            markClosed(made);
        }
    }

    /**
     * If this is part of a reconnection, counts the answer once it has arrived or is no longer
     * needed.
     */
    final void settle() {
        if (isRenewed) {
            isRenewed = false;
            conductor.onRenewed();
        }
    }
}
