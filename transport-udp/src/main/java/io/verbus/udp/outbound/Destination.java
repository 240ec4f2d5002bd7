// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.channel.Endpoint;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.MulticastInterface;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.socket.SocketException;
import io.verbus.udp.socket.SourceFilter;

import org.agrona.collections.ArrayUtil;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;

/**
 * Destination of streams: the receiver's address, the socket to send from, and the socket to which
 * receivers respond, which is the same except for a group. Opened, joined and closed by the
 * conductor; otherwise used by the sender while attached.
 */
final class Destination {
    /** Maximum number of datagrams sent or received per system call. */
    static final int BATCH = 16;

    /** Maximum number of datagrams per system call if the kernel segments joined datagrams. */
    static final int JOINED_BATCH = 64;

    /**
     * Interval at which to poll for feedback while no stream needs it. A receiver waits ten times
     * as long before it sends a NAK, and each poll costs a system call.
     */
    private static final long LISTEN_INTERVAL_NS = 10_000;

    private static final long EXPIRY_INTERVAL_NS = 10_000_000;

    private final DatagramSocket socket;
    private final DatagramSocket control;
    private final SocketAddress address;

    /**
     * Receivers that were added one by one, each of which gets a copy of each datagram; or null.
     */
    private final RemoteReceivers receivers;

    /** Dynamic receivers of any stream; null if they are not allowed. */
    private final KnownReceivers known;

    private final DestinationPort port;
    private final ReceiverFeedback feedback;
    private SendStream[] streams = new SendStream[0];

    /** Time of the last feedback. Written by the sender; read by the conductor. */
    private volatile long heardNs;

    /**
     * Whether no stream uses the destination and the sender is detaching it. Used by the conductor.
     */
    private boolean isClosing;

    private long listenedNs;
    private long expiredNs;

    Destination(
            DatagramSocket socket,
            DatagramSocket control,
            SocketAddress address,
            RemoteReceivers receivers,
            KnownReceivers known,
            SenderAgent agent,
            SourceFilter allowed,
            SenderCounters counters,
            Queue<SenderEvent> events,
            int ttl,
            boolean isJoining) {
        this.socket = socket;
        this.control = control;
        this.address = address;
        this.receivers = receivers;
        this.known = known;
        port =
                new DestinationPort(
                        this,
                        socket,
                        address,
                        control == socket,
                        receivers,
                        agent.outgoing(),
                        counters,
                        events,
                        ttl,
                        isJoining);
        boolean tellsAll = receivers != null || known != null;
        feedback =
                new ReceiverFeedback(this, control, agent.incoming(), allowed, tellsAll, counters);
    }

    /**
     * Marks the destination as unused, so that another destination may bind its address. Called by
     * the conductor.
     */
    void leave() {
        isClosing = true;
        socket.allowSuccessor();
    }

    /**
     * Returns whether the destination is about to be closed and still bound to an address. Called
     * by the conductor.
     */
    boolean isClosingAt(InetSocketAddress local) {
        return isClosing && socket.localAddress().equals(local);
    }

    /** Closes the sockets once nothing uses them. Called by the conductor. */
    void close() {
        socket.close();
        control.close();
        if (known != null) {
            known.close();
        }
    }

    /**
     * Returns the dynamic receivers of all streams; null if they are not allowed. Called by the
     * conductor.
     */
    KnownReceivers known() {
        return known;
    }

    /** Returns the local host and port as text. Called by the conductor. */
    String localAddress() {
        return Endpoint.text(socket.localAddress());
    }

    /** Returns the local host. Called by the conductor. */
    InetAddress localHost() {
        return socket.localAddress().getAddress();
    }

    /** Replaces the socket. Called by the conductor. */
    void become(DatagramSocket other) {
        socket.become(other);
    }

    /**
     * Makes the destination send to its group through another interface. Called by the conductor.
     *
     * @param answers socket that has joined the control group on that interface.
     */
    void regroup(MulticastInterface on, DatagramSocket answers) {
        control.become(answers);
        socket.multicastFrom(on);
    }

    /** Returns the time of the last feedback by the sender's clock. Thread-safe. */
    long heardNs() {
        return heardNs;
    }

    @Override
    public String toString() {
        return address.toString();
    }

    // Sender

    /** Records that a receiver sent feedback. */
    void heard(long now) {
        heardNs = now;
    }

    /** Changes the address of the only receiver. */
    void move(InetSocketAddress to) {
        address.set(new SocketAddress(to));
        try {
            socket.reconnect(to);
        } catch (SocketException e) {
            port.tell(new SenderEvent.Unreachable(this, e.getMessage()));
        }
        renewed();
    }

    /** Sends setups, because datagrams may come from another address now. */
    void renewed() {
        for (SendStream stream : streams) {
            stream.onSetupWanted();
        }
        port.tell(new SenderEvent.Rebound(this));
    }

    void add(RemoteReceiver added) {
        receivers.add(added);
    }

    /** Removes a receiver, so that flow control no longer waits for it. */
    void remove(RemoteReceiver removed) {
        receivers.remove(removed);
        for (SendStream stream : streams) {
            if (removed.isHeard) {
                stream.flow().onLeave(removed.id);
            }
        }
    }

    void add(SendStream stream) {
        streams = ArrayUtil.add(streams, stream);
    }

    /**
     * Runs the duty cycle.
     *
     * @return work count.
     */
    int work(long now) {
        int sent = 0;
        port.begin(now);
        boolean mustListen = now - listenedNs >= LISTEN_INTERVAL_NS;
        SendStream[] all = streams;
        for (int i = 0; i < all.length; i++) {
            DestinationPort own = all[i].port();
            if (own != port) {
                own.begin(now);
            }
            sent += all[i].work(now);
            mustListen |= all[i].isShortOfRoom();
            if (all[i].isDone()) {
                streams = ArrayUtil.remove(streams, all[i]);
                if (own != port) {
                    own.receivers().clear();
                }
                port.tell(new SenderEvent.Finished(this, all[i]));
            }
        }
        if (now - expiredNs >= EXPIRY_INTERVAL_NS) {
            expiredNs = now;
            expire(all, now);
        }
        if (!mustListen) {
            return sent;
        }
        listenedNs = now;
        return sent + feedback.listen(now);
    }

    private void expire(SendStream[] all, long now) {
        if (receivers != null) {
            receivers.expire(now);
        }
        for (int i = 0; i < all.length; i++) {
            if (all[i].port() != port) {
                all[i].port().receivers().expire(now);
            }
        }
    }

    /** Returns the port that streams without receivers of their own share. */
    DestinationPort port() {
        return port;
    }

    SendStream[] streams() {
        return streams;
    }

    /** Returns the stream with these ids; null if there is none. */
    SendStream find(int sessionId, int streamId) {
        SendStream[] all = streams;
        for (int i = 0; i < all.length; i++) {
            if (all[i].sessionId() == sessionId && all[i].streamId() == streamId) {
                return all[i];
            }
        }
        return null;
    }
}
