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
 * What the error log is told of peers. Their words and numbers are in it, so that a hostile one
 * could fill the log with texts that differ, until nothing else is recorded: each peer is told of
 * once for each kind, and of each kind a bounded number of peers, for as long as the driver runs.
 * What is not recorded is counted. Conductor's thread.
 */
public final class RdmaPeerErrors {
    private static final int PEERS = 64;
    private static final StackTraceElement[] NO_STACK = {};

    private final TransportHost host;
    private final AtomicCounter unrecorded;
    private final Map<Kind, Map<String, String>> recorded = new EnumMap<>(Kind.class);

    /** What it is about; much of one kind does not keep another out of the log. */
    public enum Kind {
        /** A peer that the allow list does not name. */
        NOT_ALLOWED,
        /** A peer that does not have the key of its network. */
        NOT_AUTHENTICATED,
        /** A peer that is no driver. */
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
        /** A connection that offers nothing. */
        HALF_OPEN,
        /** A connection that was lost. */
        LOST,
        /** A connection that ended with its peer's driver. */
        ENDED,
        /** A peer that breaks the protocol. */
        BREACH,
        /** A stream that was refused. */
        STREAM_REFUSED,
        /** Streams that do not go on where they were cut off. */
        CUT_OFF,
        /** A driver that takes the place of another. */
        RESTARTED
    }

    /**
     * @param host that keeps the error log.
     * @param counters of the transport.
     */
    public RdmaPeerErrors(TransportHost host, SystemCounters counters) {
        this.host = host;
        unrecorded = counters.counter(TransportCounter.RDMA_PEER_ERRORS_UNLOGGED);
    }

    /**
     * Records what a peer has done, unless something else of the kind was recorded of the peer, or
     * of too many others.
     *
     * @param kind of what was done.
     * @param peer host of a peer, or endpoint: nothing that differs from connection to connection.
     * @param message cause and remedy.
     */
    public void record(Kind kind, String peer, String message) {
        record(kind, peer, message, host::onError);
    }

    /**
     * Records what a peer has done to the stream of a channel, which the error log names; as {@link
     * #record(Kind, String, String)}.
     *
     * @param channel of a stream of this driver that is sent to the peer, or received from it.
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

    /** Where in this driver it was found says nothing, and takes room in the log. */
    private static TransportException fault(String message) {
        TransportException fault = new TransportException(message);
        fault.setStackTrace(NO_STACK);
        return fault;
    }
}
