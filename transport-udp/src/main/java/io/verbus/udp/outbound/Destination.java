// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

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
 * Where streams are sent to, the socket from which, and the one to which receivers answer: the same
 * unless they are a group. Opened, joined and closed by the conductor; the rest is the sender's
 * while it is attached.
 */
final class Destination {
    /** Datagrams that go out, or come in, with one system call. */
    static final int BATCH = 16;

    /** The same where the kernel cuts joined datagrams apart. */
    static final int JOINED_BATCH = 64;

    /**
     * What receivers say is looked for so often while no stream needs to know: a receiver waits ten
     * times as long before it asks for what it misses, and to look costs a system call.
     */
    private static final long LISTEN_INTERVAL_NS = 10_000;

    private static final long EXPIRY_INTERVAL_NS = 10_000_000;

    private final DatagramSocket socket;
    private final DatagramSocket control;
    private final SocketAddress address;

    /** Those that were added one by one, and that each datagram is sent to; or null. */
    private final RemoteReceivers receivers;

    /** Those that have come by themselves to any stream; null where none do. */
    private final KnownReceivers known;

    private final DestinationPort port;
    private final Feedback feedback;
    private SendStream[] streams = new SendStream[0];

    /** When a receiver was heard last. Written by the sender; read by the conductor. */
    private volatile long heardNs;

    /** No stream goes by it any more, and the sender lets go of it. Conductor's. */
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
        feedback = new Feedback(this, control, agent.incoming(), allowed, tellsAll, counters);
    }

    /** No stream goes by it any more: another may open its address. Conductor. */
    void leave() {
        isClosing = true;
        socket.allowSuccessor();
    }

    /** Whether it is about to be closed, and still has an address. Conductor. */
    boolean isClosingAt(InetSocketAddress local) {
        return isClosing && socket.localAddress().equals(local);
    }

    /** Conductor, when nothing uses the socket any more. */
    void close() {
        socket.close();
        control.close();
        if (known != null) {
            known.close();
        }
    }

    /**
     * A port for one stream. Conductor.
     *
     * @param own the receivers of the stream, which come by themselves.
     * @param mayBeSeveral whether there may be more than one.
     */
    DestinationPort portOf(RemoteReceivers own, boolean mayBeSeveral) {
        return port.of(own, mayBeSeveral);
    }

    /** Those that have come by themselves to any stream; null where none do. Conductor. */
    KnownReceivers known() {
        return known;
    }

    /** Host and port that is sent from. Conductor. */
    String localAddress() {
        return SocketAddress.text(socket.localAddress());
    }

    /** The host of that. Conductor. */
    InetAddress localHost() {
        return socket.localAddress().getAddress();
    }

    /** Sends by another socket from now on. Conductor. */
    void become(DatagramSocket other) {
        socket.become(other);
    }

    /**
     * Sends to its group on an interface from now on. Conductor.
     *
     * @param answers socket that has joined the group of answers there.
     */
    void regroup(MulticastInterface on, DatagramSocket answers) {
        control.become(answers);
        socket.multicastFrom(on);
    }

    /** When a receiver was heard last, by the sender's clock. Any thread. */
    long heardNs() {
        return heardNs;
    }

    @Override
    public String toString() {
        return address.toString();
    }

    // Sender

    /** A receiver is heard. */
    void heard(long now) {
        heardNs = now;
    }

    /** The one receiver is at another address. */
    void move(InetSocketAddress to) {
        address.set(new SocketAddress(to));
        try {
            socket.reconnect(to);
        } catch (SocketException e) {
            port.tell(new SenderEvent.Unreachable(this, e.getMessage()));
        }
        renewed();
    }

    /** Datagrams may leave from another address: receivers learn it from a set-up. */
    void renewed() {
        for (SendStream stream : streams) {
            stream.onSetupWanted();
        }
        port.tell(new SenderEvent.Rebound(this));
    }

    void add(RemoteReceiver added) {
        receivers.add(added);
    }

    /** Sends to a receiver no more, and waits for it no more. */
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
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(long now) {
        int sent = 0;
        port.begin(now);
        boolean mustListen = now - listenedNs >= LISTEN_INTERVAL_NS;
        SendStream[] all = streams;
        for (int i = 0; i < all.length; i++) {
            DestinationPort own = portOf(all[i]);
            if (own != port) {
                own.begin(now);
            }
            sent += all[i].work(own, now);
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
            if (all[i].ownPort() != null) {
                all[i].ownPort().receivers().expire(now);
            }
        }
    }

    /** What a stream is sent by, and its receivers are answered by. */
    DestinationPort portOf(SendStream stream) {
        return stream == null || stream.ownPort() == null ? port : stream.ownPort();
    }

    SendStream[] streams() {
        return streams;
    }

    /** A stream that is sent here; null if there is none of these ids. */
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
