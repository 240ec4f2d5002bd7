// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.udp.link.SenderCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Queue;

/**
 * Where streams are sent to, the socket from which, and the one to which receivers answer: the same
 * unless they are a group. Opened, joined and closed by the conductor; the rest is the sender's
 * while it is attached.
 */
final class Destination {
    /** Datagrams that go out, or come in, with one system call. */
    static final int BATCH = 16;

    /** Turns in a row that only send, before one looks for what receivers say. */
    private static final int SEND_ONLY_TURNS = 3;

    /** A refusal of the kernel is told to the conductor so often. */
    private static final long REFUSAL_INTERVAL_NS = 1_000_000_000;

    private final DatagramSocket socket;
    private final DatagramSocket control;
    private final SocketAddress address;

    /**
     * Where datagrams are addressed to: not set for one receiver, to which the socket is connected.
     */
    private final SocketAddress receiver;

    private final SendBatch batch;
    private final ReceiveBatch incoming;
    private final SenderCounters counters;
    private final Queue<SenderEvent> events;
    private final int ttl;
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(SetupFrame.LENGTH));
    private SendStream[] streams = new SendStream[0];
    private int sendOnlyTurns;
    private long nowNs;
    private long refusedNs;
    private boolean wasRefused;

    Destination(
            DatagramSocket socket,
            DatagramSocket control,
            SocketAddress address,
            SenderAgent agent,
            SenderCounters counters,
            Queue<SenderEvent> events,
            int ttl) {
        this.socket = socket;
        this.control = control;
        this.address = address;
        this.receiver = control == socket ? new SocketAddress() : address;
        this.batch = agent.outgoing();
        this.incoming = agent.incoming();
        this.counters = counters;
        this.events = events;
        this.ttl = ttl;
    }

    /** Conductor, when nothing uses the socket any more. */
    void close() {
        socket.close();
        control.close();
    }

    @Override
    public String toString() {
        return address.toString();
    }

    // Sender

    SendBatch batch() {
        return batch;
    }

    SocketAddress receiver() {
        return receiver;
    }

    void tell(SenderEvent event) {
        events.add(event);
    }

    void add(SendStream stream) {
        streams = Arrays.copyOf(streams, streams.length + 1);
        streams[streams.length - 1] = stream;
    }

    /**
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(long now) {
        nowNs = now;
        int sent = 0;
        SendStream[] all = streams;
        for (int i = 0; i < all.length; i++) {
            sent += all[i].work(this, now);
            if (all[i].isDone()) {
                remove(all[i]);
                tell(new SenderEvent.Finished(this, all[i]));
            }
        }
        if (sent > 0 && sendOnlyTurns < SEND_ONLY_TURNS) {
            sendOnlyTurns++;
            return sent;
        }
        sendOnlyTurns = 0;
        return sent + listen();
    }

    private void remove(SendStream stream) {
        SendStream[] left = new SendStream[streams.length - 1];
        int kept = 0;
        for (SendStream other : streams) {
            if (other != stream) {
                left[kept++] = other;
            }
        }
        streams = left;
    }

    /**
     * Sends what was staged.
     *
     * @return how many datagrams of it.
     */
    int flush() {
        int staged = batch.count();
        int sent = batch.send(socket.fd());
        if (sent < staged) {
            counters.shortSends.incrementRelease();
            int errno = batch.errno();
            if (errno != 0 && (!wasRefused || nowNs - refusedNs >= REFUSAL_INTERVAL_NS)) {
                wasRefused = true;
                refusedNs = nowNs;
                tell(new SenderEvent.Refused(this, errno));
            }
        }
        return sent;
    }

    void sendSetup(LogSpec spec, long position) {
        SetupFrame.write(
                frame,
                control == socket ? 0 : SetupFrame.FLAG_GROUP,
                spec.sessionId(),
                spec.streamId(),
                spec.initialTermId(),
                termId(spec, position),
                LogLayout.termOffset(position, spec.termLength()),
                spec.termLength(),
                spec.mtu(),
                ttl);
        sendFrame(SetupFrame.LENGTH);
    }

    void sendHeartbeat(LogSpec spec, boolean isEndOfStream, long position) {
        HeartbeatFrame.write(
                frame,
                isEndOfStream,
                spec.sessionId(),
                spec.streamId(),
                termId(spec, position),
                LogLayout.termOffset(position, spec.termLength()));
        sendFrame(HeartbeatFrame.LENGTH);
    }

    private static int termId(LogSpec spec, long position) {
        return LogLayout.termId(
                position, LogLayout.positionBitsToShift(spec.termLength()), spec.initialTermId());
    }

    private void sendFrame(int length) {
        batch.add(receiver, frame.addressOffset(), length);
        flush();
    }

    private int listen() {
        int count = incoming.receive(control.fd());
        for (int i = 0; i < count; i++) {
            if (!onDatagram(incoming.buffer(i), incoming.length(i))) {
                counters.invalid.incrementRelease();
            }
        }
        return count;
    }

    /** Takes a datagram of a receiver; false if no receiver sends such. */
    private boolean onDatagram(UnsafeBuffer datagram, int length) {
        if (length < Frames.COMMON_LENGTH || Frames.version(datagram, 0) != Frames.VERSION) {
            return false;
        }
        return switch (Frames.type(datagram)) {
            case Frames.STATUS -> length >= StatusFrame.LENGTH && onStatus(datagram, length);
            case Frames.NAK -> length >= NakFrame.LENGTH && onNak(datagram);
            case Frames.RTT -> length >= RttFrame.LENGTH && onRtt(datagram);
            case Frames.ERROR, FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD -> true;
            default -> false;
        };
    }

    private boolean onStatus(UnsafeBuffer datagram, int length) {
        SendStream stream = find(StatusFrame.sessionId(datagram), StatusFrame.streamId(datagram));
        if (stream == null) {
            return true;
        }
        boolean isTagged = StatusFrame.isTagged(datagram, length);
        boolean isHeeded =
                stream.flow().heeds(isTagged, isTagged ? StatusFrame.groupTag(datagram) : 0);
        return stream.onStatus(
                Frames.flags(datagram, 0),
                StatusFrame.termId(datagram),
                StatusFrame.termOffset(datagram),
                StatusFrame.window(datagram),
                StatusFrame.receiverId(datagram),
                isHeeded,
                nowNs);
    }

    private boolean onNak(UnsafeBuffer datagram) {
        SendStream stream = find(NakFrame.sessionId(datagram), NakFrame.streamId(datagram));
        if (stream != null) {
            stream.onNak(
                    NakFrame.termId(datagram),
                    NakFrame.termOffset(datagram),
                    NakFrame.length(datagram),
                    nowNs);
        }
        return true;
    }

    /** The answer is as long as the question. */
    private boolean onRtt(UnsafeBuffer datagram) {
        if ((Frames.flags(datagram, 0) & RttFrame.FLAG_REPLY) != 0
                && find(RttFrame.sessionId(datagram), RttFrame.streamId(datagram)) != null) {
            RttFrame.reply(frame, datagram);
            sendFrame(RttFrame.LENGTH);
        }
        return true;
    }

    private SendStream find(int sessionId, int streamId) {
        SendStream[] all = streams;
        for (int i = 0; i < all.length; i++) {
            if (all[i].sessionId() == sessionId && all[i].streamId() == streamId) {
                return all[i];
            }
        }
        return null;
    }
}
