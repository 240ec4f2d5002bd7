// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.publication.PublicationHolders;
import io.verbus.driver.publication.Publications;
import io.verbus.driver.share.Departures;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.RegisteredCounters;
import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.subscription.Subscriptions;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * The driver's clients. Releases a client's resources when it closes or times out. Used by the
 * conductor's thread.
 */
public final class Clients {
    /** Number of timed-out clients to remember, in case they send commands again. */
    private static final int REMEMBERED = 256;

    /**
     * The driver counts as paused if the time between two checks exceeds the liveness timeout
     * divided by this number.
     */
    private static final int PAUSE_FRACTION = 4;

    private final WaitingCommands waiting;
    private final Publications publications;
    private final PublicationHolders holders;
    private final Subscriptions subscriptions;
    private final DriverCounters counters;
    private final RegisteredCounters clientCounters;
    private final EventEncoder events;
    private final DriverClock clock;
    private final long livenessTimeoutNs;
    private final Shares shares;
    private final Departures departures;
    private final AtomicCounter count;
    private final AtomicCounter timedOutCount;
    private final Long2ObjectHashMap<Client> byId = new Long2ObjectHashMap<>();
    private final List<Client> all = new ArrayList<>();
    private final long[] timedOut = new long[REMEMBERED];
    private int timedOutTotal;
    private long lastCheckNs;

    public Clients(
            WaitingCommands waiting,
            Publications publications,
            PublicationHolders holders,
            Subscriptions subscriptions,
            DriverCounters counters,
            RegisteredCounters clientCounters,
            EventEncoder events,
            DriverClock clock,
            ClientLocks locks,
            Shares shares,
            long livenessTimeoutNs) {
        this.shares = shares;
        this.waiting = waiting;
        this.publications = publications;
        this.holders = holders;
        this.subscriptions = subscriptions;
        this.counters = counters;
        this.clientCounters = clientCounters;
        this.events = events;
        this.departures = new Departures(events::isOpen);
        this.clock = clock;
        this.livenessTimeoutNs = livenessTimeoutNs;
        this.lastCheckNs = clock.nanoTime();
        this.count = counters.system(SystemCounter.CLIENTS);
        counters.manager().owners(id -> !byId.containsKey(id) && locks.isHeld(id));
        this.timedOutCount = counters.system(SystemCounter.CLIENTS_TIMED_OUT);
    }

    /**
     * Records a command that adds a resource. A client's first such command adds the client.
     *
     * @throws CommandException if the client has timed out, or no client can be added.
     */
    void seen(long clientId) {
        Client client = byId.get(clientId);
        if (client == null) {
            client = add(clientId);
        }
        client.onSeen(clock.nanoTime());
    }

    /** Records any other command; a client that is not known is ignored. */
    public void heard(long clientId) {
        Client client = byId.get(clientId);
        if (client != null) {
            client.onSeen(clock.nanoTime());
        }
    }

    private Client add(long clientId) {
        if (isTimedOut(clientId)) {
            events.clientTimeout(clientId);
            throw new CommandException(
                    ErrorCode.GENERIC_ERROR,
                    "the driver has closed client "
                            + clientId
                            + ", because the client was silent for longer than the"
                            + " client-liveness-timeout: connect a new Bus");
        }
        if (clientId < 0) {
            throw new CommandException(
                    ErrorCode.MALFORMED_COMMAND,
                    "client id "
                            + clientId
                            + " is negative: take the client id from the driver's command buffer,"
                            + " as clients of Aeron and Verbus do");
        }
        shares.require(Share.CLIENTS, Shares.NOBODY, 1);
        AtomicCounter heartbeat = counters.client(clientId);
        shares.take(Share.CLIENTS, Shares.NOBODY, 1);
        Client client = new Client(clientId, heartbeat, clock.nanoTime());
        byId.put(clientId, client);
        all.add(client);
        count.setRelease(all.size());
        heartbeat.setRelease(clock.epochMs());
        events.counterReady(clientId, heartbeat.id());
        return client;
    }

    /** Returns whether there is a client with the given id. */
    public boolean contains(long clientId) {
        return byId.containsKey(clientId);
    }

    /** Handles a keepalive. If the client has timed out, it is notified again. */
    void keepalive(long clientId) {
        Client client = byId.get(clientId);
        if (client != null) {
            client.onKeepalive(clock.nanoTime(), clock.epochMs());
        } else if (isTimedOut(clientId)) {
            events.clientTimeout(clientId);
        }
    }

    /** Handles an orderly close by a client. */
    void close(long clientId) {
        Client client = byId.get(clientId);
        if (client != null) {
            release(client, false);
            all.remove(client);
            count.setRelease(all.size());
        }
    }

    /** Returns the time without a sign of life, in nanoseconds, after which a client times out. */
    public long livenessTimeoutNs() {
        return livenessTimeoutNs;
    }

    /**
     * Times out clients without signs of life, and continues to release the resources of departed
     * clients.
     *
     * @param nowNs monotonic time; all commands sent before this time have been handled.
     * @return the work count.
     */
    public int checkLiveness(long nowNs) {
        long pauseNs = nowNs - lastCheckNs;
        lastCheckNs = nowNs;
        if (pauseNs > livenessTimeoutNs / PAUSE_FRACTION) {
            forgive(pauseNs);
        }
        int work = departures.work();
        work += counters.manager().reuse(nowNs);
        work += events.isOpen() ? subscriptions.sources().joinLate() : 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            Client client = all.get(i);
            client.look(nowNs);
            if (nowNs - client.lastSeenNs() > livenessTimeoutNs) {
                all.remove(i);
                release(client, true);
                remember(client.id());
                events.clientTimeout(client.id());
                timedOutCount.incrementRelease();
                count.setRelease(all.size());
                work++;
            }
        }
        return work;
    }

    /** Extends the clients' deadlines after the driver, or the machine, was paused. */
    private void forgive(long pauseNs) {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).onPause(pauseNs);
        }
    }

    /**
     * Starts to release a client's resources, which takes several steps. Commands can no longer
     * refer to the client.
     */
    private void release(Client client, boolean hasDied) {
        byId.remove(client.id());
        shares.giveBack(Share.CLIENTS, Shares.NOBODY, 1);
        waiting.drop(client.id());
        publications.drop(client.id());
        for (long registrationId : holders.of(client.id())) {
            departures.add(() -> publications.release(registrationId, hasDied));
        }
        for (Subscription subscription : subscriptions.list().of(client.id())) {
            departures.add(() -> subscriptions.remove(subscription));
        }
        for (long registrationId : clientCounters.of(client.id())) {
            departures.add(
                    () -> {
                        int counterId = clientCounters.remove(client.id(), registrationId);
                        events.unavailableCounter(registrationId, counterId);
                    });
        }
        departures.add(
                () -> {
                    events.unavailableCounter(client.id(), client.heartbeatId());
                    client.free();
                });
        departures.work();
    }

    private void remember(long clientId) {
        timedOut[timedOutTotal++ % REMEMBERED] = clientId;
    }

    private boolean isTimedOut(long clientId) {
        for (int i = Math.min(timedOutTotal, REMEMBERED) - 1; i >= 0; i--) {
            if (timedOut[i] == clientId) {
                return true;
            }
        }
        return false;
    }
}
