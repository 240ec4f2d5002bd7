// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import io.verbus.channel.LocalInterface;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;

import org.agrona.collections.Long2LongCounterMap;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Addresses of host names. Names are looked up in the background each time a caller is about to use
 * them, and the results are kept for that use. Used by the conductor's thread.
 */
public final class Names {
    private static final int MAX_REMEMBERED = 1024;
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final Background background;
    private final HostNames hosts;
    private final LongConsumer taken;
    private final Shares shares;
    private final Map<Question, CompletableFuture<Void>> underWay = new HashMap<>();

    /** The name whose result is oldest comes first. */
    private final Map<String, Answer> answers = new LinkedHashMap<>();

    private final Long2LongCounterMap answersFor = new Long2LongCounterMap(0);

    /**
     * A lookup for one client. Clients do not share lookups, so that none waits for name servers
     * that another queries.
     */
    private record Question(long client, String name) {}

    /**
     * Result of a lookup.
     *
     * @param client client that requested the lookup; of several, the one with the fewest names.
     * @param address resolved address; null if the lookup failed.
     */
    private record Answer(long client, InetAddress address) {}

    /**
     * Owner of repeated lookups for streams. One client's names do not wait for another's, and
     * resolved names do not wait for unresolved ones.
     */
    private record Again(long client, boolean isKnown) {}

    /**
     * @param hosts resolver of the names.
     * @param taken receives the duration of each lookup in nanoseconds, on a background thread.
     * @param shares shares of the clients, in which lookups count.
     */
    public Names(Background background, HostNames hosts, LongConsumer taken, Shares shares) {
        this.shares = shares;
        this.background = background;
        this.hosts = hosts;
        this.taken = taken;
    }

    /**
     * Looks up a name.
     *
     * @param client client that needs it, or {@link Shares#NOBODY}.
     * @param name host name, IP address, or name of a {@link LocalInterface}.
     * @return a future that completes in a later duty cycle of the conductor, or immediately for an
     *     IP address.
     * @throws io.verbus.driver.share.ShareException if the client has too many lookups.
     */
    public CompletableFuture<Void> lookUp(long client, String name) {
        if (literal(name) != null) {
            return NOTHING;
        }
        Question question = new Question(client, name);
        CompletableFuture<Void> asked = underWay.get(question);
        return asked == null ? beginLookUp(question) : asked;
    }

    private CompletableFuture<Void> beginLookUp(Question question) {
        boolean isOfClient = question.client != Shares.NOBODY;
        if (isOfClient) {
            shares.take(Share.LOOK_UPS, question.client, 1);
        }
        CompletableFuture<Void> end = new CompletableFuture<>();
        underWay.put(question, end);
        InetAddress[] answer = new InetAddress[1];
        background.lookUp(
                isOfClient ? question.client : again(question.name),
                () -> answer[0] = ask(question.name),
                () -> {
                    underWay.remove(question);
                    if (isOfClient) {
                        shares.giveBack(Share.LOOK_UPS, question.client, 1);
                    }
                    remember(question, answer[0]);
                    end.complete(null);
                });
        return end;
    }

    private Again again(String name) {
        Answer last = answers.get(name);
        return last == null
                ? new Again(Shares.NOBODY, false)
                : new Again(last.client, last.address != null);
    }

    private InetAddress ask(String name) {
        if (LocalInterface.isSearched(name)) {
            return LocalAddresses.find(name);
        }
        long startNs = System.nanoTime();
        try {
            return hosts.address(name);
        } catch (UnknownHostException e) {
            return null; // reported by the caller, with the channel
        } finally {
            taken.accept(System.nanoTime() - startNs);
        }
    }

    private void remember(Question question, InetAddress address) {
        Answer old = forget(question.name);
        long client = old == null ? question.client : withFewest(old.client, question.client);
        answers.put(question.name, new Answer(client, address));
        answersFor.incrementAndGet(client);
        if (answers.size() > MAX_REMEMBERED) {
            forget(oldestOf(clientOfMost()));
        }
    }

    private long withFewest(long client, long other) {
        if (client == Shares.NOBODY || other == Shares.NOBODY) {
            return Math.max(client, other); // client ids are not negative
        }
        return answersFor.get(other) < answersFor.get(client) ? other : client;
    }

    private Answer forget(String name) {
        Answer old = answers.remove(name);
        if (old != null) {
            answersFor.decrementAndGet(old.client);
        }
        return old;
    }

    private long clientOfMost() {
        long[] most = {Shares.NOBODY, 0};
        answersFor.forEach(
                (client, count) -> {
                    if (count > most[1]) {
                        most[0] = client;
                        most[1] = count;
                    }
                });
        return most[0];
    }

    private String oldestOf(long client) {
        for (Map.Entry<String, Answer> each : answers.entrySet()) {
            if (each.getValue().client == client) {
                return each.getKey();
            }
        }
        throw new IllegalStateException("client " + client + " has no resolved host name");
    }

    /** Returns the address found by a name's last lookup; unresolved if that lookup failed. */
    public InetSocketAddress address(String name, int port) {
        InetAddress address = literal(name);
        if (address == null) {
            Answer last = answers.get(name);
            address = last == null ? null : last.address;
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
            return null; // not an address, but a name that ends with a digit
        }
    }

    private static char lastOf(String name) {
        return name.isEmpty() ? ' ' : name.charAt(name.length() - 1);
    }
}
