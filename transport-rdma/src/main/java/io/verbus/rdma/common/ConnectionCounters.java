// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * What operators see of a connection. Made and closed by the conductor, which writes state, queue
 * pair number, connects, resumes, failures and violations; the others are written by the one agent
 * that uses the queue pair.
 */
public final class ConnectionCounters extends PooledCounters {
    private static final int MAX_WORDS = 240;
    private static final String LAST_FAILURE = "last failure: ";

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

    /** Bytes of logs written to the peer; at a subscribing side, of credit. */
    public final AtomicCounter bytes;

    /** Bytes of logs written to all peers, and of datagrams: of the driver as a whole. */
    public final AtomicCounter allBytes;

    /** Batches of frames written to the peer; at a subscribing side, grants of credit. */
    public final AtomicCounter batches;

    /** Work requests posted. */
    public final AtomicCounter posted;

    /** Completions polled. */
    public final AtomicCounter completions;

    /** Times that something had to wait for a free place in the send queue. */
    public final AtomicCounter sendQueueStalls;

    /** Times that frames were there but the peer's credit was not. */
    public final AtomicCounter creditStalls;

    /** Messages of the peer that broke the protocol. */
    public final AtomicCounter violations;

    /** The failures that there were when its label was written, which says the last in words. */
    private final AtomicCounter lastFailure;

    /**
     * @param host that keeps them.
     * @param name of the connection, for people.
     * @param key of the connection.
     */
    public ConnectionCounters(TransportHost host, String name, ConnectionKey key) {
        super(host, name, key);
        allBytes = host.counter(SystemCounter.BYTES_SENT);
        try {
            state = counter(ConnectionCounter.STATE);
            queuePair = counter(ConnectionCounter.QUEUE_PAIR);
            connects = counter(ConnectionCounter.CONNECTS);
            resumes = counter(ConnectionCounter.RESUMES);
            failures = counter(ConnectionCounter.FAILURES);
            bytes = counter(ConnectionCounter.BYTES);
            batches = counter(ConnectionCounter.BATCHES);
            posted = counter(ConnectionCounter.WORK_REQUESTS);
            completions = counter(ConnectionCounter.COMPLETIONS);
            sendQueueStalls = counter(ConnectionCounter.SEND_QUEUE_STALLS);
            creditStalls = counter(ConnectionCounter.CREDIT_STALLS);
            violations = counter(ConnectionCounter.VIOLATIONS);
            lastFailure = counter(ConnectionCounter.LAST_FAILURE);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Counts a failure and writes down what it was. Conductor. */
    public void onFailure(String words) {
        failures.incrementRelease();
        String text = words.length() > MAX_WORDS ? words.substring(0, MAX_WORDS) + "..." : words;
        lastFailure.updateLabel(name() + ": " + LAST_FAILURE + text);
        lastFailure.setRelease(failures.getPlain());
    }

    @Override
    void end() {
        state.setRelease(0);
        queuePair.setRelease(0);
        String words = lastFailure.label().substring(name().length());
        super.end();
        lastFailure.updateLabel(name() + words);
    }
}
