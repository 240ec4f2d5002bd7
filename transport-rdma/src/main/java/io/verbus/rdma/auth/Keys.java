// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import io.verbus.transport.Networks;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * The keys of networks, in the order of their file, and those of networks that the file has ceased
 * to name: a file that lost lines opens no network. Immutable.
 */
final class Keys {
    /** No network has a key. */
    static final Keys NONE = new Keys(List.of(), List.of());

    private final List<Entry> entries;
    private final List<Entry> kept;

    /**
     * A network and its keys.
     *
     * @param network by its address and bits, always written in the same way.
     * @param hosts of the network.
     * @param keys one or two; none if the file says that the network is open.
     */
    record Entry(String network, Networks hosts, List<Key> keys) {
        private boolean isGuarded() {
            return !keys.isEmpty();
        }

        private boolean isOfSame(Entry other) {
            return network.equals(other.network);
        }
    }

    /**
     * @param entries of the file.
     * @param kept entries of networks that the file named before.
     */
    Keys(List<Entry> entries, List<Entry> kept) {
        this.entries = entries;
        this.kept = kept;
    }

    /** These keys, and the guarded networks of others that these do not name. */
    Keys keeping(Keys before) {
        return new Keys(
                entries,
                Stream.concat(before.entries.stream(), before.kept.stream())
                        .filter(Entry::isGuarded)
                        .filter(old -> entries.stream().noneMatch(old::isOfSame))
                        .toList());
    }

    /**
     * The keys of the first network of the file that holds the address; else, and where the file
     * says that this network is open, those of a network that the file has ceased to name.
     *
     * @return none if the network of the address is open.
     */
    List<Key> of(InetAddress address) {
        List<Key> keys = first(entries, address);
        return keys.isEmpty() ? first(kept, address) : keys;
    }

    private static List<Key> first(List<Entry> entries, InetAddress address) {
        for (Entry entry : entries) {
            if (entry.hosts().contains(address)) {
                return entry.keys();
            }
        }
        return List.of();
    }

    /** How many networks have keys. */
    int networks() {
        return (int) entries.stream().filter(Entry::isGuarded).count() + kept.size();
    }

    /** Networks that the file has ceased to name. */
    List<String> kept() {
        return kept.stream().map(Entry::network).toList();
    }
}
