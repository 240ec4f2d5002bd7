// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Queue;

/**
 * Parses the datagrams of an endpoint, and passes their frames to images. Senders are not trusted.
 * Used by the receiver's thread only.
 */
final class FrameDispatcher {
    private final UdpEndpoint endpoint;
    private final Long2ObjectHashMap<ReceiveImage> images;
    private final StreamAdmission admission;
    private final Rejections rejections;
    private final ControlSender sender;
    private final ReceiverCounters counters;
    private final Queue<ReceiverEvent> events;
    private final long receiverId;

    /** Address at which to respond to senders; null to use their source addresses. */
    private final SocketAddress control;

    /** Unparsed part of a datagram; its bounds keep reads within the datagram. */
    private final UnsafeBuffer part = new UnsafeBuffer(0, 0);

    /**
     * Time at which the current datagram was received; 0 if no stream of the endpoint requests the
     * time.
     */
    private long receivedNs;

    private final UnsafeBuffer request =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.LENGTH));

    /**
     * @param endpoint endpoint for which to offer streams to the conductor.
     * @param images images of the endpoint by key.
     */
    FrameDispatcher(
            UdpEndpoint endpoint,
            Long2ObjectHashMap<ReceiveImage> images,
            StreamAdmission admission,
            Rejections rejections,
            ControlSender sender,
            ReceiverCounters counters,
            Queue<ReceiverEvent> events) {
        this.endpoint = endpoint;
        this.images = images;
        this.admission = admission;
        this.rejections = rejections;
        this.sender = sender;
        this.counters = counters;
        this.events = events;
        receiverId = endpoint.receiverId();
        control = endpoint.control();
    }

    /** Changes the address at which to respond to senders. */
    void move(SocketAddress to) {
        control.set(to);
    }

    /**
     * Handles a datagram, or several datagrams of one sender that the kernel has joined. Either is
     * a sequence of frames.
     *
     * @param datagram buffer that starts with the datagram.
     * @param length length of the datagram.
     * @param source source of the datagram.
     * @param time time of receipt in nanoseconds since the epoch; 0 if no stream requests the time.
     * @param nowNs monotonic time.
     */
    void onDatagram(
            UnsafeBuffer datagram, int length, SocketAddress source, long time, long nowNs) {
        receivedNs = time;
        int at = 0;
        do {
            part.wrap(datagram.addressOffset() + at, length - at);
            int taken = onFrames(source, nowNs);
            if (taken < 0) {
                counters.onInvalid();
                return;
            }
            at += taken;
        } while (at < length);
    }

    /** Handles the first frames of the part; returns their length, or -1 if they are invalid. */
    private int onFrames(SocketAddress source, long nowNs) {
        int length = part.capacity();
        if (length < Frames.COMMON_LENGTH || Frames.version(part, 0) != Frames.VERSION) {
            return -1;
        }
        return switch (Frames.type(part)) {
            case FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD ->
                    length >= FrameHeader.LENGTH ? onData(source, nowNs) : -1;
            case Frames.SETUP ->
                    length >= SetupFrame.LENGTH && onSetup(source, nowNs)
                            ? Frames.span(part, SetupFrame.LENGTH)
                            : -1;
            case Frames.RTT -> length >= RttFrame.LENGTH ? onRoundTrip(source, nowNs) : -1;
            case Frames.ERROR, Frames.STATUS, Frames.NAK, Frames.RESPONSE_SETUP -> length;
            default -> -1;
        };
    }

    private int onData(SocketAddress source, long nowNs) {
        int streamId = part.getInt(FrameHeader.STREAM_ID);
        int sessionId = part.getInt(FrameHeader.SESSION_ID);
        long key = ReceiveImage.key(streamId, sessionId);
        ReceiveImage image = images.get(key);
        if (image != null) {
            return image.onData(part, source, receivedNs, nowNs);
        }
        if (rejections.has(key, nowNs)) {
            reject(key, sessionId, streamId, source, nowNs);
            return Frames.dataSpan(part);
        }
        boolean hasEnded = (Frames.flags(part, 0) & Frames.FLAG_END_OF_STREAM) != 0;
        if (!hasEnded && admission.mayAsk(streamId, key, nowNs)) {
            StatusFrame.write(
                    request,
                    StatusFrame.FLAG_SEND_SETUP,
                    sessionId,
                    streamId,
                    part.getInt(FrameHeader.TERM_ID),
                    part.getInt(FrameHeader.TERM_OFFSET),
                    0,
                    receiverId);
            if (sender.send(
                    control == null ? source : control, request, StatusFrame.LENGTH, nowNs)) {
                counters.statusMessages.incrementRelease();
            }
        }
        return Frames.dataSpan(part);
    }

    private void reject(long key, int sessionId, int streamId, SocketAddress source, long nowNs) {
        int length = rejections.write(key, sessionId, streamId, nowNs);
        if (length > 0
                && sender.send(
                        control == null ? source : control, rejections.frame(), length, nowNs)) {
            counters.errorFrames.incrementRelease();
        }
    }

    private boolean onSetup(SocketAddress source, long nowNs) {
        int streamId = SetupFrame.streamId(part);
        long key = ReceiveImage.key(streamId, SetupFrame.sessionId(part));
        ReceiveImage image = images.get(key);
        if (image != null) {
            image.onSetup(part, source, nowNs);
            return true;
        }
        if (rejections.has(key, nowNs)) {
            reject(key, SetupFrame.sessionId(part), streamId, source, nowNs);
            return true;
        }
        if (!admission.isWanted(streamId, key, SetupFrame.initialTermId(part), nowNs)) {
            return true;
        }
        if (!SetupFrame.isInRange(part)) {
            return false;
        }
        if (!admission.hasRoom(images.size())) {
            counters.setupsRefused.incrementRelease();
            if (admission.mustTell(images.size(), nowNs)) {
                events.add(new ReceiverEvent.Crowded(offer(source)));
            }
            return true;
        }
        admission.offered(key);
        events.add(offer(source));
        return true;
    }

    private ReceiverEvent.Offered offer(SocketAddress source) {
        SocketAddress from = new SocketAddress();
        from.set(source);
        return new ReceiverEvent.Offered(
                endpoint,
                from,
                SetupFrame.sessionId(part),
                SetupFrame.streamId(part),
                SetupFrame.initialTermId(part),
                SetupFrame.termLength(part),
                SetupFrame.mtu(part),
                SetupFrame.position(part),
                (Frames.flags(part, 0) & SetupFrame.FLAG_GROUP) != 0,
                (Frames.flags(part, 0) & SetupFrame.FLAG_WANTS_RESPONSES) != 0);
    }

    private int onRoundTrip(SocketAddress source, long nowNs) {
        ReceiveImage image =
                images.get(ReceiveImage.key(RttFrame.streamId(part), RttFrame.sessionId(part)));
        if (image != null && image.source().accepts(source)) {
            if ((Frames.flags(part, 0) & RttFrame.FLAG_REPLY) == 0) {
                image.onRoundTrip(part, nowNs);
            } else if (RttFrame.receiverId(part) == receiverId) {
                image.onQuestion(part, nowNs);
            }
        }
        return Frames.span(part, RttFrame.LENGTH);
    }
}
