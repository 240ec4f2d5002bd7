// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;

/**
 * The registration ids of each client, so that the departure of a client takes only as long as what
 * it has registered. Used by the conductor's thread.
 */
public final class OwnedIds {
    private static final long[] NONE = {};

    private final Long2ObjectHashMap<LongHashSet> byClient = new Long2ObjectHashMap<>();

    /** Adds a client's registration. */
    public void add(long clientId, long registrationId) {
        byClient.computeIfAbsent(clientId, none -> new LongHashSet()).add(registrationId);
    }

    /** Removes a client's registration. */
    public void remove(long clientId, long registrationId) {
        LongHashSet ids = byClient.get(clientId);
        if (ids != null && ids.remove(registrationId) && ids.isEmpty()) {
            byClient.remove(clientId);
        }
    }

    /** Returns a client's registrations, in ascending order. */
    public long[] of(long clientId) {
        LongHashSet ids = byClient.get(clientId);
        return ids == null ? NONE : ids.stream().mapToLong(Long::longValue).sorted().toArray();
    }
}
