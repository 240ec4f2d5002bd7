// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.List;

/** The counters that clients have of their own, and those that outlive them. Conductor's thread. */
public final class ClientCounters {
    private record Owned(long clientId, int typeId, AtomicCounter counter) {}

    private record Static(int typeId, long registrationId, int counterId) {}

    private final CounterPool pool;
    private final Long2ObjectHashMap<Owned> owned = new Long2ObjectHashMap<>();
    private final List<Static> statics = new ArrayList<>();

    /**
     * @param counters of the driver.
     */
    public ClientCounters(DriverCounters counters) {
        pool = counters.pool();
    }

    /**
     * Makes a counter of a client.
     *
     * @param clientId of the client, whose counter it is.
     * @param registrationId by which the client knows it.
     * @param typeId of the counter.
     * @param key of the counter.
     * @param label of the counter; what is too long of it is cut off.
     * @return the counter's id.
     * @throws BusException if there is none left, or the key is too long.
     */
    public int add(
            long clientId, long registrationId, int typeId, DirectBuffer key, DirectBuffer label) {
        AtomicCounter counter = allocate(clientId, typeId, key, label);
        pool.setCounterRegistrationId(counter.id(), registrationId);
        pool.setCounterOwnerId(counter.id(), clientId);
        owned.put(registrationId, new Owned(clientId, typeId, counter));
        return counter.id();
    }

    /** Whether there is a counter of this registration. */
    public boolean contains(long registrationId) {
        return owned.containsKey(registrationId);
    }

    /**
     * Frees a counter of a client, once its end was told.
     *
     * @return the id that it had; -1 if the client has none of this registration.
     */
    public int remove(long clientId, long registrationId) {
        Owned counter = owned.get(registrationId);
        if (counter == null || counter.clientId != clientId) {
            return CountersReader.NULL_COUNTER_ID;
        }
        owned.remove(registrationId);
        counter.counter.close();
        return counter.counter.id();
    }

    /** Takes the registrations of what a client has. */
    public List<Long> of(long clientId) {
        List<Long> registrations = new ArrayList<>();
        owned.forEachLong(
                (registrationId, counter) -> {
                    if (counter.clientId == clientId) {
                        registrations.add(registrationId);
                    }
                });
        return registrations;
    }

    /**
     * Finds or makes a counter that no client owns. It is never freed.
     *
     * @throws BusException if there is none left, the key is too long, or a client owns such a
     *     counter.
     */
    public int addStatic(long registrationId, int typeId, DirectBuffer key, DirectBuffer label) {
        for (Static each : statics) {
            if (each.typeId == typeId && each.registrationId == registrationId) {
                return each.counterId;
            }
        }
        Owned other = owned.get(registrationId);
        if (other != null && other.typeId == typeId) {
            throw new BusException(
                    "cannot add static counter, because a non-static counter exists of client "
                            + other.clientId
                            + " (counterId="
                            + other.counter.id()
                            + " typeId="
                            + typeId
                            + " registrationId="
                            + registrationId
                            + "): choose another registration id");
        }
        AtomicCounter counter = allocate(CounterPool.NO_OWNER, typeId, key, label);
        pool.setCounterRegistrationId(counter.id(), registrationId);
        pool.setCounterOwnerId(counter.id(), CounterPool.NO_OWNER);
        statics.add(new Static(typeId, registrationId, counter.id()));
        return counter.id();
    }

    private AtomicCounter allocate(long owner, int typeId, DirectBuffer key, DirectBuffer label) {
        if (key.capacity() > CountersReader.MAX_KEY_LENGTH) {
            throw new BusException(
                    "the counter's key has "
                            + key.capacity()
                            + " bytes: shorten it to at most "
                            + CountersReader.MAX_KEY_LENGTH);
        }
        int length = Math.min(label.capacity(), CountersReader.MAX_LABEL_LENGTH);
        return pool.allocate(
                CounterShare.CLIENTS,
                owner,
                typeId,
                key,
                key.capacity(),
                new UnsafeBuffer(label, 0, length));
    }
}
