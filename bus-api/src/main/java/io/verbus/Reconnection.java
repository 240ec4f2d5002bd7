// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.channel.ResponseLink;
import io.verbus.control.Attachment;
import io.verbus.control.DestinationChange;
import io.verbus.control.DriverConnection;
import io.verbus.control.DriverSearch;

import org.agrona.collections.Long2LongHashMap;

import java.util.ArrayDeque;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Moves a client from a lost driver to the next driver: looks for the next driver, then requests
 * from it everything that the application still uses, in the order of the original calls. Used by
 * the conductor's thread only.
 */
final class Reconnection {
    private static final long NONE = -1;
    private static final long LOOK_NS = 10_000_000;
    private static final long ASK_AGAIN_NS = 100_000_000;

    private final ClientConductor conductor;
    private final DriverSearch search;
    private final TreeMap<Long, RequestedResource<?>> lost = new TreeMap<>();

    /** Registration ids at the next driver, by the corresponding ids at the lost driver. */
    private final Long2LongHashMap renamed = new Long2LongHashMap(NONE);

    /**
     * Additions that a resumed driver has rejected because it still holds the client's previous
     * resources.
     */
    private final ArrayDeque<RequestedResource<?>> held = new ArrayDeque<>();

    private long lostNs;
    private boolean isFailureReported;
    private long lookedNs;
    private long askedNs;
    private long timeToAskNs;
    private int unanswered;

    Reconnection(ClientConductor conductor) {
        this.conductor = conductor;
        search = search(conductor.context());
    }

    private static DriverSearch search(BusContext context) {
        return new DriverSearch(
                context.directory(), context.trust(), context.driverTimeout.toNanos());
    }

    /**
     * Waits for a client's first driver.
     *
     * @throws BusException if no driver responds in time; the message gives the last failure.
     */
    static Attachment connect(BusContext context) {
        try (DriverSearch search = search(context)) {
            return Attachment.first(
                    search.await(context::invokeDriver, context.errorHandler), context.clientName);
        }
    }

    /** Starts a reconnection after the driver, and with it every pending answer, was lost. */
    void begin(long nowNs) {
        lostNs = nowNs;
        isFailureReported = false;
        lookedNs = nowNs;
        unanswered = 0;
        renamed.clear();
        held.forEach(this::keep);
        held.clear();
    }

    /**
     * Keeps a resource, to be requested from the next driver if the application still uses it then.
     */
    void keep(RequestedResource<?> resource) {
        lost.put(resource.id(), resource);
    }

    /**
     * Looks for the next driver, at most once per interval.
     *
     * @param last the client's attachment to the lost driver.
     * @return the client's attachment to the next driver, or null if there is no next driver yet.
     */
    Attachment look(Attachment last, long nowNs) {
        if (nowNs - lookedNs < LOOK_NS) {
            return null;
        }
        lookedNs = nowNs;
        DriverConnection next = search.look();
        BusException reason = search.failure();
        try {
            if (next != null) {
                return last.next(next, conductor.context().clientName);
            }
        } catch (BusException e) {
            reason = e; // the next attempt may report a better reason
        }
        reportFailure(reason, nowNs);
        return null;
    }

    /** Reports, once for each loss, why no driver can be found, such as an unusable directory. */
    private void reportFailure(BusException reason, long nowNs) {
        long timeoutNs = conductor.context().driverTimeout.toNanos();
        if (!isFailureReported && nowNs - lostNs >= timeoutNs) {
            isFailureReported = true;
            conductor.onError(
                    new DriverTimeoutException(
                            "no media driver was found within "
                                    + timeoutNs / 1_000_000
                                    + " ms ("
                                    + reason.getMessage()
                                    + "); the bus keeps trying to connect",
                            reason));
        }
    }

    /**
     * Requests from a driver everything that the application still uses.
     *
     * @return whether any answer is pending.
     */
    boolean renew(Attachment next, long nowNs) {
        askedNs = nowNs;
        timeToAskNs = next.isToSame() ? conductor.context().driverTimeout.toNanos() : 0;
        unanswered = 1; // for this call, so that an immediate answer does not complete the count
        for (RequestedResource<?> resource : lost.values()) {
            if (resource.isWanted()) {
                long before = resource.registrationId();
                unanswered++;
                try {
                    resource.ask(next, true);
                    renamed.put(before, resource.registrationId());
                } catch (BusException e) {
                    resource.refuse(e);
                }
            } else {
                resource.drop();
            }
        }
        lost.clear();
        return !isAnswered();
    }

    /**
     * Queues a rejected resource for a retry, if a retry may succeed: a driver that was lost and
     * has resumed releases a client's publications only after they have lingered.
     *
     * @return false if the rejection is final.
     */
    boolean asksAgain(RequestedResource<?> resource) {
        if (timeToAskNs <= 0) {
            return false;
        }
        held.add(resource);
        return true;
    }

    /** Retries rejected resources, at most once per interval; returns the work done. */
    int askAgain(Attachment attachment, long nowNs) {
        if (held.isEmpty() || nowNs - askedNs < ASK_AGAIN_NS) {
            return 0;
        }
        timeToAskNs -= nowNs - askedNs;
        askedNs = nowNs;
        for (int i = held.size(); i > 0; i--) {
            RequestedResource<?> resource = held.removeFirst();
            if (resource.isWanted()) {
                resource.ask(attachment, true);
            } else {
                resource.settle();
            }
        }
        return 1;
    }

    /** Adds the destinations of a resource again, once the next driver has added the resource. */
    void renewDestinations(RequestedResource<?> resource) {
        resource.destinations()
                .renew(
                        resource.registrationId(),
                        change -> {
                            long id = conductor.commands().nextCorrelationId();
                            CompletableFuture<Integer> answer = new CompletableFuture<>();
                            answer.whenComplete(
                                    (value, failure) -> onAnswer(resource, id, change, failure));
                            unanswered++;
                            conductor.commands().changeDestination(id, change);
                            conductor.pending().add(id, answer, () -> {});
                            return id;
                        });
    }

    private void onAnswer(
            RequestedResource<?> resource, long id, DestinationChange change, Throwable failure) {
        if (failure instanceof RegistrationException refusal) {
            resource.destinations().onRefused(id);
            conductor.onError(
                    new RegistrationException(
                            refusal.code(),
                            "cannot "
                                    + change.words()
                                    + " again for the "
                                    + resource.words()
                                    + " after reconnecting: "
                                    + refusal.getMessage()));
        }
        conductor.onRenewed();
    }

    /** Counts an answer. Returns whether it was the last answer. */
    boolean isAnswered() {
        return --unanswered == 0;
    }

    /**
     * Translates a channel for the next driver by replacing the id of the response subscription.
     *
     * @throws BusException if the id is unknown at the next driver.
     */
    ChannelUri now(ChannelUri channel) {
        ResponseLink link = channel.response();
        if (link.correlationId() < 0 || conductor.attachment().isOwn(link.correlationId())) {
            return channel;
        }
        long id = renamed.get(link.correlationId());
        if (id == NONE) {
            throw new BusException(
                    "response-correlation-id="
                            + link.correlationId()
                            + " is an id from the previous driver: add a new response subscription"
                            + " and use its id");
        }
        return DerivedChannels.withResponseId(channel, id);
    }

    /** Closes all resources because the bus is closed. */
    void close(BusException reason) {
        held.forEach(this::keep);
        held.clear();
        lost.values().forEach(resource -> resource.close(reason));
        lost.clear();
        search.close();
    }
}
