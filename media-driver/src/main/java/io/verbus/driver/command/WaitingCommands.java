// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.share.Shares;

import org.agrona.collections.Long2LongCounterMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Commands that wait for something slow: a name lookup, the preparation of a transport, an
 * endpoint, or the log of a publication. Other commands overtake them. Used by the conductor's
 * thread.
 */
public final class WaitingCommands {
    /**
     * Maximum number of one client's commands to run per cycle; many may become ready together, for
     * example when a name is resolved.
     */
    private static final int MAX_A_CYCLE = 10;

    private record Waiting(
            long clientId,
            long correlationId,
            long registrationId,
            long weight,
            BooleanSupplier isReady,
            Runnable command,
            Runnable abandon) {}

    /** Receives failures. */
    public interface Failures {
        /** Reports a client's failed command. */
        void tell(long clientId, long correlationId, RuntimeException failure);
    }

    private final Failures failures;
    private final Shares shares;
    private final List<Waiting> all = new ArrayList<>();

    /** Waiting commands by correlation id. */
    private final Long2ObjectHashMap<Waiting> byCorrelation = new Long2ObjectHashMap<>();

    /** Number of waiting commands by registration id. */
    private final Long2LongCounterMap about = new Long2LongCounterMap(0);

    /**
     * @param shares shares of the clients, in which waiting commands count.
     */
    public WaitingCommands(Failures failures, Shares shares) {
        this.failures = failures;
        this.shares = shares;
    }

    /**
     * Queues a command until it is ready and no earlier command about the same registration is
     * waiting.
     *
     * @param registrationId registration id that the command concerns.
     * @param weight weight of the command in the client's share.
     * @param isReady checked once per cycle.
     * @param command command to run; its exception is reported to the client.
     * @throws io.verbus.driver.share.ShareException if too many of the client's commands are
     *     waiting.
     */
    public void add(
            long clientId,
            long correlationId,
            long registrationId,
            long weight,
            BooleanSupplier isReady,
            Runnable command) {
        all.add(
                begin(
                        new Waiting(
                                clientId,
                                correlationId,
                                registrationId,
                                weight,
                                isReady,
                                command,
                                () -> {})));
    }

    private Waiting begin(Waiting added) {
        shares.take(Share.WAITING_COMMANDS, added.clientId, added.weight);
        byCorrelation.put(added.correlationId, added);
        about.incrementAndGet(added.registrationId);
        return added;
    }

    /**
     * Queues the rest of a command until its endpoint is open, ahead of all other commands about
     * the same registration.
     *
     * @param opening endpoint, which is closed if the client leaves or too many of its commands are
     *     waiting.
     * @param end completes the command; its exception is reported to the client.
     * @throws io.verbus.driver.share.ShareException if too many of the client's commands are
     *     waiting.
     */
    public void addFirst(
            long clientId,
            long correlationId,
            long registrationId,
            long weight,
            Opening opening,
            Runnable end) {
        Waiting added =
                new Waiting(
                        clientId,
                        correlationId,
                        registrationId,
                        weight,
                        opening::isDone,
                        end,
                        opening.abandon());
        try {
            all.addFirst(begin(added));
        } catch (ShareException e) {
            opening.abandon().run();
            throw e;
        }
    }

    /** Returns whether a command about this registration is waiting. */
    public boolean isAnyAbout(long registrationId) {
        return about.get(registrationId) > 0;
    }

    /** Returns whether a command with this correlation id is waiting. */
    public boolean contains(long correlationId) {
        return byCorrelation.containsKey(correlationId);
    }

    /** Returns whether one of this client's commands with this correlation id is waiting. */
    public boolean isOf(long clientId, long correlationId) {
        Waiting waiting = byCorrelation.get(correlationId);
        return waiting != null && waiting.clientId == clientId;
    }

    /** Drops the commands of a client that has left. */
    public void drop(long clientId) {
        for (Waiting each : all) {
            if (each.clientId == clientId) {
                end(each);
                each.abandon.run();
            }
        }
        all.removeIf(waiting -> waiting.clientId == clientId);
    }

    private void end(Waiting waiting) {
        shares.giveBack(Share.WAITING_COMMANDS, waiting.clientId, waiting.weight);
        byCorrelation.remove(waiting.correlationId, waiting);
        about.decrementAndGet(waiting.registrationId);
    }

    /**
     * Runs the commands that are ready, in their order of arrival.
     *
     * @return the number of commands run.
     */
    public int run() {
        if (all.isEmpty()) {
            return 0;
        }
        List<Waiting> ready = new ArrayList<>();
        LongHashSet others = new LongHashSet();
        Long2LongCounterMap ofClients = new Long2LongCounterMap(0);
        for (Waiting waiting : all) {
            if (!others.contains(waiting.registrationId)
                    && ofClients.get(waiting.clientId) < MAX_A_CYCLE
                    && waiting.isReady.getAsBoolean()) {
                ready.add(waiting);
                ofClients.incrementAndGet(waiting.clientId);
            }
            // even if it runs now, because commands about a registration run one at a time
            others.add(waiting.registrationId);
        }
        if (ready.isEmpty()) {
            return 0;
        }
        Set<Waiting> gone = Collections.newSetFromMap(new IdentityHashMap<>());
        gone.addAll(ready);
        all.removeIf(gone::contains);
        for (Waiting waiting : ready) {
            end(waiting);
            try {
                waiting.command.run();
            } catch (RuntimeException e) {
                failures.tell(waiting.clientId, waiting.correlationId, e);
            }
        }
        return ready.size();
    }
}
