// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.StreamHops;
import io.verbus.udp.common.RateLimit;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.socket.SourceFilter;
import io.verbus.udp.wire.ErrorFrame;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.ResponseSetupFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Handles the feedback that receivers send to a destination: status messages, NAKs, and round-trip
 * measurements. All of it is untrusted input. Used by the sender's thread only.
 */
final class ReceiverFeedback {
    private final Destination destination;
    private final DatagramSocket socket;
    private final ReceiveBatch incoming;
    private final SourceFilter allowed;

    /** Whether receivers may request the setups of all streams at once, with ids 0. */
    private final boolean tellsAll;

    private final SenderCounters counters;
    private final RateLimit answers = RateLimit.ofSender();
    private final RateLimit setupsOfStrangers = RateLimit.ofSender();

    /** Index of the stream whose setup is sent first in answer to a request for all streams. */
    private int firstTold;

    private long nowNs;

    /** Time of the previous call, which received everything that had arrived before. */
    private long heardNs;

    /**
     * @param destination destination of the streams.
     * @param socket socket to which receivers respond.
     * @param incoming receive batch of the sender, empty between its calls.
     * @param allowed filter of source addresses.
     * @param tellsAll whether receivers may request the setups of all streams at once, with ids 0.
     */
    ReceiverFeedback(
            Destination destination,
            DatagramSocket socket,
            ReceiveBatch incoming,
            SourceFilter allowed,
            boolean tellsAll,
            SenderCounters counters) {
        this.destination = destination;
        this.socket = socket;
        this.incoming = incoming;
        this.allowed = allowed;
        this.tellsAll = tellsAll;
        this.counters = counters;
    }

    /**
     * Handles the waiting datagrams.
     *
     * @param now monotonic time.
     * @return number of datagrams.
     */
    int listen(long now) {
        heardNs = nowNs;
        nowNs = now;
        int count = incoming.receive(socket);
        for (int i = 0; i < count; i++) {
            if (!incoming.isLost(i)
                    && isAllowed(i)
                    && !onDatagram(i, incoming.buffer(i), incoming.length(i))) {
                counters.onInvalid();
            }
        }
        return count;
    }

    private boolean isAllowed(int index) {
        if (allowed.admits(incoming, index)) {
            return true;
        }
        if (allowed.isReportDue(nowNs)) {
            destination.port().tell(new SenderEvent.NotAllowed(incoming.source(index).host()));
        }
        return false;
    }

