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
 * The driver's counters: how many each client has taken, and when a freed one may be used again,
 * which is not before its writer can write it no more. The one that was freed first is used again
 * first. Conductor's thread.
 *
 * <pre>
 *   in use ─free─▶ cooling ─time─▶ reusable, if its owner has closed, died, or is alive and well
 *                     │               ▲
 *                     └──────▶ held ──┘ while the owner was given up and its process stands still
 * </pre>
 */
public final class CounterPool extends CountersManager {
    /** Owner of a counter that no client writes. */
    static final long NO_OWNER = -1;

    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    /** Counters that are looked at in one go. */
    private static final int BATCH = 64;

    /** A counter that was freed, and when it is looked at. */
    private record Freed(int id, long dueNs) {}

    private final long coolingNs;
    private final long[] owners;

    /** The client for which each counter was taken, or {@link Shares#NOBODY}. */
    private final long[] payers;

    private final CounterShare[] causes;
    private final Shares shares;
    private final int[] taken = new int[CounterShare.values().length];
    private final ArrayDeque<Freed> cooling = new ArrayDeque<>();
    private final ArrayDeque<Freed> held = new ArrayDeque<>();
    private LongPredicate mayWrite = owner -> false;

    /**
     * @param metadata of the counters.
     * @param values of the counters.
     * @param coolingNs for which a freed counter is not used again, whatever wrote it.
     * @param shares of clients, which keep a counter until it may be used again.
     */
    CounterPool(
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

    /**
     * Names the test for owners that may still write to their counters, though they were given up.
     */
    public void owners(LongPredicate mayStillWrite) {
        mayWrite = mayStillWrite;
    }

    /** The shares of clients. */
    Shares shares() {
        return shares;
    }

    /**
     * Allocates a counter.
     *
     * @param share that it is taken from.
     * @param owner client that writes it, or {@link #NO_OWNER}.
     * @param payer client for which it is taken, or {@link Shares#NOBODY}.
     * @throws BusException if there is none left, or none for this client.
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

    private BusException exhausted(CounterShare share, Throwable cause) {
        int idle = 0;
        for (Freed freed : cooling) {
            idle += isOf(share, freed) ? 1 : 0;
        }
        for (Freed freed : held) {
            idle += isOf(share, freed) ? 1 : 0;
        }
        int all = share.of(capacity());
        return new BusException(
                "all "
                        + all
                        + (share == CounterShare.CLIENTS
                                ? " counters of the driver"
                                : " counters of the driver's that " + share.takers() + " may take")
                        + " are taken ("
                        + (all - idle)
                        + " in use, "
                        + idle
                        + " freed, which cool down for "
                        + TimeUnit.NANOSECONDS.toSeconds(coolingNs)
                        + " s, or until the stopped client that wrote them ends): raise"
                        + " counter-values-length",
                cause);
    }

    private boolean isOf(CounterShare share, Freed freed) {
        return share == CounterShare.CLIENTS || causes[freed.id] == share;
    }

    /**
     * Makes sure that counters can be allocated.
     *
     * @param share that they are taken from.
     * @param client that they are for.
     * @param count of them.
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

    /** Whatever a client has made of the counter's state: it is freed once, by who allocated it. */
    @Override
    public void free(int counterId) {
        metaDataBuffer.putIntRelease(metaDataOffset(counterId), RECORD_ALLOCATED);
        super.free(counterId);
        reusable(counterId, NOT_FREE_TO_REUSE);
        cooling.addLast(new Freed(counterId, System.nanoTime() + coolingNs));
    }

    /** Reusable from a time on, which {@link CountersManager} looks at. */
    private void reusable(int counterId, long fromMs) {
        metaDataBuffer.putLong(metaDataOffset(counterId) + FREE_FOR_REUSE_DEADLINE_OFFSET, fromMs);
    }

    /**
     * Lets those be used again that have cooled down, unless their owner may still write them. At a
     * slow pace. One whose owner cannot be looked at is held, and looked at again.
     *
     * @return how many.
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
