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

    /** The same where the kernel cuts joined datagrams apart. */
    static final int JOINED_BATCH = 64;

    /**
     * What receivers say is looked for so often while no stream needs to know: a receiver waits ten
     * times as long before it asks for what it misses, and to look costs a system call.
     */
    private static final long LISTEN_INTERVAL_NS = 10_000;

    /** A refusal of the kernel is told to the conductor so often. */
    private static final long REFUSAL_INTERVAL_NS = 1_000_000_000;

    private static final long EXPIRY_INTERVAL_NS = 10_000_000;

    private final DatagramSocket socket;
    private final DatagramSocket control;
    private final SocketAddress address;

    /**
     * Where datagrams are addressed to: not set for one receiver, to which the socket is connected.
     */
    private final SocketAddress receiver;

    /** Those that each datagram is sent to, where there are several; or null. */
    private final Receivers receivers;

    private final SendBatch batch;
    private final ReceiveBatch incoming;
    private final SenderCounters counters;
    private final Queue<SenderEvent> events;
    private final int ttl;
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(SetupFrame.LENGTH));
    private SendStream[] streams = new SendStream[0];
    private long listenedNs;
    private boolean joins;
    private long nowNs;
    private long expiredNs;
    private long refusedNs;
    private boolean wasRefused;

    Destination(
            DatagramSocket socket,
            DatagramSocket control,
            SocketAddress address,
            Receivers receivers,
            SenderAgent agent,
            SenderCounters counters,
            Queue<SenderEvent> events,
            int ttl,
            boolean joins) {
        this.socket = socket;
        this.control = control;
        this.address = address;
        this.receivers = receivers;
        this.receiver = control == socket ? new SocketAddress() : address;
        this.batch = agent.outgoing();
        this.incoming = agent.incoming();
        this.counters = counters;
        this.events = events;
        this.ttl = ttl;
        this.joins = joins;
    }

    /** Conductor, when nothing uses the socket any more. */
    void close() {
        socket.close();
        control.close();
        if (receivers != null) {
            receivers.close();
        }
    }

    @Override
    public String toString() {
        return address.toString();
    }

    // Sender

    void add(Receiver added) {
        receivers.add(added);
    }

    /** Sends to a receiver no more, and waits for it no more. */
    void remove(Receiver removed) {
        receivers.remove(removed);
        for (SendStream stream : streams) {
            if (removed.isHeard) {
                stream.flow().onLeave(removed.id);
            }
        }
    }

    /** Whether there is nobody to send to. */
    boolean isDeserted() {
        return receivers != null && receivers.isEmpty();
    }

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
        batch.joins(joins);
        boolean mustListen = now - listenedNs >= LISTEN_INTERVAL_NS;
        SendStream[] all = streams;
        for (int i = 0; i < all.length; i++) {
            sent += all[i].work(this, now);
            mustListen |= all[i].isShortOfRoom();
            if (all[i].isDone()) {
                remove(all[i]);
                tell(new SenderEvent.Finished(this, all[i]));
            }
        }
        if (receivers != null && now - expiredNs >= EXPIRY_INTERVAL_NS) {
            expiredNs = now;
            receivers.expire(now);
        }
        return mustListen ? sent + listen() : sent;
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
        int sent = receivers == null ? batch.send(socket.fd()) : receivers.send(batch, socket.fd());
        int errno = receivers == null ? batch.errno() : receivers.errno();
        if (sent < staged || errno != 0) {
            onRefusal(errno, receivers == null ? address : receivers.refusing());
        }
        return sent;
    }

    private void onRefusal(int errno, SocketAddress refusing) {
        counters.shortSends.incrementRelease();
        if (receivers == null ? batch.isJoiningRefused() : receivers.isJoiningRefused()) {
            joins = false;
            batch.joins(false);
            tell(new SenderEvent.Unjoined(this, errno));
            return;
        }
        if (errno != 0 && (!wasRefused || nowNs - refusedNs >= REFUSAL_INTERVAL_NS)) {
            wasRefused = true;
            refusedNs = nowNs;
            tell(new SenderEvent.Refused(refusing.toString(), errno));
        }
    }

    void sendSetup(LogSpec spec, long position) {
        writeSetup(spec, position);
        sendFrame(SetupFrame.LENGTH);
    }

    private void writeSetup(LogSpec spec, long position) {
        SetupFrame.write(
                frame,
                control == socket && receivers == null ? 0 : SetupFrame.FLAG_GROUP,
                spec.sessionId(),
                spec.streamId(),
                spec.initialTermId(),
                termId(spec, position),
                LogLayout.termOffset(position, spec.termLength()),
                spec.termLength(),
                spec.mtu(),
                ttl);
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
        listenedNs = nowNs;
        int count = incoming.receive(control);
        for (int i = 0; i < count; i++) {
            if (!onDatagram(i, incoming.buffer(i), incoming.length(i))) {
                counters.invalid.incrementRelease();
            }
        }
        return count;
    }

    /** Takes a datagram of a receiver; false if no receiver sends such. */
    private boolean onDatagram(int index, UnsafeBuffer datagram, int length) {
        if (length < Frames.COMMON_LENGTH || Frames.version(datagram, 0) != Frames.VERSION) {
            return false;
        }
        return switch (Frames.type(datagram)) {
            case Frames.STATUS -> length >= StatusFrame.LENGTH && onStatus(index, datagram, length);
            case Frames.NAK -> length >= NakFrame.LENGTH && onNak(datagram);
            case Frames.RTT -> length >= RttFrame.LENGTH && onRtt(datagram);
            case Frames.ERROR, FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD -> true;
            default -> false;
        };
    }

    private boolean onStatus(int index, UnsafeBuffer datagram, int length) {
        int sessionId = StatusFrame.sessionId(datagram);
        int streamId = StatusFrame.streamId(datagram);
        int flags = Frames.flags(datagram, 0);
        boolean isAsking = (flags & StatusFrame.FLAG_SEND_SETUP) != 0;
        boolean isLeaving = (flags & StatusFrame.FLAG_END_OF_STREAM) != 0;
        SendStream stream = find(sessionId, streamId);
        if (isAsking && receivers != null) {
            answer(stream, sessionId == 0 && streamId == 0, incoming.source(index));
        }
        if (stream == null) {
            return true;
        }
        boolean isTagged = StatusFrame.isTagged(datagram, length);
        boolean isHeeded =
                stream.flow().heeds(isTagged, isTagged ? StatusFrame.groupTag(datagram) : 0);
        boolean isTaken =
                receivers == null || isAsking || isLeaving || heard(stream, index, datagram);
        return stream.onStatus(
                flags,
                StatusFrame.termId(datagram),
                StatusFrame.termOffset(datagram),
                StatusFrame.window(datagram),
                StatusFrame.receiverId(datagram),
                isHeeded && isTaken,
                nowNs);
    }

    /** One of several receivers has answered; whether there is room for it. */
    private boolean heard(SendStream stream, int index, UnsafeBuffer status) {
        long position =
                stream.consumedPosition(StatusFrame.termId(status), StatusFrame.termOffset(status));
        if (position < 0) {
            return false;
        }
        boolean isTaken =
                receivers.heard(
                        incoming.source(index), StatusFrame.receiverId(status), position, nowNs);
        if (!isTaken && receivers.isDynamic()) {
            counters.receiversRefused.incrementRelease();
        }
        return isTaken;
    }

    /** Somebody asks for the set-up of a stream, or of all. */
    private void answer(SendStream asked, boolean isOfAll, SocketAddress source) {
        SendStream[] streamsNow = streams;
        for (int i = 0; i < streamsNow.length; i++) {
            SendStream stream = streamsNow[i];
            if ((stream == asked || isOfAll) && stream.isOpen()) {
                stream.onSetupWanted();
                if (receivers.mayAnswerStranger(source, nowNs)) {
                    writeSetup(stream.stream().log().spec(), stream.stream().senderPosition());
                    batch.add(source, frame.addressOffset(), SetupFrame.LENGTH);
                    batch.send(socket.fd());
                }
            }
        }
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
