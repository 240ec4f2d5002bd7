// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.driver.share.Share;
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
 * Commands that wait for what takes a while: a name that is looked up, a transport that is
 * prepared, or the log of the publication that they name. All others go ahead of them. Conductor's
 * thread.
 */
public final class WaitingCommands {
    /** Commands of one client that are run in one go: names may be found for many at once. */
    private static final int MAX_A_CYCLE = 10;

    private record Waiting(
            long clientId,
            long correlationId,
            long registrationId,
            long weight,
            BooleanSupplier isReady,
            Runnable command) {}

    /** Where a failure is told. */
    public interface Failures {
        /** A command of a client has failed. */
        void tell(long clientId, long correlationId, RuntimeException failure);
    }

    private final Failures failures;
    private final Shares shares;
    private final List<Waiting> all = new ArrayList<>();

    /** Clients by the correlation ids of what waits. */
    private final Long2ObjectHashMap<Waiting> byCorrelation = new Long2ObjectHashMap<>();

    /** How many wait that are about a registration. */
    private final Long2LongCounterMap about = new Long2LongCounterMap(0);

    /**
     * @param shares of clients, in which what waits counts.
     */
    public WaitingCommands(Failures failures, Shares shares) {
        this.failures = failures;
        this.shares = shares;
    }

    /**
     * Has a command wait, until it is ready and none before it waits that is about the same.
     *
     * @param registrationId that the command is about.
     * @param weight that the command has in the client's share.
     * @param isReady looked at once a cycle.
     * @param command that is run then; what it throws is told to the client.
     * @throws io.verbus.driver.share.ShareException if too many of the client wait.
     */
    public void add(
            long clientId,
            long correlationId,
            long registrationId,
            long weight,
            BooleanSupplier isReady,
            Runnable command) {
        shares.take(Share.WAITING_COMMANDS, clientId, weight);
        Waiting added =
                new Waiting(clientId, correlationId, registrationId, weight, isReady, command);
        all.add(added);
        byCorrelation.put(correlationId, added);
        about.incrementAndGet(registrationId);
    }

    /** Whether a command about this registration waits. */
    public boolean isAnyAbout(long registrationId) {
        return about.get(registrationId) > 0;
    }

    /** Whether a command with this correlation id waits. */
    public boolean contains(long correlationId) {
        return byCorrelation.containsKey(correlationId);
    }

    /** Whether a command of this client with this correlation id waits. */
    public boolean isOf(long clientId, long correlationId) {
        Waiting waiting = byCorrelation.get(correlationId);
        return waiting != null && waiting.clientId == clientId;
    }

    /** The commands of a client that has gone are not run. */
    public void drop(long clientId) {
        for (Waiting each : all) {
            if (each.clientId == clientId) {
                end(each);
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
     * Runs those that are ready, in the order in which they came.
     *
     * @return how many.
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
            others.add(waiting.registrationId); // also where it runs now: at most one at a time
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
