// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.BusException;
import io.verbus.transport.OutboundStream;

import org.agrona.collections.ArrayUtil;

/**
 * The transports that send one manual publication, each to destinations of its own. The conductor
 * adds legs; the sender makes one position and one limit of theirs.
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
 * The slowest leg with receivers holds the others back, because RDMA may not lose anything. A leg
 * without receivers holds nobody back: what the log has room for is kept for those that come. The
 * quarter of a term that is spared lets the conductor clean while publishers go on.
 *
 * <p>Invariant: nothing from the released position of a leg with receivers on is reused.
 */
public final class Legs {
    private static final Leg[] NONE = new Leg[0];

    private final OutboundStream publication;
    private final long kept;

    /** Written by the conductor, a new array each time; read by the sender. */
    private volatile Leg[] all = NONE;

    /** Conductor's: the publication is sent no more. */
    private boolean isEnded;

    /** Sender's. */
    private boolean isConnected;

    /**
     * @param publication that is sent.
     * @param termLength of its log.
     */
    public Legs(OutboundStream publication, int termLength) {
        this.publication = publication;
        this.kept = 2L * termLength - termLength / 4;
    }

    // Conductor

    /**
     * Begins to send over one more transport.
     *
     * @throws io.verbus.BusException if the publication cannot be sent so.
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

    /** The leg over the transport of a media; null if there is none. */
    public Leg over(String media) {
        for (Leg each : all) {
            if (each.channel().media().equals(media)) {
                return each;
            }
        }
        return null;
    }

    /** Those that there are. A copy that stays as it is. */
    public Leg[] all() {
        return all;
    }

    /** Where it is sent from, for people; null while that is not known. */
    public String localAddress() {
        for (Leg each : all) {
            String address = each.isDone() ? null : each.transport().localAddress(each);
            if (address != null) {
                return address;
            }
        }
        return null;
    }

    /** Ends the publication, whose final position is set. */
    public void end() {
        isEnded = true;
        for (Leg each : all) {
            each.transport().closePublication(each);
        }
    }

    /** Whether every transport has let go of the publication, which has ended. */
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

    /** How many transports carry the publication. Any thread. */
    public int count() {
        return all.length;
    }

    /** A leg's receivers have come or gone, or have released some of the log. */
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
