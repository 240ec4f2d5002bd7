// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What other drivers have told: which address belongs to a name, and who is told in turn. Both are
 * bounded, and forget what was not heard of for the time-out. The resolver's thread writes; any
 * thread looks names up.
 */
final class KnownDrivers {
    /** Names, and neighbors: more than a cluster of drivers has. */
    static final int MAX_ENTRIES = 1024;

    /** A name, and when its driver was last heard of. */
    record Named(String name, InetSocketAddress address, long heardMs) {}

    private final long timeoutMs;
    private final Map<String, Named> names = new ConcurrentHashMap<>();
    private final Map<InetSocketAddress, Long> neighbors = new ConcurrentHashMap<>();

    KnownDrivers(long timeoutMs) {
        this.timeoutMs = timeoutMs;
    }

    /**
     * Takes an entry in.
     *
     * @return false if there is no room for another name or neighbor.
     */
    boolean onEntry(ResolutionEntry entry, long nowMs) {
        long heardMs = nowMs - entry.ageMs();
        if (nowMs - heardMs > timeoutMs) {
            return true; // others have not heard of it for too long
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

    /** Forgets what was not heard of for too long. */
    void forgetOld(long nowMs) {
        names.values().removeIf(each -> nowMs - each.heardMs > timeoutMs);
        neighbors.values().removeIf(heardMs -> nowMs - heardMs > timeoutMs);
    }

    /** The address of a driver; null if the name is unknown. Any thread. */
    InetAddress address(String name) {
        Named named = names.get(name);
        return named == null ? null : named.address.getAddress();
    }

    /** All names. */
    Collection<Named> names() {
        return names.values();
    }

    /** Addresses of the drivers that are told. */
    Collection<InetSocketAddress> neighbors() {
        return neighbors.keySet();
    }
}
