// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import org.agrona.collections.Long2LongCounterMap;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts the resources that each client, and all clients together, use, and rejects requests beyond
 * their share. Each amount taken from a share must be given back. Used by the conductor's thread.
 */
public final class Shares {
    /** Represents the driver itself and its peers, whose use is limited elsewhere. */
    public static final long NOBODY = -1;

    /** Number of channel characters that count as one registration. */
    private static final int TEXT = 1024;

    private final Map<Share, Account> accounts = new EnumMap<>(Share.class);
    private final int percent;

    /** Current use of one share. */
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
     * @param client client that uses the amount, or {@link #NOBODY}, for which only the total is
     *     checked.
     * @throws ShareException if this exceeds a limit, in which case nothing is taken.
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
     * @throws ShareException if this would exceed a limit.
     */
    public void require(Share share, long client, long amount) {
        Account account = accounts.get(share);
        if (client != NOBODY && amount > account.ofClient - account.byClient.get(client)) {
            throw tooMuch(
                    share,
                    "client " + client + " has " + account.byClient.get(client),
                    account.ofClient,
                    amount,
                    "; each client may use client-share=" + percent + " percent of the total");
        }
        if (amount > account.ofAll - account.all) {
            throw tooMuch(
                    share,
                    "all clients together have " + account.all,
                    account.ofAll,
                    amount,
                    ", or stop unneeded clients");
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
                        + ": close unused objects, or raise "
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
