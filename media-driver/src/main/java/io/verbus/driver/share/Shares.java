// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import org.agrona.collections.Long2LongCounterMap;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts what each client, and all clients together, make the driver hold, and refuses what is more
 * than their share. Whoever takes from a share gives back the same amount. Conductor's thread.
 */
public final class Shares {
    /** In the place of a client: the driver itself, and peers, whose work is bounded elsewhere. */
    public static final long NOBODY = -1;

    /** A text of so many characters counts once. */
    private static final int TEXT = 1024;

    private final Map<Share, Account> accounts = new EnumMap<>(Share.class);
    private final int percent;

    /** What there is of one share. */
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
     * @param client that has it, or {@link #NOBODY}, for whom only the total is looked at.
     * @throws ShareException if that would be too much; nothing is taken then.
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
     * @throws ShareException if that would be too much.
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
                    ", or end clients that are not needed");
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

    /** Gives back what was taken. */
    public void giveBack(Share share, long client, long amount) {
        Account account = accounts.get(share);
        account.all -= amount;
        if (client != NOBODY) {
            account.byClient.addAndGet(client, -amount);
        }
    }

    /** What a client has. */
    public long of(Share share, long client) {
        return accounts.get(share).byClient.get(client);
    }

    /** What all have together. */
    public long all(Share share) {
        return accounts.get(share).all;
    }

    /** How often something counts whose channel is held with it: once for each KiB begun. */
    public static long weight(Object channel) {
        return 1 + Math.max(0, channel.toString().length() - 1) / TEXT;
    }
}
