// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Records what peers do wrong. A peer can do so as often as it likes, with other ids and numbers
 * each time, and under any number of addresses: every error is counted, but only the first of each
 * kind and peer is told, and of each kind a bounded number of peers. So what strangers cause takes
 * a bounded part of the error log, which keeps what it has for as long as the driver runs, and an
 * error of the driver's own always finds room. One thread.
 */
public final class PeerErrorLog implements AutoCloseable {
    /** Peers that are told of each kind. */
    public static final int MAX_PEERS = 32;

    /** Longest text that is told, in characters. */
    public static final int MAX_LENGTH = 512;

    private final ErrorHandler errors;
    private final AtomicCounter counter;
    private final Map<Enum<?>, Set<String>> told = new HashMap<>();

    /**
     * @param errors where they are told, such as {@link TransportHost#onError}.
     * @param counter of all, told or not; closed with this.
     */
    public PeerErrorLog(ErrorHandler errors, AtomicCounter counter) {
        this.errors = errors;
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
        Set<String> peers = told.computeIfAbsent(kind, none -> new HashSet<>());
        if (peers.size() < MAX_PEERS && peers.add(peer)) {
            tell(message);
            if (peers.size() == MAX_PEERS) {
                tell(
                        "the same is only counted where further peers cause it, after "
                                + MAX_PEERS
                                + " that were told: "
                                + message);
            }
        }
    }

    /** Where it was thrown says nothing that the text does not, and takes room in the log. */
    private void tell(String message) {
        TransportException error =
                new TransportException(
                        message.length() <= MAX_LENGTH
                                ? message
                                : message.substring(0, MAX_LENGTH));
        error.setStackTrace(new StackTraceElement[0]);
        errors.onError(error);
    }

    @Override
    public void close() {
        counter.close();
    }
}
