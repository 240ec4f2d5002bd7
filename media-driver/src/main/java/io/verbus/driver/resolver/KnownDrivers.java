// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names and addresses that other drivers have announced, and the neighbors to announce to. Both
 * are limited in number, and entries without news within the timeout are forgotten. The resolver's
 * thread writes; any thread may look up names.
 */
final class KnownDrivers {
    /** Maximum number of names, and of neighbors: more than a cluster has drivers. */
    static final int MAX_ENTRIES = 1024;

    /** A name, and the time at which its driver was last heard of. */
    record Named(String name, InetSocketAddress address, long heardMs) {}

    private final long timeoutMs;
    private final Map<String, Named> names = new ConcurrentHashMap<>();
    private final Map<InetSocketAddress, Long> neighbors = new ConcurrentHashMap<>();

    KnownDrivers(long timeoutMs) {
        this.timeoutMs = timeoutMs;
    }

    /**
     * Adds or updates an entry.
     *
     * @return false if there is no room for another name or neighbor.
     */
    boolean onEntry(ResolutionEntry entry, long nowMs) {
        long heardMs = nowMs - entry.ageMs();
        if (nowMs - heardMs > timeoutMs) {
            // too old: other drivers have had no news of the driver for too long
            return true;
        }
        return isNameTaken(entry, heardMs) & isNeighborTaken(entry, heardMs);
    }

    private boolean isNameTaken(ResolutionEntry entry, long heardMs) {
        Named known = names.get(entry.name());
        if (known == null && names.size() >= MAX_ENTRIES) {
            return false;
        }
        if (known == null || heardMs >= known.heardMs) {
            names.put(entry.name(), new Named(entry.name(), entry.address(), heardMs));
        }
        return true;
    }

    private boolean isNeighborTaken(ResolutionEntry entry, long heardMs) {
        Long known = neighbors.get(entry.address());
        if (known == null && neighbors.size() >= MAX_ENTRIES) {
            return false;
        }
        if (known == null || entry.isSelf()) {
            neighbors.put(entry.address(), heardMs);
        }
        return true;
    }

    /** Forgets expired entries. */
    void forgetOld(long nowMs) {
        names.values().removeIf(each -> nowMs - each.heardMs > timeoutMs);
        neighbors.values().removeIf(heardMs -> nowMs - heardMs > timeoutMs);
    }

    /** Returns the address of a driver; null if the name is unknown. Thread-safe. */
    InetAddress address(String name) {
        Named named = names.get(name);
        return named == null ? null : named.address.getAddress();
    }

    /** Returns all names. */
    Collection<Named> names() {
        return names.values();
    }

    /** Returns the addresses of the drivers to announce to. */
    Collection<InetSocketAddress> neighbors() {
        return neighbors.keySet();
    }
}