    /** Handles a datagram from a receiver; returns false if it is invalid. */
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
            case Frames.RESPONSE_SETUP ->
                    length >= ResponseSetupFrame.LENGTH && onResponseSetup(datagram);
            case FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD -> true;
            default -> false;
        };
    }

    /** Handles the session id of responses. Returns true: the frame is valid. */
    private boolean onResponseSetup(UnsafeBuffer datagram) {
        SendStream stream =
                destination.find(
                        ResponseSetupFrame.sessionId(datagram),
                        ResponseSetupFrame.streamId(datagram));
        if (stream != null && stream.isResponseDue(nowNs)) {
            stream.port()
                    .tell(
                            new SenderEvent.Response(
                                    stream, ResponseSetupFrame.responseSessionId(datagram)));
        }
        return true;
    }

    /**
     * Handles an error frame. It may be forged, so clients are notified only rarely. Returns true:
     * the frame is valid.
     */
    private boolean onError(int index, UnsafeBuffer datagram, int length) {
        counters.errorFrames.incrementRelease();
        SendStream stream =
                destination.find(ErrorFrame.sessionId(datagram), ErrorFrame.streamId(datagram));
        if (stream != null && ErrorFrame.code(datagram) == ErrorFrame.IMAGE_REJECTED) {
            onRejected(stream, incoming.source(index), datagram, length);
        } else if (stream != null && stream.isOpen() && stream.isFailureDue(nowNs)) {
            stream.port()
                    .tell(
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
        RemoteReceivers receivers = stream.port().receivers();
        if ((receivers == null || mayLeave(receivers, source))
                && stream.onRejected(receiverId, nowNs)) {
            stream.port()
                    .tell(
                            new SenderEvent.ImageRejected(
                                    stream,
                                    receivers == null ? null : receivers.find(source, receiverId),
                                    receiverId,
                                    ErrorFrame.groupTag(datagram),
                                    source.toInet(),
                                    ErrorFrame.text(datagram, length)));
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
        RemoteReceivers receivers = stream.port().receivers();
        boolean isTaken =
                receivers == null
                        || (isLeaving
                                ? mayLeave(receivers, incoming.source(index))
                                : heard(stream, position, incoming.source(index), datagram));
        destination.heard(nowNs);
        if (isLeaving && isTaken && receivers != null) {
            receivers.left(incoming.source(index));
        }
        if (isOfInterest && isTaken) {
            stream.onStatus(
                    isLeaving,
                    position,
                    StatusFrame.window(datagram),
                    StatusFrame.receiverId(datagram),
                    nowNs);
            if (stream.hops() != null && !isLeaving) {
                sample(stream, incoming.source(index), datagram);
            }
        }
        return true;
    }

    /** Samples the hops that a status message ends, and asks for the round trip if that is due. */
    private void sample(SendStream stream, SocketAddress source, UnsafeBuffer status) {
        StreamHops hops = stream.hops();
        hops.onReleased(stream.flow().consumed(), heardNs, StatusFrame.receiverId(status));
        if (hops.isQuestionDue(nowNs)) {
            stream.port().ask(source, status, hops.question());
        }
    }

    /**
     * Returns whether the source may make a receiver leave: a dynamic receiver can only leave from
     * its own address.
     */
    private static boolean mayLeave(RemoteReceivers receivers, SocketAddress source) {
        return !receivers.isDynamic() || receivers.isKnown(source);
    }

    /**
     * Handles a status message if there may be several receivers; returns whether one of them sent
     * it.
     */
    private boolean heard(
            SendStream stream, long position, SocketAddress source, UnsafeBuffer status) {
        DestinationPort port = stream.port();
        RemoteReceivers receivers = port.receivers();
        boolean isTaken = receivers.heard(source, StatusFrame.receiverId(status), position, nowNs);
        if (receivers.mustAsk(source, nowNs)) {
            port.ask(source, status, receivers.question(source, nowNs));
        } else if (!isTaken && receivers.isDynamic() && receivers.isFull()) {
            counters.receiversRefused.incrementRelease();
        }
        return isTaken;
    }

    /**
     * Handles a request for the setup of a stream, or of all streams, whose ids the requester
     * cannot know. If receivers are dynamic, only the requester gets an answer, provided that there
     * is room for another receiver or the requester is already a receiver. Otherwise all receivers
     * get the answer, since they get all datagrams anyway. Answers rotate, so that all streams are
     * announced eventually.
     */
    private void onAsking(SendStream asked, boolean isOfAll, SocketAddress source) {
        SendStream[] all = destination.streams();
        int first = firstTold < all.length ? firstTold : 0;
        for (int i = 0; i < all.length; i++) {
            int index = first + i < all.length ? first + i : first + i - all.length;
            SendStream stream = all[index];
            if (stream != asked && (!isOfAll || !tellsAll)) {
                continue;
            }
            RemoteReceivers receivers = stream.port().receivers();
            if (receivers == null || !receivers.isDynamic()) {
                stream.onSetupWanted();
            } else if (stream.isOpen() && hasRoom(receivers, source)) {
                if (!mayAnswer(receivers, source)) {
                    firstTold = index;
                    return;
                }
                tell(stream, source);
            }
        }
    }

    private boolean hasRoom(RemoteReceivers receivers, SocketAddress source) {
        boolean hasRoom = !receivers.isFull() || receivers.isKnown(source);
        if (!hasRoom) {
            counters.receiversRefused.incrementRelease();
        }
        return hasRoom;
    }

    private boolean mayAnswer(RemoteReceivers receivers, SocketAddress source) {
        return (receivers.isKnown(source) ? answers : setupsOfStrangers).take(nowNs);
    }

    private void tell(SendStream stream, SocketAddress source) {
        OutboundStream of = stream.stream();
        stream.port()
                .sendSetupTo(source, of.log().spec(), stream.setupFlags(), of.senderPosition());
    }

    private boolean onNak(int index, UnsafeBuffer datagram) {
        SendStream stream =
                destination.find(NakFrame.sessionId(datagram), NakFrame.streamId(datagram));
        if (stream == null) {
            return true;
        }
        RemoteReceivers receivers = stream.port().receivers();
        if (receivers == null
                || !receivers.isDynamic()
                || receivers.isKnown(incoming.source(index))) {
            stream.onNak(
                    NakFrame.termId(datagram),
                    NakFrame.termOffset(datagram),
                    NakFrame.length(datagram),
                    nowNs);
        }
        return true;
    }

    /**
     * Handles a round-trip measurement, or the answer to a challenge; returns false if it is
     * invalid.
     */
    private boolean onRtt(int index, UnsafeBuffer datagram) {
        SocketAddress source = incoming.source(index);
        SendStream stream =
                destination.find(RttFrame.sessionId(datagram), RttFrame.streamId(datagram));
        DestinationPort port = stream == null ? destination.port() : stream.port();
        RemoteReceivers receivers = port.receivers();
        if ((Frames.flags(datagram, 0) & RttFrame.FLAG_REPLY) == 0) {
            if (stream != null
                    && stream.hops() != null
                    && stream.hops()
                            .onAnswer(
                                    RttFrame.echoTimestamp(datagram),
                                    RttFrame.receptionDelta(datagram),
                                    heardNs,
                                    RttFrame.receiverId(datagram))) {
                return true;
            }
            return receivers == null
                    || receivers.answered(source, RttFrame.echoTimestamp(datagram), nowNs);
        }
        if (stream != null
                && (receivers == null || receivers.isKnown(source))
                && answers.take(nowNs)) {
            port.answerRoundTrip(datagram, source);
        }
        return true;
    }
}
