// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.ChannelUri;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TransportException;
import io.verbus.udp.link.Group;
import io.verbus.udp.link.ReceiverCounters;
import io.verbus.udp.link.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.SetupFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Queue;

/**
 * Where a driver receives: takes datagrams apart and hands their frames to images. Whoever sends
 * here is not to be trusted.
 */
final class ReceiveEndpoint implements InboundEndpoint {
    /** A refusal of the kernel is told to the conductor so often. */
    private static final long REFUSAL_INTERVAL_NS = 1_000_000_000;

    private final DatagramSocket socket;
    private final InetSocketAddress requested;
    private final Group group;
    private final SocketAddress control;

    /** Where a publication is asked, whose receivers come by themselves; or null. */
    private final InetSocketAddress publication;

    private final long askIntervalNs;
    private final ReceiverCounters counters;
    private final ReceiveBatch incoming;
    private final SendBatch outgoing;
    private final Queue<ReceiverEvent> events;
    private final long receiverId;

    // Conductor's
    private final EndpointTerms terms;
    private int detaching;

    // Receiver's
    private final Admission admission;
    private final Long2ObjectHashMap<ReceiveImage> byKey = new Long2ObjectHashMap<>();
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.LENGTH));

    /** The part of a datagram that is looked at: nothing past its end can be read. */
    private final UnsafeBuffer part = new UnsafeBuffer(0, 0);

    private ReceiveImage[] images = new ReceiveImage[0];
    private boolean isAskDue;
    private long askedNs;
    private long nowNs;
    private long refusedNs;
    private boolean wasRefused;

    ReceiveEndpoint(
            DatagramSocket socket,
            InetSocketAddress requested,
            Group group,
            InetSocketAddress publication,
            UdpOptions options,
            ReceiverCounters counters,
            ReceiverAgent agent,
            Queue<ReceiverEvent> events,
            long receiverId) {
        this.socket = socket;
        this.requested = requested;
        this.group = group;
        this.publication = publication;
        this.control =
                publication != null
                        ? new SocketAddress(publication)
                        : group == null ? null : new SocketAddress(group.control());
        this.askIntervalNs = options.statusIntervalNs();
        this.counters = counters;
        this.incoming = agent.incoming();
        this.outgoing = agent.outgoing();
        this.events = events;
        this.receiverId = receiverId;
        terms = new EndpointTerms(options);
        admission = new Admission(options.maxImages());
    }

    static long key(int streamId, int sessionId) {
        return (long) streamId << 32 | sessionId & 0xFFFF_FFFFL;
    }

    // Conductor

    @Override
    public String description() {
        return SocketAddress.text(socket.localAddress());
    }

    boolean isAt(InetSocketAddress address, Group otherGroup) {
        return requested.getPort() != 0
                && requested.equals(address)
                && Objects.equals(group, otherGroup);
    }

    /**
     * A subscription comes.
     *
     * @throws TransportException if it wants the endpoint to be other than those before.
     */
    void join(ChannelUri channel) {
        terms.join(channel, description());
    }

    /** A subscription goes; whether it was the last. */
    boolean leave() {
        boolean wasLast = terms.leave();
        detaching += wasLast ? 1 : 0;
        return wasLast;
    }

    /** The receiver has let go once; whether it is for good. */
    boolean onDetached() {
        detaching--;
        return detaching == 0 && terms.users() == 0;
    }

    /** Whether the receiver is to use it again, having been told to let go. */
    boolean isReopened() {
        return terms.users() == 1;
    }

    EndpointTerms terms() {
        return terms;
    }

    int receiveBuffer(int bytes) {
        return socket.receiveBuffer(bytes);
    }

    void close() {
        socket.close();
    }

    /**
     * A subscription names where its publication is to be asked.
     *
     * @throws TransportException if another subscription here asks elsewhere.
     */
    void requireControl(ChannelUri channel, InetSocketAddress wanted) {
        if (!Objects.equals(publication, wanted)) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has "
                            + (wanted == null ? "no control" : "another control")
                            + " than another subscription at "
                            + description()
                            + ": use one control for all subscriptions at an endpoint, or another"
                            + " endpoint");
        }
    }

    long receiverId() {
        return receiverId;
    }

    boolean isGroup() {
        return group != null;
    }

    /** Whether senders are answered at an address that does not depend on where they send from. */
    boolean hasControl() {
        return control != null;
    }

    // Receiver

    /** Where a sender is answered: a group has an address for that. */
    SocketAddress replyTo(SocketAddress source) {
        return control == null ? source : control;
    }

    void tell(ReceiverEvent event) {
        events.add(event);
    }

    void listen(int streamId) {
        admission.listen(streamId);
        isAskDue = true;
    }

    void accept(ReceiveImage image) {
        admission.accepted(image.key());
        byKey.put(image.key(), image);
        rebuildArray();
    }

    void refuse(int streamId, int sessionId, long now) {
        admission.refused(key(streamId, sessionId), now);
    }

    /** Lets go of an image, if it is here. */
    void remove(ReceiveImage image, long now) {
        if (byKey.get(image.key()) != image) {
            return;
        }
        nowNs = now;
        image.sendLeave();
        take(image);
        admission.closed(image.key(), image.initialTermId(), image.hasEnded(), now);
    }

    private void take(ReceiveImage image) {
        byKey.remove(image.key());
        rebuildArray();
    }

    private void rebuildArray() {
        images = byKey.values().toArray(new ReceiveImage[0]);
    }

    /** Lets go of all: nobody subscribes here any more. */
    void clear(long now) {
        nowNs = now;
        for (ReceiveImage image : images) {
            image.sendLeave();
        }
        byKey.clear();
        admission.clear();
        rebuildArray();
    }

    /**
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(long now) {
        nowNs = now;
        int work = incoming.receive(socket);
        for (int i = 0; i < work; i++) {
            onDatagram(incoming.buffer(i), incoming.length(i), incoming.source(i));
        }
        ReceiveImage[] all = images;
        if (publication != null
                && (isAskDue || all.length == 0 && now - askedNs >= askIntervalNs)) {
            ask(now);
        }
        for (int i = 0; i < all.length; i++) {
            work += all[i].work(now);
            String lost = all[i].lost(now);
            if (lost != null) {
                take(all[i]);
                admission.lost(all[i].key(), now);
                tell(new ReceiverEvent.Lost(all[i], lost));
            }
        }
        return work;
    }

    /**
     * Takes a datagram, or several of one sender that the kernel has joined: either is a row of
     * frames.
     *
     * @param datagram that begins with it.
     * @param length of it.
     * @param source of it.
     */
    void onDatagram(UnsafeBuffer datagram, int length, SocketAddress source) {
        int at = 0;
        do {
            part.wrap(datagram.addressOffset() + at, length - at);
            int taken = onFrames(source);
            if (taken < 0) {
                counters.invalid.incrementRelease();
                return;
            }
            at += taken;
        } while (at < length);
    }

    /** Takes what the part begins with; how much of it, or -1 if no sender sends such. */
    private int onFrames(SocketAddress source) {
        int length = part.capacity();
        if (length < Frames.COMMON_LENGTH || Frames.version(part, 0) != Frames.VERSION) {
            return -1;
        }
        return switch (Frames.type(part)) {
            case FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD ->
                    length >= FrameHeader.LENGTH ? onData(source) : -1;
            case Frames.SETUP ->
                    length >= SetupFrame.LENGTH && onSetup(source)
                            ? Frames.span(part, SetupFrame.LENGTH)
                            : -1;
            case Frames.RTT -> length >= RttFrame.LENGTH ? onRoundTrip() : -1;
            case Frames.ERROR, Frames.STATUS, Frames.NAK -> length;
            default -> -1;
        };
    }

    private int onData(SocketAddress source) {
        int streamId = part.getInt(FrameHeader.STREAM_ID);
        int sessionId = part.getInt(FrameHeader.SESSION_ID);
        long key = key(streamId, sessionId);
        ReceiveImage image = byKey.get(key);
        if (image != null) {
            return image.onData(part, source, nowNs);
        }
        boolean hasEnded = (Frames.flags(part, 0) & Frames.FLAG_END_OF_STREAM) != 0;
        if (!hasEnded && admission.mayAsk(streamId, key, nowNs)) {
            StatusFrame.write(
                    frame,
                    StatusFrame.FLAG_SEND_SETUP,
                    sessionId,
                    streamId,
                    part.getInt(FrameHeader.TERM_ID),
                    part.getInt(FrameHeader.TERM_OFFSET),
                    0,
                    receiverId);
            send(replyTo(source), frame, StatusFrame.LENGTH);
        }
        return Frames.dataSpan(part);
    }

    private boolean onSetup(SocketAddress source) {
        int streamId = SetupFrame.streamId(part);
        int sessionId = SetupFrame.sessionId(part);
        long key = key(streamId, sessionId);
        ReceiveImage image = byKey.get(key);
        if (image != null) {
            image.onSetup(source, nowNs);
            return true;
        }
        if (!admission.isWanted(streamId, key, SetupFrame.initialTermId(part), nowNs)) {
            return true;
        }
        if (!admission.hasRoom(byKey.size())) {
            counters.setupsRefused.incrementRelease();
            return true;
        }
        if (!SetupFrame.isInRange(part)) {
            return false;
        }
        SocketAddress from = new SocketAddress();
        from.set(source);
        admission.offered(key);
        tell(
                new ReceiverEvent.Offered(
                        this,
                        from,
                        sessionId,
                        streamId,
                        SetupFrame.initialTermId(part),
                        SetupFrame.termLength(part),
                        SetupFrame.mtu(part),
                        SetupFrame.position(part),
                        (Frames.flags(part, 0) & SetupFrame.FLAG_GROUP) != 0));
        return true;
    }

    /** Asks the publication for the set-ups of all its streams. */
    private void ask(long now) {
        isAskDue = false;
        askedNs = now;
        StatusFrame.write(frame, StatusFrame.FLAG_SEND_SETUP, 0, 0, 0, 0, 0, receiverId);
        send(control, frame, StatusFrame.LENGTH);
    }

    private int onRoundTrip() {
        ReceiveImage image = byKey.get(key(RttFrame.streamId(part), RttFrame.sessionId(part)));
        if (image != null && (Frames.flags(part, 0) & RttFrame.FLAG_REPLY) == 0) {
            image.onRoundTrip(part, nowNs);
        }
        return Frames.span(part, RttFrame.LENGTH);
    }

    /** Sends a frame; false if the kernel does not take it. */
    boolean send(SocketAddress receiver, UnsafeBuffer control, int length) {
        outgoing.add(receiver, control.addressOffset(), length);
        if (outgoing.send(socket.fd()) > 0) {
            return true;
        }
        counters.shortSends.incrementRelease();
        int errno = outgoing.errno();
        if (errno != 0 && (!wasRefused || nowNs - refusedNs >= REFUSAL_INTERVAL_NS)) {
            wasRefused = true;
            refusedNs = nowNs;
            tell(new ReceiverEvent.Refused(this, errno));
        }
        return false;
    }
}
