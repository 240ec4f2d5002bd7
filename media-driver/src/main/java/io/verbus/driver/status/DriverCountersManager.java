// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.driver.share.Shares;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/**
 * The driver's counters. Charges them to clients, and delays the reuse of freed counters until
 * their previous writers can no longer write to them. The counter freed first is reused first. Used
 * by the conductor's thread.
 *
 * <pre>
 *   in use ─free─▶ cooling ─time─▶ reusable, if its owner has closed, died, or is alive
 *                     │               ▲
 *                     └──────▶ held ──┘ while the owner is timed out and its process still exists
 * </pre>
 */
public final class DriverCountersManager extends CountersManager {
    /** Owner id of a counter that no client writes. */
    static final long NO_OWNER = -1;

    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    /** Maximum number of counters to check at a time. */
    private static final int BATCH = 64;

    /** A freed counter, and the time of its next check. */
    private record Freed(int id, long dueNs) {}

    private final long coolingNs;
    private final long[] owners;

    /** Client charged for each counter, or {@link Shares#NOBODY}. */
    private final long[] payers;

    private final CounterShare[] causes;
    private final Shares shares;
    private final int[] taken = new int[CounterShare.values().length];
    private final ArrayDeque<Freed> cooling = new ArrayDeque<>();
    private final ArrayDeque<Freed> held = new ArrayDeque<>();
    private LongPredicate mayWrite = owner -> false;

    /**
     * @param metadata metadata buffer of the counters.
     * @param values values buffer of the counters.
     * @param coolingNs minimum number of nanoseconds before a freed counter is reused.
     * @param shares clients' shares, in which a counter counts until it is reusable.
     */
    DriverCountersManager(
            UnsafeBuffer metadata,
            UnsafeBuffer values,
            EpochClock clock,
            long coolingNs,
            Shares shares) {
        super(metadata, values, StandardCharsets.US_ASCII, clock, 0);
        this.coolingNs = coolingNs;
        this.shares = shares;
        owners = new long[capacity()];
        payers = new long[capacity()];
        causes = new CounterShare[capacity()];
        Arrays.fill(causes, CounterShare.CLIENTS);
        Arrays.fill(owners, NO_OWNER);
        Arrays.fill(payers, Shares.NOBODY);
    }

    /** Sets the test for timed-out owners that may still write to their counters. */
    public void owners(LongPredicate mayStillWrite) {
        mayWrite = mayStillWrite;
    }

    /** Returns the shares of the clients. */
    Shares shares() {
        return shares;
    }

    /**
     * Allocates a counter.
     *
     * @param share share from which to take the counter.
     * @param owner client that writes the counter, or {@link #NO_OWNER}.
     * @param payer client to charge, or {@link Shares#NOBODY}.
     * @throws BusException if there is no counter left, or none for this client.
     */
    AtomicCounter allocate(
            CounterShare share,
            long owner,
            long payer,
            int typeId,
            DirectBuffer key,
            int keyLength,
            DirectBuffer label) {
        if (taken[share.ordinal()] >= share.of(capacity())) {
            throw exhausted(share, null);
        }
        if (payer != Shares.NOBODY) {
            shares.require(share.ofClients(), payer, 1);
        }
        AtomicCounter counter;
        try {
            counter = newCounter(typeId, key, 0, keyLength, label, 0, label.capacity());
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw exhausted(CounterShare.CLIENTS, e);
        }
        if (payer != Shares.NOBODY) {
            shares.take(share.ofClients(), payer, 1);
        }
        owners[counter.id()] = owner;
        payers[counter.id()] = payer;
        causes[counter.id()] = share;
        taken[share.ordinal()]++;
        return counter;
    }

    private CountersExhaustedException exhausted(CounterShare share, Throwable cause) {
        int idle = 0;
        for (Freed freed : cooling) {
            idle += isOf(share, freed) ? 1 : 0;
        }
        for (Freed freed : held) {
            idle += isOf(share, freed) ? 1 : 0;
        }
        int all = share.of(capacity());
        return new CountersExhaustedException(
                "all "
                        + all
                        + (share == CounterShare.CLIENTS
                                ? " driver counters"
                                : " counters that " + share.takers() + " may use")
                        + " are in use or cooling down ("
                        + (all - idle)
                        + " in use, "
                        + idle
                        + " freed and not reusable for "
                        + TimeUnit.NANOSECONDS.toSeconds(coolingNs)
                        + " s, or for as long as a suspended client may still write to them): raise"
                        + " counter-values-length",
                cause);
    }

    private boolean isOf(CounterShare share, Freed freed) {
        return share == CounterShare.CLIENTS || causes[freed.id] == share;
    }

    /**
     * Requires that counters can be allocated.
     *
     * @param share share from which to take the counters.
     * @param client client to charge.
     * @param count number of counters.
     * @throws BusException if there are too few left.
     */
    public void require(CounterShare share, long client, int count) {
        shares.require(share.ofClients(), client, count);
        if (share.of(capacity()) - taken[share.ordinal()] < count) {
            throw exhausted(share, null);
        }
        if (available() < count) {
            throw exhausted(CounterShare.CLIENTS, null);
        }
    }

    /**
     * Frees a counter regardless of what a client has written to its state. Called once, by the
     * code that allocated the counter.
     */
    @Override
    public void free(int counterId) {
        metaDataBuffer.putIntRelease(metaDataOffset(counterId), RECORD_ALLOCATED);
        super.free(counterId);
        reusable(counterId, NOT_FREE_TO_REUSE);
        cooling.addLast(new Freed(counterId, System.nanoTime() + coolingNs));
    }

    /** Sets the time from which {@link CountersManager} may reuse a counter. */
    private void reusable(int counterId, long fromMs) {
        metaDataBuffer.putLong(metaDataOffset(counterId) + FREE_FOR_REUSE_DEADLINE_OFFSET, fromMs);
    }

    /**
     * Makes cooled-down counters reusable, unless their owner may still write to them. If the owner
     * cannot be checked, the counter is kept and checked again later. Called at the timer interval.
     *
     * @return the number of counters.
     */
    public int reuse(long nowNs) {
        return reuse(cooling, nowNs) + reuse(held, nowNs);
    }

    private int reuse(ArrayDeque<Freed> freed, long nowNs) {
        int count = 0;
        for (int i = 0; i < BATCH; i++) {
            Freed first = freed.peekFirst();
            if (first == null || nowNs - first.dueNs < 0) {
                break;
            }
            freed.removeFirst();
            long owner = owners[first.id];
            held.addLast(new Freed(first.id, nowNs + RETRY_NS)); // first: the test may throw
            if (owner == NO_OWNER || !mayWrite.test(owner)) {
                held.removeLast();
                owners[first.id] = NO_OWNER;
                taken[causes[first.id].ordinal()]--;
                if (payers[first.id] != Shares.NOBODY) {
                    shares.giveBack(causes[first.id].ofClients(), payers[first.id], 1);
                    payers[first.id] = Shares.NOBODY;
                }
                reusable(first.id, 0);
                count++;
            }
        }
        return count;
    }
}
