// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.PeerRejection;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.ErrorFrame;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Takes what receivers send to a destination: status messages, NAKs, and questions for the round
 * trip time. No sender of these is to be trusted. Sender's thread.
 */
final class Feedback {
    private final Destination destination;
    private final DestinationPort port;
    private final DatagramSocket socket;
    private final ReceiveBatch incoming;

    /** Those that each datagram is sent to, where there are several; or null. */
    private final RemoteReceivers receivers;

    private final SenderCounters counters;
    private final Allowance answers = new Allowance();
    private long nowNs;

    /**
     * @param destination whose streams it is about.
     * @param port to answer through.
     * @param socket to which receivers answer.
     * @param incoming of the sender, empty between its calls.
     */
    Feedback(
            Destination destination,
            DestinationPort port,
            DatagramSocket socket,
            ReceiveBatch incoming,
            RemoteReceivers receivers,
            SenderCounters counters) {
        this.destination = destination;
        this.port = port;
        this.socket = socket;
        this.incoming = incoming;
        this.receivers = receivers;
        this.counters = counters;
    }

    /**
     * Takes what is there.
     *
     * @param now monotonic time.
     * @return how many datagrams.
     */
    int listen(long now) {
        nowNs = now;
        int count = incoming.receive(socket);
        for (int i = 0; i < count; i++) {
            if (!incoming.isLost(i) && !onDatagram(i, incoming.buffer(i), incoming.length(i))) {
                counters.onInvalid();
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
            case Frames.NAK -> length >= NakFrame.LENGTH && onNak(index, datagram);
            case Frames.RTT -> length >= RttFrame.LENGTH && onRtt(index, datagram);
            case Frames.ERROR ->
                    length >= ErrorFrame.HEADER_LENGTH && onError(index, datagram, length);
            case FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD -> true;
            default -> false;
        };
    }

    /** A receiver cannot take a stream. A stranger may send this, so clients hear of it seldom. */
    private boolean onError(int index, UnsafeBuffer datagram, int length) {
        counters.errorFrames.incrementRelease();
        SendStream stream =
                destination.find(ErrorFrame.sessionId(datagram), ErrorFrame.streamId(datagram));
        if (stream != null && ErrorFrame.code(datagram) == ErrorFrame.IMAGE_REJECTED) {
            onRejected(stream, incoming.source(index), datagram, length);
        } else if (stream != null && stream.isOpen() && stream.isFailureDue(nowNs)) {
            port.tell(
                    new SenderEvent.Failed(
                            stream,
                            incoming.source(index).host(),
                            ErrorFrame.text(datagram, length)));
        }
        return true;
    }

    private void onRejected(
            SendStream stream, SocketAddress source, UnsafeBuffer datagram, int length) {
        long receiverId = ErrorFrame.receiverId(datagram);
        if ((receivers == null || mayLeave(source)) && stream.onRejected(receiverId, nowNs)) {
            port.tell(
                    new SenderEvent.ImageRejected(
                            stream,
                            new PeerRejection(
                                    receiverId,
                                    ErrorFrame.groupTag(datagram),
                                    source.toInet(),
                                    ErrorFrame.text(datagram, length))));
        }
    }

    private boolean onStatus(int index, UnsafeBuffer datagram, int length) {
        counters.statusMessages.incrementRelease();
        int sessionId = StatusFrame.sessionId(datagram);
        int streamId = StatusFrame.streamId(datagram);
        int flags = Frames.flags(datagram, 0);
        boolean isLeaving = (flags & StatusFrame.FLAG_END_OF_STREAM) != 0;
        SendStream stream = destination.find(sessionId, streamId);
        if ((flags & StatusFrame.FLAG_SEND_SETUP) != 0) {
            onAsking(stream, sessionId == 0 && streamId == 0, incoming.source(index));
            return true;
        }
        if (stream == null) {
            return true;
        }
        long position =
                stream.consumedPosition(
                        StatusFrame.termId(datagram), StatusFrame.termOffset(datagram));
        if (position < 0 || StatusFrame.window(datagram) < 0) {
            counters.statusMessagesRejected.incrementRelease();
            return true;
        }
        boolean isTagged = StatusFrame.isTagged(datagram, length);
        boolean isOfInterest =
                isLeaving
                        || stream.flow()
                                .heeds(isTagged, isTagged ? StatusFrame.groupTag(datagram) : 0);
        boolean isTaken =
                receivers == null
                        || (isLeaving
                                ? mayLeave(incoming.source(index))
                                : heard(position, incoming.source(index), datagram));
        if (isOfInterest && isTaken) {
            stream.onStatus(
                    isLeaving,
                    position,
                    StatusFrame.window(datagram),
                    StatusFrame.receiverId(datagram),
                    nowNs);
        }
        return true;
    }

    /** A receiver that came by itself leaves from the address at which it came. */
    private boolean mayLeave(SocketAddress source) {
        return !receivers.isDynamic() || receivers.isKnown(source);
    }

    /** A status message has come to where there are several receivers; whether one has sent it. */
    private boolean heard(long position, SocketAddress source, UnsafeBuffer status) {
        boolean isTaken = receivers.heard(source, StatusFrame.receiverId(status), position, nowNs);
        if (receivers.mustAsk(source, nowNs)) {
            port.ask(source, status, receivers.question(source, nowNs));
        } else if (!isTaken && receivers.isDynamic() && receivers.isFull()) {
            counters.receiversRefused.incrementRelease();
        }
        return isTaken;
    }

    /**
     * A receiver asks for the set-up of a stream, or of all. Where receivers come by themselves the
     * asker alone is answered; otherwise all are, to whom datagrams go anyway.
     */
    private void onAsking(SendStream asked, boolean isOfAll, SocketAddress source) {
        SendStream[] all = destination.streams();
        for (int i = 0; i < all.length; i++) {
            if (all[i] != asked && (!isOfAll || receivers == null)) {
                continue;
            }
            if (receivers == null || !receivers.isDynamic()) {
                all[i].onSetupWanted();
            } else if (all[i].isOpen() && mayAnswer(source)) {
                OutboundStream stream = all[i].stream();
                port.sendSetupTo(source, stream.log().spec(), stream.senderPosition());
            }
        }
    }

    private boolean mayAnswer(SocketAddress source) {
        return receivers.isKnown(source)
                ? answers.take(nowNs)
                : receivers.mayAnswerStranger(source, nowNs);
    }

    private boolean onNak(int index, UnsafeBuffer datagram) {
        SendStream stream =
                destination.find(NakFrame.sessionId(datagram), NakFrame.streamId(datagram));
        boolean isOfReceiver =
                receivers == null
                        || !receivers.isDynamic()
                        || receivers.isKnown(incoming.source(index));
        if (stream != null && isOfReceiver) {
            stream.onNak(
                    NakFrame.termId(datagram),
                    NakFrame.termOffset(datagram),
                    NakFrame.length(datagram),
                    nowNs);
        }
        return true;
    }

    /** A receiver asks how long a round trip takes, or answers whether it is there. */
    private boolean onRtt(int index, UnsafeBuffer datagram) {
        SocketAddress source = incoming.source(index);
        if ((Frames.flags(datagram, 0) & RttFrame.FLAG_REPLY) == 0) {
            return receivers == null
                    || receivers.answered(source, RttFrame.echoTimestamp(datagram), nowNs);
        }
        boolean isOfStream =
                destination.find(RttFrame.sessionId(datagram), RttFrame.streamId(datagram)) != null;
        if (isOfStream && (receivers == null || receivers.isKnown(source)) && answers.take(nowNs)) {
            port.answerRoundTrip(datagram, source);
        }
        return true;
    }
}
