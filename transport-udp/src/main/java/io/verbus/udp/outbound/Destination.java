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

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
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

    /**
     * Where datagrams are addressed to: not set for one receiver, to which the socket is connected.
     */
    private final SocketAddress receiver;

    /** Those that each datagram is sent to, where there are several; or null. */
    private final RemoteReceivers receivers;

    private final SendBatch batch;
    private final Feedback feedback;
    private final RefusalReports refusals = new RefusalReports();
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

    Destination(
            DatagramSocket socket,
            DatagramSocket control,
            SocketAddress address,
            RemoteReceivers receivers,
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
        this.feedback = new Feedback(this, control, agent.incoming(), receivers, counters);
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
        streams = ArrayUtil.add(streams, stream);
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
                streams = ArrayUtil.remove(streams, all[i]);
                tell(new SenderEvent.Finished(this, all[i]));
            }
        }
        if (receivers != null && now - expiredNs >= EXPIRY_INTERVAL_NS) {
            expiredNs = now;
            receivers.expire(now);
        }
        if (!mustListen) {
            return sent;
        }
        listenedNs = now;
        return sent + feedback.listen(now);
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
        if (refusals.isDue(errno, nowNs)) {
            tell(
                    receivers != null && receivers.isDynamic()
                            ? new SenderEvent.Unanswerable(refusing.host(), errno)
                            : new SenderEvent.Refused(refusing.toString(), errno));
        }
    }

    void sendSetup(LogSpec spec, long position) {
        writeSetup(spec, position);
        sendFrame(SetupFrame.LENGTH);
    }

    /** Sends a set-up to the one who asks for it. */
    void sendSetupTo(SocketAddress asker, LogSpec spec, long position) {
        writeSetup(spec, position);
        sendTo(asker, SetupFrame.LENGTH);
    }

    private void sendTo(SocketAddress asker, int length) {
        batch.add(asker, frame.addressOffset(), length);
        if (batch.send(socket.fd()) == 0) {
            counters.shortSends.incrementRelease();
            if (refusals.isDue(batch.errno(), nowNs)) {
                tell(new SenderEvent.Unanswerable(asker.host(), batch.errno()));
            }
        }
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

    /** Answers with as much as was sent: where there are several receivers, to the asker alone. */
    void answerRoundTrip(UnsafeBuffer question, SocketAddress asker) {
        RttFrame.reply(frame, question);
        if (receivers == null) {
            sendFrame(RttFrame.LENGTH);
        } else {
            sendTo(asker, RttFrame.LENGTH);
        }
    }

    /** Asks at an address for a number, of who has sent a status message from there. */
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
