// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Records errors of peers in the error log. Messages contain the peers' text and numbers, so a
 * hostile peer could fill the log with different messages. Therefore each kind is recorded once per
 * peer, for a bounded number of peers, while the driver runs. Further errors are only counted. Used
 * by the conductor's thread.
 */
public final class RdmaPeerErrors {
    private static final int PEERS = 64;
    private static final StackTraceElement[] NO_STACK = {};

    private final TransportHost host;
    private final AtomicCounter unrecorded;
    private final Map<Kind, Map<String, String>> recorded = new EnumMap<>(Kind.class);

    /** Kind of error. Many errors of one kind do not keep other kinds out of the log. */
    public enum Kind {
        /** A peer that the allow list does not name. */
        NOT_ALLOWED,
        /** A peer that does not have the key of its network. */
        NOT_AUTHENTICATED,
        /** A peer that is not a driver. */
        STRANGER,
        /** A driver of another protocol version. */
        OTHER_VERSION,
        /** A connection for which there is no room. */
        NO_ROOM,
        /** A stream for which there is no room. */
        NO_MEMORY,
        /** A connection that could not be accepted or refused. */
        NOT_ACCEPTED,
        /** A connection that could not be made. */
        NOT_CONNECTED,
        /** A connection that offers no stream. */
        HALF_OPEN,
        /** A connection that was lost. */
        LOST,
        /** A connection that ended because its peer's driver closed. */
        ENDED,
        /** A peer that violates the protocol. */
        BREACH,
        /** A stream that was refused. */
        STREAM_REFUSED,
        /** Streams that were cut off and do not resume. */
        CUT_OFF,
        /** A restarted driver that replaces its predecessor. */
        RESTARTED
    }

    /**
     * @param host driver that keeps the error log.
     * @param counters counters of the transport.
     */
    public RdmaPeerErrors(TransportHost host, SystemCounters counters) {
        this.host = host;
        unrecorded = counters.counter(TransportCounter.RDMA_PEER_ERRORS_UNLOGGED);
    }

    /**
     * Records an error of a peer, unless a different message of the same kind was already recorded
     * for the peer, or the kind was already recorded for too many other peers.
     *
     * @param kind kind of the error.
     * @param peer host or endpoint of the peer, without anything that differs per connection.
     * @param message cause and remedy.
     */
    public void record(Kind kind, String peer, String message) {
        record(kind, peer, message, host::onError);
    }

    /**
     * Records an error of a peer like {@link #record(Kind, String, String)}, but with the channel
     * of a stream, which the error log names.
     *
     * @param channel channel of a stream of this driver that is sent to the peer, or received from
     *     it.
     */
    public void record(Kind kind, String peer, ChannelUri channel, String message) {
        record(kind, peer, message, fault -> host.onError(channel, fault));
    }

    private void record(Kind kind, String peer, String message, ErrorHandler log) {
        Map<String, String> ofKind = recorded.computeIfAbsent(kind, none -> new HashMap<>());
        if (ofKind.size() < PEERS) {
            ofKind.putIfAbsent(peer, message);
        }
        if (message.equals(ofKind.get(peer))) {
            log.onError(fault(message));
        } else {
            unrecorded.incrementRelease();
        }
    }

    /** Creates the fault without a stack trace, which would only take space in the log. */
    private static TransportException fault(String message) {
        TransportException fault = new TransportException(message);
        fault.setStackTrace(NO_STACK);
        return fault;
    }
}
