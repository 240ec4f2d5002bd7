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
 * Addresses of host names. They are looked up in the background, each time that a caller is about
 * to use them, and remembered for the use. Conductor's thread.
 */
public final class Names {
    private static final int MAX_REMEMBERED = 1024;
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final Background background;
    private final HostNames hosts;
    private final LongConsumer taken;
    private final Shares shares;
    private final Map<Question, CompletableFuture<Void>> underWay = new HashMap<>();

    /** The one that was answered least recently comes first. */
    private final Map<String, Answer> answers = new LinkedHashMap<>();

    private final Long2LongCounterMap answersFor = new Long2LongCounterMap(0);

    /** A name that is looked up for a client: nobody waits for a name server that others ask. */
    private record Question(long client, String name) {}

    /**
     * Where a name led.
     *
     * @param client that has asked; of several the one with the fewest names.
     * @param address null if it led nowhere.
     */
    private record Answer(long client, InetAddress address) {}

    /**
     * Owner of questions that streams repeat: names of one client wait for none of another, and
     * those that led somewhere for none that led nowhere.
     */
    private record Again(long client, boolean isKnown) {}

    /**
     * @param hosts that names are asked of.
     * @param taken told, by a background thread, how long each answer has taken, nanoseconds.
     * @param shares of clients, in which questions count.
     */
    public Names(Background background, HostNames hosts, LongConsumer taken, Shares shares) {
        this.shares = shares;
        this.background = background;
        this.hosts = hosts;
        this.taken = taken;
    }

    /**
     * Looks a name up.
     *
     * @param client for which it is, or {@link Shares#NOBODY}.
     * @param name or an IP address, or that of a {@link LocalInterface}.
     * @return completed in a later turn of the conductor, or at once for an IP address.
     * @throws io.verbus.driver.share.ShareException if the client has too many looked up.
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
            return null; // which whoever uses the name says, with the channel that names it
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
            return Math.max(client, other); // ids of clients are not negative
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
        throw new IllegalStateException("no name was answered for client " + client);
    }

    /** What a name led to when it was looked up last; unresolved if that failed. */
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
            return null; // a name that ends with a digit
        }
    }

    private static char lastOf(String name) {
        return name.isEmpty() ? ' ' : name.charAt(name.length() - 1);
    }
}
