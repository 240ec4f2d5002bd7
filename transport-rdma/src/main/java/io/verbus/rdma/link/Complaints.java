// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

import io.verbus.cnc.CounterTypes;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What is recorded of peers. Their words and numbers are in it, so that a hostile one could fill
 * the error log with texts that differ, until nothing else is recorded: some at once are let in,
 * and one more after each interval. What is not recorded is counted. Conductor's thread.
 */
public final class Complaints implements AutoCloseable {
    private static final int AT_ONCE = 128;
    private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(10);

    private final TransportHost host;
    private final AtomicCounter unrecorded;
    private final Set<String> recorded = new HashSet<>();
    private final long startNs;

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
     * @param message cause and remedy.
     * @param nowNs monotonic time.
     */
    public void record(String message, long nowNs) {
        if (recorded.contains(message)) {
            host.onError(new TransportException(message));
        } else if (recorded.size() < AT_ONCE + (nowNs - startNs) / INTERVAL_NS) {
            recorded.add(message);
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
