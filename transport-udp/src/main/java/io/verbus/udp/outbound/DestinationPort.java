// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.udp.common.RefusalReports;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Queue;

/**
 * Sending interface of a stream to its destination: a batch in which to stage datagrams, control
 * frames, and events to the conductor. Shared by all streams of a {@link Destination}, except that
 * each stream with dynamic receivers has its own port. Used by the sender.
 */
final class DestinationPort {
    private final DatagramSocket socket;
    private final SocketAddress address;
    private final boolean isGroup;

    /** Address of datagrams; unset for a single receiver, to which the socket is connected. */
    private final SocketAddress receiver;

    /**
     * Manual or dynamic receivers, each of which gets a copy of each datagram; null if the streams
     * have neither.
     */
    private final RemoteReceivers receivers;

    private final SendBatch batch;

    /** Positions after the staged datagrams. */
    private final long[] ends = new long[Destination.JOINED_BATCH];

    private final RefusalReports refusals = new RefusalReports();
    private final SenderCounters counters;
    private final Queue<SenderEvent> events;
    private final Destination destination;
    private final int ttl;
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(SetupFrame.LENGTH));
    private boolean isJoining;
    private long nowNs;

    /**
     * @param destination destination that the port belongs to.
     * @param socket socket to send from.
     * @param address address of the receiver or group.
     * @param isOneSocket whether receivers respond to the sending socket.
     * @param receivers receivers that each get a copy of each datagram; or null.
     * @param batch batch of the sender.
     * @param counters counters of the sender.
     * @param events events to the conductor.
     * @param ttl TTL to send in setups.
     * @param isJoining whether the kernel accepts joined datagrams.
     */
    DestinationPort(
            Destination destination,
            DatagramSocket socket,
            SocketAddress address,
            boolean isOneSocket,
            RemoteReceivers receivers,
            SendBatch batch,
            SenderCounters counters,
            Queue<SenderEvent> events,
            int ttl,
            boolean isJoining) {
        this.destination = destination;
        this.socket = socket;
        this.address = address;
        this.receivers = receivers;
        this.batch = batch;
        this.counters = counters;
        this.events = events;
        this.ttl = ttl;
        this.isJoining = isJoining;
        receiver = isOneSocket ? new SocketAddress() : address;
        isGroup = !isOneSocket || receivers != null;
    }

    /** Creates a port for a stream with its own receivers. */
    private DestinationPort(DestinationPort shared, RemoteReceivers own, boolean isGroup) {
        destination = shared.destination;
        socket = shared.socket;
        address = shared.address;
        receiver = shared.receiver;
        receivers = own;
        batch = shared.batch;
        counters = shared.counters;
        events = shared.events;
        ttl = shared.ttl;
        isJoining = shared.isJoining;
        this.isGroup = isGroup;
    }

    /**
     * Creates a port for one stream. Called by the conductor, before the stream is handed over.
     *
     * @param own dynamic receivers of the stream.
     * @param mayBeSeveral whether there may be more than one.
     */
    DestinationPort of(RemoteReceivers own, boolean mayBeSeveral) {
        return new DestinationPort(this, own, mayBeSeveral);
    }

    /**
     * Returns the manual or dynamic receivers, each of which gets a copy of each datagram; null if
     * the streams have neither.
     */
    RemoteReceivers receivers() {
        return receivers;
    }

    /** Starts a duty cycle of the destination. */
    void begin(long now) {
        nowNs = now;
        batch.joins(isJoining);
    }

    /** Returns whether there is no receiver to send to. */
    boolean isDeserted() {
        return receivers != null && receivers.isEmpty();
    }

    /** Returns whether no more datagrams can be staged. */
    boolean isFull() {
        return batch.isFull();
    }

    /**
     * Stages a datagram of a stream; the batch must not be full.
     *
     * @param memory address of the datagram in memory.
     * @param length length in bytes.
     * @param end position in the stream after the datagram.
     */
    void stage(long memory, int length, long end) {
        ends[batch.count()] = end;
        batch.add(receiver, memory, length);
    }

    /**
     * Sends the staged datagrams.
     *
     * @param from position of the first staged datagram.
     * @return position after the last datagram that the kernel accepted, or {@code from} if it
     *     accepted none.
     */
    long flush(long from) {
        int sent = flush();
        return sent == 0 ? from : ends[sent - 1];
    }

    void tell(SenderEvent event) {
        events.add(event);
    }

    /**
     * Sends the staged datagrams.
     *
     * @return number of datagrams sent.
     */
    private int flush() {
        return receivers == null ? flushToOne() : flush(receivers.all());
    }

    private int flushToOne() {
        int staged = batch.count();
        int sent = batch.send(socket.fd());
        if (sent < staged || batch.errno() != 0) {
            onRefusal(batch.errno(), address, batch.isJoiningRefused());
        }
        return sent;
    }

    private int flush(ReceiverList to) {
        int staged = batch.count();
        int sent = to.send(batch, socket.fd());
        if (sent < staged || to.errno() != 0) {
            onRefusal(to.errno(), to.refusing(), to.isJoiningRefused());
        }
        return sent;
    }

    private void onRefusal(int errno, SocketAddress refusing, boolean isJoiningRefused) {
        counters.onShortSend();
        if (isJoiningRefused) {
            isJoining = false;
            batch.joins(false);
            tell(new SenderEvent.Unjoined(destination, errno));
            return;
        }
        if (refusals.isDue(errno, nowNs)) {
            tell(
                    receivers != null && receivers.isDynamic()
                            ? new SenderEvent.Unanswerable(refusing.host(), errno)
                            : new SenderEvent.Refused(destination, refusing.toString(), errno));
        }
    }

    /**
     * Sends a setup; if receivers are dynamic, to the receivers of all streams of the control
     * address.
     */
    void sendSetup(LogSpec spec, int flags, long position) {
        writeSetup(spec, flags, position);
        if (receivers == null) {
            sendFrame(SetupFrame.LENGTH);
        } else if (receivers.offered().count() > 0) {
            batch.add(receiver, frame.addressOffset(), SetupFrame.LENGTH);
            flush(receivers.offered());
        }
    }

    /** Sends a setup to an address that requested it. */
    void sendSetupTo(SocketAddress asker, LogSpec spec, int flags, long position) {
        writeSetup(spec, flags, position);
        sendTo(asker, SetupFrame.LENGTH);
    }

    private void sendTo(SocketAddress asker, int length) {
        batch.add(asker, frame.addressOffset(), length);
        if (batch.send(socket.fd()) == 0) {
            counters.onShortSend();
            if (refusals.isDue(batch.errno(), nowNs)) {
                tell(new SenderEvent.Unanswerable(asker.host(), batch.errno()));
            }
        }
    }

    private void writeSetup(LogSpec spec, int flags, long position) {
        SetupFrame.write(
                frame,
                isGroup ? flags | SetupFrame.FLAG_GROUP : flags,
                spec.sessionId(),
                spec.streamId(),
                spec.initialTermId(),
                termId(spec, position),
                LogLayout.termOffset(position, spec.termLength()),
                spec.termLength(),
                spec.mtu(),
                ttl);
    }

    /**
     * Sends a heartbeat with the position of a stream, and with end flags if the stream ends there.
     */
    void sendHeartbeat(LogSpec spec, int end, long position) {
        HeartbeatFrame.write(
                frame,
                end,
                spec.sessionId(),
                spec.streamId(),
                termId(spec, position),
                LogLayout.termOffset(position, spec.termLength()));
        sendFrame(HeartbeatFrame.LENGTH);
        counters.heartbeats.incrementRelease();
    }

    private static int termId(LogSpec spec, long position) {
        return LogLayout.termId(
                position, LogLayout.positionBitsToShift(spec.termLength()), spec.initialTermId());
    }

    private void sendFrame(int length) {
        if (isDeserted()) {
            return;
        }
        batch.add(receiver, frame.addressOffset(), length);
        flush();
    }

    /**
     * Answers a round-trip measurement; if there are several receivers, only the requester gets the
     * answer.
     */
    void answerRoundTrip(UnsafeBuffer question, SocketAddress asker) {
        RttFrame.reply(frame, question);
        if (receivers == null) {
            sendFrame(RttFrame.LENGTH);
        } else {
            sendTo(asker, RttFrame.LENGTH);
        }
    }

    /** Sends a challenge to an address from which a status message has come. */
    void ask(SocketAddress address, UnsafeBuffer status, long number) {
        RttFrame.ask(
                frame,
                StatusFrame.sessionId(status),
                StatusFrame.streamId(status),
                number,
                StatusFrame.receiverId(status));
        sendTo(address, RttFrame.LENGTH);
    }
}
