// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import io.verbus.transport.Networks;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * The keys of networks in file order, and those of networks that the file no longer names, so that
 * a file that lost lines opens no network. Immutable.
 */
final class Keys {
    /** Keys without any network. */
    static final Keys NONE = new Keys(List.of(), List.of());

    private final List<Entry> entries;
    private final List<Entry> kept;

    /**
     * A network and its keys.
     *
     * @param network address and prefix length in canonical form.
     * @param hosts hosts of the network.
     * @param keys one or two keys; empty if the file declares the network open.
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
     * @param entries entries of the file.
     * @param kept entries of networks that the file named before.
     */
    Keys(List<Entry> entries, List<Entry> kept) {
        this.entries = entries;
        this.kept = kept;
    }

    /** Returns these keys, with the guarded networks of earlier keys that these do not name. */
    Keys keeping(Keys before) {
        return new Keys(
                entries,
                Stream.concat(before.entries.stream(), before.kept.stream())
                        .filter(Entry::isGuarded)
                        .filter(old -> entries.stream().noneMatch(old::isOfSame))
                        .toList());
    }

    /**
     * Returns the keys of the first network of the file that contains the address. If there is
     * none, or it is open, returns the keys of a network that the file no longer names.
     *
     * @return the keys; empty if the address needs none.
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

    /** Returns the number of networks with keys. */
    int networks() {
        return (int) entries.stream().filter(Entry::isGuarded).count() + kept.size();
    }

    /** Returns the networks that the file no longer names. */
    List<String> kept() {
        return kept.stream().map(Entry::network).toList();
    }
}
