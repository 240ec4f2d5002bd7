// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counters of a connection. Created and closed by the conductor, which writes state, queue pair
 * number, connects, resumes, failures and violations; the agent that uses the queue pair writes the
 * other counters.
 */
public final class ConnectionCounters extends PooledCounters {
    private static final int MAX_WORDS = 240;
    private static final String LAST_FAILURE = "last failure: ";

    /** State of the connection: 0 down, 1 connecting, 2 up. */
    public final AtomicCounter state;

    /** Number of the queue pair on its device; 0 if there is none. */
    public final AtomicCounter queuePair;

    /** Number of established connections. */
    public final AtomicCounter connects;

    /** Number of streams that resumed after a lost connection. */
    public final AtomicCounter resumes;

    /** Number of connections that were lost or could not be established. */
    public final AtomicCounter failures;

    /** Log bytes written to the peer; on the subscribing side, bytes of credit. */
    public final AtomicCounter bytes;

    /** Log bytes written to all peers, and bytes of datagrams, of the whole driver. */
    public final AtomicCounter allBytes;

    /** Batches of frames written to the peer; on the subscribing side, grants of credit. */
    public final AtomicCounter batches;

    /** Number of posted work requests. */
    public final AtomicCounter posted;

    /** Number of polled completions. */
    public final AtomicCounter completions;

    /** Number of times that work had to wait for space in the send queue. */
    public final AtomicCounter sendQueueStalls;

    /** Number of times that frames were ready but the peer's credit was exhausted. */
    public final AtomicCounter creditStalls;

    /** Number of the peer's messages that violated the protocol. */
    public final AtomicCounter violations;

    /** Number of failures when the label was last written; the label describes the last failure. */
    private final AtomicCounter lastFailure;

    /**
     * @param host driver that keeps the counters.
     * @param name name of the connection in labels.
     * @param key key of the connection.
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

    /** Counts a failure and writes its description to the label. Called by the conductor. */
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
