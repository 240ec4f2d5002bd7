// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counts errors that peers cause, and records them like {@link CauserErrorLog}, once for each kind
 * and peer. Not thread-safe.
 */
public final class PeerErrorLog implements AutoCloseable {
    /** Maximum number of peers recorded for each kind of error. */
    public static final int MAX_PEERS = 32;

    private final CauserErrorLog log;
    private final AtomicCounter counter;

    /**
     * @param errors handler for the recorded errors, such as {@link TransportHost#onError}.
     * @param counter counter of all errors, recorded or not; closed with this log.
     */
    public PeerErrorLog(ErrorHandler errors, AtomicCounter counter) {
        this.log = new CauserErrorLog(errors, MAX_PEERS, "peers", TransportException::new);
        this.counter = counter;
    }

    /**
     * Records an error that a peer has caused.
     *
     * @param kind kind of the error; the kinds have separate limits.
     * @param peer host of the peer, without a port.
     * @param message cause and remedy.
     */
    public void record(Enum<?> kind, String peer, String message) {
        counter.incrementRelease();
        log.record(kind, peer, message);
    }

    /**
     * Records an error like {@link #record(Enum, String, String)}, but passes it to another
     * handler.
     *
     * @param handler handler of the error, such as one that adds the channel to it.
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
