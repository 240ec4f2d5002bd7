// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.driver.share.OwnedIds;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.List;

/**
 * Client counters, and static counters, which outlive their clients. Used by the conductor's
 * thread.
 */
public final class RegisteredCounters {
    private record Owned(long clientId, int typeId, AtomicCounter counter) {}

    private record Static(int typeId, long registrationId, int counterId) {}

    private final DriverCountersManager manager;
    private final Shares shares;
    private final Long2ObjectHashMap<Owned> owned = new Long2ObjectHashMap<>();
    private final OwnedIds ids = new OwnedIds();
    private final List<Static> statics = new ArrayList<>();

    /**
     * @param counters counters of the driver.
     * @param shares shares of the clients.
     */
    public RegisteredCounters(DriverCounters counters, Shares shares) {
        manager = counters.manager();
        this.shares = shares;
    }

    /**
     * Creates a counter for a client.
     *
     * @param clientId client that owns the counter.
     * @param registrationId registration id that the client uses.
     * @param typeId type of the counter.
     * @param key key of the counter.
     * @param label label of the counter; truncated if too long.
     * @return the counter's id.
     * @throws BusException if there is none left, or the key is too long.
     */
    public int add(
            long clientId, long registrationId, int typeId, DirectBuffer key, DirectBuffer label) {
        AtomicCounter counter = allocate(clientId, clientId, typeId, key, label);
        manager.setCounterRegistrationId(counter.id(), registrationId);
        manager.setCounterOwnerId(counter.id(), clientId);
        owned.put(registrationId, new Owned(clientId, typeId, counter));
        ids.add(clientId, registrationId);
        return counter.id();
    }

    /** Returns whether a counter has this registration id. */
    public boolean contains(long registrationId) {
        return owned.containsKey(registrationId);
    }

    /** Returns whether another client's counter has this registration id. */
    public boolean isOthers(long clientId, long registrationId) {
        Owned counter = owned.get(registrationId);
        return counter != null && counter.clientId != clientId;
    }

    /**
     * Frees a client's counter, after its end was announced.
     *
     * @return the id that it had; -1 if the client has no counter with this registration id.
     */
    public int remove(long clientId, long registrationId) {
        Owned counter = owned.get(registrationId);
        if (counter == null || counter.clientId != clientId) {
            return CountersReader.NULL_COUNTER_ID;
        }
        owned.remove(registrationId);
        ids.remove(clientId, registrationId);
        counter.counter.close();
        return counter.counter.id();
    }

    /** Returns the registration ids of a client's counters, in ascending order. */
    public long[] of(long clientId) {
        return ids.of(clientId);
    }

    /**
     * Finds or creates a counter that no client owns. The counter is never freed, and remains in
     * the share of the client that created it.
     *
     * @throws BusException if there is none left, the key is too long, or a client owns such a
     *     counter.
     */
    public int addStatic(
            long clientId, long registrationId, int typeId, DirectBuffer key, DirectBuffer label) {
        for (Static each : statics) {
            if (each.typeId == typeId && each.registrationId == registrationId) {
                return each.counterId;
            }
        }
        Owned other = owned.get(registrationId);
        if (other != null && other.typeId == typeId) {
            throw new BusException(
                    // Aeron's text, without an article
                    "cannot add static counter, because a non-static counter exists for client "
                            + other.clientId
                            + " (counterId="
                            + other.counter.id()
                            + " typeId="
                            + typeId
                            + " registrationId="
                            + registrationId
                            + "): choose another registration id");
        }
        shares.require(Share.STATIC_COUNTERS, clientId, 1);
        AtomicCounter counter =
                allocate(DriverCountersManager.NO_OWNER, clientId, typeId, key, label);
        shares.take(Share.STATIC_COUNTERS, clientId, 1);
        manager.setCounterRegistrationId(counter.id(), registrationId);
        manager.setCounterOwnerId(counter.id(), DriverCountersManager.NO_OWNER);
        statics.add(new Static(typeId, registrationId, counter.id()));
        return counter.id();
    }

    private AtomicCounter allocate(
            long owner, long payer, int typeId, DirectBuffer key, DirectBuffer label) {
        if (key.capacity() > CountersReader.MAX_KEY_LENGTH) {
            throw new BusException(
                    "the counter's key has "
                            + key.capacity()
                            + " bytes: shorten it to at most "
                            + CountersReader.MAX_KEY_LENGTH
                            + " bytes");
        }
        int length = Math.min(label.capacity(), CountersReader.MAX_LABEL_LENGTH);
        return manager.allocate(
                CounterShare.CLIENTS,
                owner,
                payer,
                typeId,
                key,
                key.capacity(),
                new UnsafeBuffer(label, 0, length));
    }
}
