// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
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
 * The time of a client between two drivers: looks for the next one, and asks it for all that the
 * application still wants, in the order in which the application has asked. Conductor's thread
 * only.
 */
final class Reconnection {
    private static final long NONE = -1;
    private static final long LOOK_NS = 10_000_000;
    private static final long ASK_AGAIN_NS = 100_000_000;

    private final ClientConductor conductor;
    private final DriverSearch search;
    private final TreeMap<Long, Addition<?>> lost = new TreeMap<>();

    /** What the next driver calls what the one before has called by a registration id. */
    private final Long2LongHashMap renamed = new Long2LongHashMap(NONE);

    /** What the driver that was lost, and is there again, still holds for the client before. */
    private final ArrayDeque<Addition<?>> held = new ArrayDeque<>();

    private long lostNs;
    private boolean isToldThatNoneComes;
    private long lookedNs;
    private long askedNs;
    private long timeToAskNs;
    private int unanswered;

    Reconnection(ClientConductor conductor) {
        this.conductor = conductor;
        search = search(conductor.context());
    }

    private static DriverSearch search(Bus.Context context) {
        return new DriverSearch(
                context.directory(), context.trust(), context.driverTimeout.toNanos());
    }

    /**
     * Waits for a client's first driver.
     *
     * @throws BusException with what was found last, if there is none in time.
     */
    static Attachment connect(Bus.Context context) {
        try (DriverSearch search = search(context)) {
            return Attachment.first(
                    search.await(context::invokeDriver, context.errorHandler), context.clientName);
        }
    }

    /** The driver is lost, and answers to it with it. */
    void begin(long nowNs) {
        lostNs = nowNs;
        isToldThatNoneComes = false;
        lookedNs = nowNs;
        unanswered = 0;
        renamed.clear();
        held.forEach(this::keep);
        held.clear();
    }

    /** Has the next driver asked, if the application wants it then. */
    void keep(Addition<?> addition) {
        lost.put(addition.id(), addition);
    }

    /**
     * Looks for the next driver, if it is time to.
     *
     * @param last what the client was to the driver that is lost.
     * @return what the client is to the next driver; null if there is none yet.
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
            reason = e; // and the next look finds out more
        }
        tellThatNoneComes(reason, nowNs);
        return null;
    }

    /** Once for each loss, so that a directory that no driver can have shows. */
    private void tellThatNoneComes(BusException reason, long nowNs) {
        long timeoutNs = conductor.context().driverTimeout.toNanos();
        if (!isToldThatNoneComes && nowNs - lostNs >= timeoutNs) {
            isToldThatNoneComes = true;
            conductor.onError(
                    new DriverTimeoutException(
                            "no media driver has come within "
                                    + timeoutNs / 1_000_000
                                    + " ms, and the bus goes on looking: "
                                    + reason.getMessage(),
                            reason));
        }
    }

    /**
     * Asks a driver for all that is wanted.
     *
     * @return whether there is anything to be answered.
     */
    boolean renew(Attachment next, long nowNs) {
        askedNs = nowNs;
        timeToAskNs = next.isToSame() ? conductor.context().driverTimeout.toNanos() : 0;
        unanswered = 1; // this call's, so that an answer at once does not end it
        for (Addition<?> addition : lost.values()) {
            if (addition.isWanted()) {
                long before = addition.registrationId();
                unanswered++;
                try {
                    addition.ask(next, true);
                    renamed.put(before, addition.registrationId());
                } catch (BusException e) {
                    addition.refuse(e);
                }
            } else {
                addition.drop();
            }
        }
        lost.clear();
        return !isAnswered();
    }

    /**
     * Takes what the driver has refused, if it may be taken a little later: a driver that was lost
     * and is there again lets go of a client's publications when they have lingered.
     *
     * @return false if it is refused for good.
     */
    boolean asksAgain(Addition<?> addition) {
        if (timeToAskNs <= 0) {
            return false;
        }
        held.add(addition);
        return true;
    }

    /** Asks again for what was refused, if it is time to; returns the work done. */
    int askAgain(Attachment attachment, long nowNs) {
        if (held.isEmpty() || nowNs - askedNs < ASK_AGAIN_NS) {
            return 0;
        }
        timeToAskNs -= nowNs - askedNs;
        askedNs = nowNs;
        for (int i = held.size(); i > 0; i--) {
            Addition<?> addition = held.removeFirst();
            if (addition.isWanted()) {
                addition.ask(attachment, true);
            } else {
                addition.settle();
            }
        }
        return 1;
    }

    /** The next driver has it: adds its destinations again. */
    void renewDestinations(Addition<?> addition) {
        addition.destinations()
                .renew(
                        addition.registrationId(),
                        change -> {
                            long id = conductor.commands().nextCorrelationId();
                            CompletableFuture<Integer> answer = new CompletableFuture<>();
                            answer.whenComplete(
                                    (value, failure) -> onAnswer(addition, id, change, failure));
                            unanswered++;
                            conductor.commands().changeDestination(id, change);
                            conductor.pending().add(id, answer, () -> {});
                            return id;
                        });
    }

    private void onAnswer(
            Addition<?> addition, long id, DestinationChange change, Throwable failure) {
        if (failure instanceof RegistrationException refusal) {
            addition.destinations().onRefused(id);
            conductor.onError(
                    new RegistrationException(
                            refusal.code(),
                            "cannot "
                                    + change.words()
                                    + " again, of the "
                                    + addition.words()
                                    + ": "
                                    + refusal.getMessage()));
        }
        conductor.onRenewed();
    }

    /** An answer has come. True if it was the last. */
    boolean isAnswered() {
        return --unanswered == 0;
    }

    /**
     * A channel for the next driver: the id of a subscription to responses is that of the next
     * driver.
     *
     * @throws BusException if the id means nothing there.
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
                            + " means something at the driver that is lost only: add a new one,"
                            + " with an id of the next driver");
        }
        return channel.withResponseId(id);
    }

    /** The bus is closed. */
    void close(BusException reason) {
        held.forEach(this::keep);
        held.clear();
        lost.values().forEach(addition -> addition.close(reason));
        lost.clear();
        search.close();
    }
}
