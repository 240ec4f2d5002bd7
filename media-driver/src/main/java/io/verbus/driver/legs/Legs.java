// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.BusException;
import io.verbus.transport.OutboundStream;

import org.agrona.collections.ArrayUtil;

/**
 * The transports that send one manual publication, each to its own destinations. The conductor adds
 * legs; the sender derives one position and one limit from theirs.
 *
 * <pre>
 *    floor              slowest leg             furthest leg      limit
 *  ----+---------------------+-------------------------+-------------+-----
 *      |  kept for a leg     |                         |  least of   |
 *      |  without receivers  |                         |  the legs   |
 *  ----+---------------------+-------------------------+-------------+-----
 *      |◀─ two terms, less a quarter ───────────────────────────────▶|
 * </pre>
 *
 * The slowest leg with receivers holds the others back, because a stream over RDMA must not lose
 * data. A leg without receivers does not apply back pressure; the log retains what it can for late
 * joiners. A quarter of a term is left free, so that the conductor can clean while publishers
 * continue.
 *
 * <p>Invariant: no part of the log at or after the released position of a leg with receivers is
 * reused.
 */
public final class Legs {
    private static final Leg[] NONE = new Leg[0];

    private final OutboundStream publication;
    private final long kept;

    /** Legs. The conductor writes a new array each time; the sender reads it. */
    private volatile Leg[] all = NONE;

    /** Whether the publication has ended. Used by the conductor. */
    private boolean isEnded;

    /** Used by the sender. */
    private boolean isConnected;

    /**
     * @param publication publication to send.
     * @param termLength term length of its log.
     */
    public Legs(OutboundStream publication, int termLength) {
        this.publication = publication;
        this.kept = 2L * termLength - termLength / 4;
    }

    // Conductor

    /**
     * Starts sending over another transport.
     *
     * @throws io.verbus.BusException if that transport cannot send the publication.
     */
    public void begin(Leg leg) {
        all = ArrayUtil.add(all, leg);
        try {
            leg.transport().addPublication(leg);
        } catch (BusException e) {
            all = ArrayUtil.remove(all, leg);
            throw e;
        }
    }

    /** Returns the leg over a transport; null if there is none. */
    public Leg over(String media) {
        for (Leg each : all) {
            if (each.channel().media().equals(media)) {
                return each;
            }
        }
        return null;
    }

    /** Returns the current legs; the array does not change. */
    public Leg[] all() {
        return all;
    }

    /** Returns the local addresses from which the publication is sent, as text; null if unknown. */
    public String localAddress() {
        for (Leg each : all) {
            String address = each.isDone() ? null : each.transport().localAddress(each);
            if (address != null) {
                return address;
            }
        }
        return null;
    }

    /** Ends the publication, whose final position must be set. */
    public void end() {
        isEnded = true;
        for (Leg each : all) {
            each.transport().closePublication(each);
        }
    }

    /** Returns whether the publication has ended and every transport has released it. */
    public boolean isDone() {
        if (!isEnded) {
            return false;
        }
        for (Leg each : all) {
            if (!each.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Frees the counters. */
    public void close() {
        for (Leg each : all) {
            each.close();
        }
    }

    // Sender

    /** Returns the number of transports that carry the publication. Thread-safe. */
    public int count() {
        return all.length;
    }

    /**
     * Updates the publication after a leg's receivers have joined, left, or released a part of the
     * log.
     */
    public void update() {
        Leg[] legs = all;
        boolean isAnyConnected = false;
        boolean isAnyAwaited = false;
        long base = Long.MAX_VALUE;
        long limit = Long.MAX_VALUE;
        for (int i = 0; i < legs.length; i++) {
            Leg leg = legs[i];
            if (leg.isConnected()) {
                isAnyConnected = true;
                base = Math.min(base, leg.released());
                limit = Math.min(limit, leg.limit());
            } else {
                isAnyAwaited = true;
            }
        }
        if (isAnyConnected) {
            long floor = isAnyAwaited ? Math.min(base, limit - kept) : base;
            publication.onReleased(floor, limit - floor);
        }
        if (isAnyConnected != isConnected) {
            isConnected = isAnyConnected;
            publication.onConnected(isAnyConnected);
        }
    }
}
