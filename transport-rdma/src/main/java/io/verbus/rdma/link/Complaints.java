// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

import io.verbus.cnc.CounterTypes;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What is recorded of peers. Their words and numbers are in it, so that a hostile one could fill
 * the error log with texts that differ, until nothing else is recorded: of each kind some at once
 * are let in, and one more after each interval. What is not recorded is counted. Conductor's
 * thread.
 */
public final class Complaints implements AutoCloseable {
    private static final int AT_ONCE = 32;
    private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(10);

    private final TransportHost host;
    private final AtomicCounter unrecorded;
    private final Map<Kind, Set<String>> recorded = new EnumMap<>(Kind.class);
    private final long startNs;

    /** What it is about; much of one kind does not keep another out of the log. */
    public enum Kind {
        /** A peer that the allow list does not name. */
        NOT_ALLOWED,
        /** A peer that is no driver. */
        STRANGER,
        /** A driver of another protocol version. */
        OTHER_VERSION,
        /** A connection or stream for which there is no room. */
        NO_ROOM,
        /** A connection that could not be accepted or refused. */
        NOT_ACCEPTED,
        /** A connection that offers nothing. */
        HALF_OPEN,
        /** A connection that was lost, also for what the peer did. */
        LOST,
        /** A stream that was refused. */
        STREAM_REFUSED,
        /** An image whose driver has not come back. */
        IMAGE_LOST
    }

    /**
     * @param host that keeps the error log.
     * @param nowNs monotonic time.
     */
    public Complaints(TransportHost host, long nowNs) {
        this.host = host;
        this.startNs = nowNs;
        unrecorded =
                host.counter(
                        CounterTypes.SYSTEM, 0, "rdma: errors caused by peers that are not logged");
    }

    /**
     * Records what a peer has done, if the like of it was recorded before or there is room.
     *
     * @param kind of what was done.
     * @param message cause and remedy.
     * @param nowNs monotonic time.
     */
    public void record(Kind kind, String message, long nowNs) {
        Set<String> like = recorded.computeIfAbsent(kind, none -> new HashSet<>());
        if (like.contains(message)) {
            host.onError(new TransportException(message));
        } else if (like.size() < AT_ONCE + (nowNs - startNs) / INTERVAL_NS) {
            like.add(message);
            host.onError(new TransportException(message));
        } else {
            unrecorded.incrementRelease();
        }
    }

    @Override
    public void close() {
        unrecorded.close();
    }
}
