// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counts what peers do wrong, and records it as {@link CauserErrorLog} does: once of each kind and
 * peer. One thread.
 */
public final class PeerErrorLog implements AutoCloseable {
    /** Peers that are told of each kind. */
    public static final int MAX_PEERS = 32;

    private final CauserErrorLog log;
    private final AtomicCounter counter;

    /**
     * @param errors where they are told, such as {@link TransportHost#onError}.
     * @param counter of all, told or not; closed with this.
     */
    public PeerErrorLog(ErrorHandler errors, AtomicCounter counter) {
        this.log = new CauserErrorLog(errors, MAX_PEERS, "peers", TransportException::new);
        this.counter = counter;
    }

    /**
     * Records an error that a peer has caused.
     *
     * @param kind of error: much of one does not keep another out of the log.
     * @param peer host that has caused it, without a port.
     * @param message cause and remedy.
     */
    public void record(Enum<?> kind, String peer, String message) {
        counter.incrementRelease();
        log.record(kind, peer, message);
    }

    /**
     * Records an error as {@link #record(Enum, String, String)}, and tells it elsewhere.
     *
     * @param handler where it is told, such as one that names the channel that it is about.
     */
    public void record(Enum<?> kind, String peer, String message, ErrorHandler handler) {
        counter.incrementRelease();
        log.record(kind, peer, message, handler);
    }

    @Override
    public void close() {
        counter.close();
    }
}
