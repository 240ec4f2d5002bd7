// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.transports;

import io.verbus.BusException;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;

import org.agrona.collections.ArrayUtil;

import java.util.concurrent.CompletableFuture;

/**
 * The streams in which transports send one publication, each to its own destinations. A publication
 * has several only if its destinations use several transports. The conductor adds streams; the
 * sender derives one position and one limit from theirs.
 *
 * <pre>
 *    floor             slowest stream         furthest stream     limit
 *  ----+---------------------+-------------------------+-------------+-----
 *      |  kept for a stream  |                         |  least of   |
 *      |  without receivers  |                         |  all        |
 *  ----+---------------------+-------------------------+-------------+-----
 *      |◀─ at most LogCleaner.retainable ───────────────────────────▶|
 * </pre>
 *
 * The slowest stream with receivers holds the others back, because a stream over RDMA must not lose
 * data. A stream without receivers does not apply back pressure; the log retains what it can for
 * late joiners.
 *
 * <p>Invariant: no part of the log at or after the released position of a stream with receivers is
 * reused.
 */
public final class TransportStreams {
    private static final TransportStream[] NONE = new TransportStream[0];

    private final OutboundStream publication;
    private final long kept;

    /** The conductor writes a new array each time; the sender reads it. */
    private volatile TransportStream[] all = NONE;

    /** Whether the publication has ended. Used by the conductor. */
    private boolean isEnded;

    /** Used by the sender. */
    private boolean isConnected;

    /**
     * @param publication publication to send.
     * @param termLength term length of its log.
     */
    public TransportStreams(OutboundStream publication, int termLength) {
        this.publication = publication;
        this.kept = LogCleaner.retainable(termLength);
    }

    // Conductor

    /**
     * Starts sending over another transport.
     *
     * @return the result of {@link OutboundTransport#addPublication}.
     * @throws io.verbus.BusException if that transport cannot send the publication.
     */
    public CompletableFuture<Void> begin(TransportStream stream) {
        all = ArrayUtil.add(all, stream);
        try {
            return stream.transport().addPublication(stream);
        } catch (BusException e) {
            all = ArrayUtil.remove(all, stream);
            throw e;
        }
    }

    /** Returns the stream over a transport; null if there is none. */
    public TransportStream over(String media) {
        for (TransportStream each : all) {
            if (each.channel().media().equals(media)) {
                return each;
            }
        }
        return null;
    }

    /** Returns the current streams; the array does not change. */
    public TransportStream[] all() {
        return all;
    }

    /** Returns the local addresses from which the publication is sent, as text; null if unknown. */
    public String localAddress() {
        for (TransportStream each : all) {
            String address = each.isReleased() ? null : each.transport().localAddress(each);
            if (address != null) {
                return address;
            }
        }
        return null;
    }

    /** Ends the publication, whose final position must be set. */
    public void end() {
        isEnded = true;
        for (TransportStream each : all) {
            each.transport().closePublication(each);
        }
    }

    /** Returns whether the publication has ended and every transport has released it. */
    public boolean areReleased() {
        if (!isEnded) {
            return false;
        }
        for (TransportStream each : all) {
            if (!each.isReleased()) {
                return false;
            }
        }
        return true;
    }

    /** Frees the counters. */
    public void close() {
        for (TransportStream each : all) {
            each.close();
        }
    }

    // Sender

    /** Returns the number of transports that carry the publication. Thread-safe. */
    public int count() {
        return all.length;
    }

    /** Reports up to which position all transports have read the log. */
    void updateReads() {
        long lowest = Long.MAX_VALUE;
        TransportStream[] streams = all;
        for (int i = 0; i < streams.length; i++) {
            lowest = Math.min(lowest, streams[i].readTo());
        }
        publication.onLogRead(lowest);
    }

    /** Updates the publication after receivers have joined, left, or released a part of the log. */
    public void update() {
        TransportStream[] streams = all;
        boolean isAnyConnected = false;
        boolean isAnyAwaited = false;
        long base = Long.MAX_VALUE;
        long limit = Long.MAX_VALUE;
        for (int i = 0; i < streams.length; i++) {
            TransportStream stream = streams[i];
            if (stream.isConnected()) {
                isAnyConnected = true;
                base = Math.min(base, stream.released());
                limit = Math.min(limit, stream.limit());
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
