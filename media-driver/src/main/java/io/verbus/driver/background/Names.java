// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import io.verbus.channel.LocalInterface;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Addresses of host names. They are looked up in the background, each time that a caller is about
 * to use them, and remembered for the use. Conductor's thread.
 */
public final class Names {
    private static final int MAX_REMEMBERED = 1024;
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final Background background;
    private final HostNames hosts;
    private final LongConsumer taken;
    private final Map<String, CompletableFuture<Void>> underWay = new HashMap<>();

    /** The one that was found least recently comes first. */
    private final Map<String, InetAddress> found = new LinkedHashMap<>();

    /**
     * @param hosts that names are asked of.
     * @param taken told, by a background thread, how long each answer has taken, nanoseconds.
     */
    public Names(Background background, HostNames hosts, LongConsumer taken) {
        this.background = background;
        this.hosts = hosts;
        this.taken = taken;
    }

    /**
     * Looks a name up.
     *
     * @param name or an IP address, or that of a {@link LocalInterface}.
     * @return completed in a later turn of the conductor, or at once for an IP address.
     */
    public CompletableFuture<Void> lookUp(String name) {
        return literal(name) != null ? NOTHING : underWay.computeIfAbsent(name, this::beginLookUp);
    }

    private CompletableFuture<Void> beginLookUp(String name) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        InetAddress[] answer = new InetAddress[1];
        background.lookUp(
                () -> answer[0] = ask(name),
                () -> {
                    underWay.remove(name);
                    remember(name, answer[0]);
                    end.complete(null);
                });
        return end;
    }

    private InetAddress ask(String name) {
        if (LocalInterface.isSearched(name)) {
            return LocalAddresses.find(name);
        }
        long startNs = System.nanoTime();
        try {
            return hosts.address(name);
        } catch (UnknownHostException e) {
            return null; // which whoever uses the name says, with the channel that names it
        } finally {
            taken.accept(System.nanoTime() - startNs);
        }
    }

    private void remember(String name, InetAddress address) {
        found.remove(name);
        if (address != null) {
            found.put(name, address);
        }
        if (found.size() > MAX_REMEMBERED) {
            found.remove(found.keySet().iterator().next());
        }
    }

    /** What a name led to when it was looked up last; unresolved if that failed. */
    public InetSocketAddress address(String name, int port) {
        InetAddress address = literal(name);
        if (address == null) {
            address = found.get(name);
        }
        return address == null
                ? InetSocketAddress.createUnresolved(name, port)
                : new InetSocketAddress(address, port);
    }

    private static InetAddress literal(String name) {
        boolean isLiteral = name.indexOf(':') >= 0 || Character.digit(lastOf(name), 10) >= 0;
        try {
            return isLiteral ? InetAddress.ofLiteral(name) : null;
        } catch (IllegalArgumentException e) {
            return null; // a name that ends with a digit
        }
    }

    private static char lastOf(String name) {
        return name.isEmpty() ? ' ' : name.charAt(name.length() - 1);
    }
}
