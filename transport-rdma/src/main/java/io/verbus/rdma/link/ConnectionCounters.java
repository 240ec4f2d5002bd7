// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

import io.verbus.cnc.CounterTypes;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * What operators see of a connection. Made and closed by the conductor, which writes state, queue
 * pair number, connects, resumes and failures; the others are written by the one agent that uses
 * the queue pair.
 */
public final class ConnectionCounters implements AutoCloseable {
    /** 0 down, 1 connecting, 2 up. */
    public final AtomicCounter state;

    /** Number of the queue pair on its device, 0 if there is none. */
    public final AtomicCounter queuePair;

    /** Times that a connection was made. */
    public final AtomicCounter connects;

    /** Streams that went on where a lost connection had left them. */
    public final AtomicCounter resumes;

    /** Times that a connection was lost or could not be made. */
    public final AtomicCounter failures;

    /** Bytes of logs written to the peer. */
    public final AtomicCounter bytes;

    /** Batches of frames written to the peer; at a subscribing side, grants of credit. */
    public final AtomicCounter batches;

    /** Work requests posted. */
    public final AtomicCounter posted;

    /** Completions polled. */
    public final AtomicCounter completions;

    /** Times that something had to wait for a free place in the send queue. */
    public final AtomicCounter sendQueueStalls;

    /** Messages of the peer that broke the protocol. */
    public final AtomicCounter violations;

    /**
     * @param host that keeps them.
     * @param name of the connection, for people.
     */
    public ConnectionCounters(TransportHost host, String name) {
        state = counter(host, name, "state");
        queuePair = counter(host, name, "queue pair");
        connects = counter(host, name, "connects");
        resumes = counter(host, name, "resumes");
        failures = counter(host, name, "failures");
        bytes = counter(host, name, "bytes");
        batches = counter(host, name, "batches");
        posted = counter(host, name, "work requests");
        completions = counter(host, name, "completions");
        sendQueueStalls = counter(host, name, "send queue stalls");
        violations = counter(host, name, "protocol violations");
    }

    private static AtomicCounter counter(TransportHost host, String name, String what) {
        return host.counter(CounterTypes.CONNECTION, 0, name + ": " + what);
    }

    @Override
    public void close() {
        state.close();
        queuePair.close();
        connects.close();
        resumes.close();
        failures.close();
        bytes.close();
        batches.close();
        posted.close();
        completions.close();
        sendQueueStalls.close();
        violations.close();
    }
}
