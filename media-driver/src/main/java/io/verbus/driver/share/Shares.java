// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import org.agrona.collections.Long2LongCounterMap;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts the resources that each client, and all clients together, use, and rejects what exceeds
 * their share. Whatever is taken from a share must be given back in the same amount. Used by the
 * conductor's thread.
 */
public final class Shares {
    /** Stands for the driver itself and for peers, whose use is limited elsewhere. */
    public static final long NOBODY = -1;

    /** Number of characters of a text that count once. */
    private static final int TEXT = 1024;

    private final Map<Share, Account> accounts = new EnumMap<>(Share.class);
    private final int percent;

    /** Use of one share. */
    private static final class Account {
        private final long ofClient;
        private final long ofAll;
        private final Long2LongCounterMap byClient = new Long2LongCounterMap(0);
        private long all;

        private Account(long ofClient, long ofAll) {
            this.ofClient = ofClient;
            this.ofAll = ofAll;
        }
    }

    public Shares(ShareLimits limits) {
        percent = limits.percent();
        for (Share share : Share.values()) {
            accounts.put(share, new Account(limits.ofClient(share), limits.total(share)));
        }
    }

    /**
     * Takes an amount for a client.
     *
     * @param client client that uses it, or {@link #NOBODY}, for which only the total is checked.
     * @throws ShareException if that exceeds a limit; nothing is taken then.
     */
    public void take(Share share, long client, long amount) {
        require(share, client, amount);
        Account account = accounts.get(share);
        account.all += amount;
        if (client != NOBODY) {
            account.byClient.addAndGet(client, amount);
        }
    }

    /**
     * Checks whether a client could take an amount.
     *
     * @throws ShareException if that would exceed a limit.
     */
    public void require(Share share, long client, long amount) {
        Account account = accounts.get(share);
        if (client != NOBODY && amount > account.ofClient - account.byClient.get(client)) {
            throw tooMuch(
                    share,
                    "client " + client + " has " + account.byClient.get(client),
                    account.ofClient,
                    amount,
                    ", of which one client may have client-share=" + percent + " percent");
        }
        if (amount > account.ofAll - account.all) {
            throw tooMuch(
                    share,
                    "all clients together have " + account.all,
                    account.ofAll,
                    amount,
                    ", or end clients that you do not need");
        }
    }

    private static ShareException tooMuch(
            Share share, String whoHas, long limit, long amount, String more) {
        return new ShareException(
                share,
                whoHas
                        + " "
                        + share.plural()
                        + ", and "
                        + amount
                        + " more would exceed the limit of "
                        + limit
                        + ": close some, or raise "
                        + share.option()
                        + more);
    }

    /** Gives back an amount that was taken. */
    public void giveBack(Share share, long client, long amount) {
        Account account = accounts.get(share);
        account.all -= amount;
        if (client != NOBODY) {
            account.byClient.addAndGet(client, -amount);
        }
    }

    /** Returns the amount that a client uses. */
    public long of(Share share, long client) {
        return accounts.get(share).byClient.get(client);
    }

    /** Returns the amount that all clients use. */
    public long all(Share share) {
        return accounts.get(share).all;
    }

    /**
     * Returns the weight of a registration by the length of its channel: one per KiB or part of it.
     */
    public static long weight(Object channel) {
        return 1 + Math.max(0, channel.toString().length() - 1) / TEXT;
    }
}
