// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.OutboundStream;
import io.verbus.udp.link.SenderCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What receivers say, as it arrives at a destination: status messages, NAKs, and questions for the
 * round trip time. Who says it is not to be trusted. Sender's thread.
 */
final class Feedback {
    private final Destination destination;
    private final DatagramSocket socket;
    private final ReceiveBatch incoming;

    /** Those that each datagram is sent to, where there are several; or null. */
    private final Receivers receivers;

    private final SenderCounters counters;
    private long nowNs;

    /**
     * @param socket to which receivers answer.
     * @param incoming of the sender, empty between its calls.
     */
    Feedback(
            Destination destination,
            DatagramSocket socket,
            ReceiveBatch incoming,
            Receivers receivers,
            SenderCounters counters) {
        this.destination = destination;
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
        SendStream stream = destination.find(sessionId, streamId);
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
        SendStream[] all = destination.streams();
        for (int i = 0; i < all.length; i++) {
            if ((all[i] == asked || isOfAll) && all[i].isOpen()) {
                all[i].onSetupWanted();
                if (receivers.mayAnswerStranger(source, nowNs)) {
                    OutboundStream stream = all[i].stream();
                    destination.sendSetupTo(source, stream.log().spec(), stream.senderPosition());
                }
            }
        }
    }

    private boolean onNak(UnsafeBuffer datagram) {
        SendStream stream =
                destination.find(NakFrame.sessionId(datagram), NakFrame.streamId(datagram));
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
                && destination.find(RttFrame.sessionId(datagram), RttFrame.streamId(datagram))
                        != null) {
            destination.answerRoundTrip(datagram);
        }
        return true;
    }
}
