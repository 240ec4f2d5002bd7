// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.ChannelUri;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
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

import org.agrona.BitUtil;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Queue;

/**
 * Where a driver receives, and what it knows of the streams that arrive there. Whoever sends here
 * is not to be trusted: what he can make this side keep or send is bounded.
 */
final class ReceiveEndpoint implements InboundEndpoint {
    private static final int MAX_OFFERS = 16;
    private static final long REFUSAL_NS = 1_000_000_000;
    private static final long ENDED_NS = 10_000_000_000L;

    /**
     * A stream that is not to be offered for a while.
     *
     * @param untilNs when it may be offered again.
     * @param initialTermId of the stream that is meant: another with the same ids has another.
     * @param hasEnded whether it has ended, so that no subscription that comes can want it.
     */
    private record Bar(long untilNs, int initialTermId, boolean hasEnded) {}

    private final DatagramSocket socket;
    private final InetSocketAddress requested;
    private final Group group;
    private final SocketAddress control;
    private final UdpOptions options;
    private final ReceiverCounters counters;
    private final ReceiveBatch incoming;
    private final SendBatch outgoing;
    private final Queue<ReceiverEvent> events;
    private final long receiverId;

    // Conductor's
    private Integer window;
    private Boolean reliable;
    private Long groupTag;
    private int users;
    private int detaching;

    // Receiver's
    private final IntHashSet streams = new IntHashSet();
    private final Long2ObjectHashMap<ReceiveImage> byKey = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Bar> bars = new Long2ObjectHashMap<>();
    private final LongHashSet offers = new LongHashSet();
    private final SetupRequests requests = new SetupRequests();
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.LENGTH));
    private ReceiveImage[] images = new ReceiveImage[0];
    private long refusedNs;
    private boolean wasRefused;

    ReceiveEndpoint(
            DatagramSocket socket,
            InetSocketAddress requested,
            Group group,
            UdpOptions options,
            ReceiverCounters counters,
            ReceiverAgent agent,
            Queue<ReceiverEvent> events,
            long receiverId) {
        this.socket = socket;
        this.requested = requested;
        this.group = group;
        this.control = group == null ? null : new SocketAddress(group.control());
        this.options = options;
        this.counters = counters;
        this.incoming = agent.incoming();
        this.outgoing = agent.outgoing();
        this.events = events;
        this.receiverId = receiverId;
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
        Integer newWindow =
                channel.window().isPresent() ? (Integer) channel.window().getAsInt() : window;
        Boolean newReliable = channel.hasReliable() ? (Boolean) channel.isReliable() : reliable;
        if (window != null && !window.equals(newWindow)) {
            throw differs("window", newWindow, window);
        }
        if (reliable != null && !reliable.equals(newReliable)) {
            throw differs("reliable", newReliable, reliable);
        }
        Long newTag =
                channel.groupTag().isPresent() ? (Long) channel.groupTag().getAsLong() : groupTag;
        if (groupTag != null && !groupTag.equals(newTag)) {
            throw differs("gtag", newTag, groupTag);
        }
        window = newWindow;
        reliable = newReliable;
        groupTag = newTag;
        users++;
    }

    private TransportException differs(String key, Object value, Object other) {
        return new TransportException(
                key
                        + " "
                        + value
                        + " differs from "
                        + other
                        + " of another subscription at "
                        + description()
                        + ": use one "
                        + key
                        + " for all subscriptions at an endpoint");
    }

    /** A subscription goes; whether it was the last. */
    boolean leave() {
        users--;
        if (users > 0) {
            return false;
        }
        window = null;
        reliable = null;
        groupTag = null;
        detaching++;
        return true;
    }

    /** The receiver has let go once; whether it is for good. */
    boolean onDetached() {
        detaching--;
        return detaching == 0 && users == 0;
    }

    /** Whether the receiver is to use it again, having been told to let go. */
    boolean isReopened() {
        return users == 1;
    }

    boolean isReliable() {
        return reliable == null || reliable;
    }

    /** Tag of the subscriptions here, or null. */
    Long groupTag() {
        return groupTag;
    }

    /** Bytes that may be sent past the consumption position of an image. */
    int window(int termLength, int mtu) {
        return Math.min(Math.max(preferredWindow(), mtu), termLength / 2);
    }

    int preferredWindow() {
        return window == null ? options.window() : window;
    }

    int receiveBuffer(int bytes) {
        return socket.receiveBuffer(bytes);
    }

    void close() {
        socket.close();
    }

    boolean isGroup() {
        return group != null;
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
        streams.add(streamId);
        bars.values().removeIf(bar -> !bar.hasEnded());
    }

    void accept(ReceiveImage image) {
        offers.remove(image.key());
        byKey.put(image.key(), image);
        rebuildArray();
    }

    void refuse(int streamId, int sessionId, long nowNs) {
        long key = key(streamId, sessionId);
        offers.remove(key);
        bar(key, new Bar(nowNs + REFUSAL_NS, 0, false), nowNs);
    }

    private void bar(long key, Bar bar, long nowNs) {
        if (bars.size() >= options.maxImages()) {
            bars.values().removeIf(old -> nowNs - old.untilNs() >= 0);
        }
        if (bars.size() < options.maxImages()) {
            bars.put(key, bar);
        }
    }

    private boolean isBarred(long key, long nowNs) {
        Bar bar = bars.get(key);
        return bar != null && nowNs - bar.untilNs() < 0;
    }

    /** Lets go of an image, if it is here. */
    void remove(ReceiveImage image, long nowNs) {
        if (byKey.get(image.key()) != image) {
            return;
        }
        image.sendLeave();
        take(image);
        long barredNs = image.hasEnded() ? ENDED_NS : REFUSAL_NS;
        bar(image.key(), new Bar(nowNs + barredNs, image.initialTermId(), image.hasEnded()), nowNs);
    }

    private void take(ReceiveImage image) {
        byKey.remove(image.key());
        rebuildArray();
    }

    private void rebuildArray() {
        images = byKey.values().toArray(new ReceiveImage[0]);
    }

    /** Lets go of all: nobody subscribes here any more. */
    void clear() {
        for (ReceiveImage image : images) {
            image.sendLeave();
        }
        byKey.clear();
        bars.clear();
        offers.clear();
        streams.clear();
        rebuildArray();
    }

    /**
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(long nowNs) {
        int count = incoming.receive(socket.fd());
        for (int i = 0; i < count; i++) {
            if (!onDatagram(i, incoming.buffer(i), incoming.length(i), nowNs)) {
                counters.invalid.incrementRelease();
            }
        }
        int work = count;
        ReceiveImage[] all = images;
        for (int i = 0; i < all.length; i++) {
            work += all[i].work(nowNs);
            String lost = all[i].lost(nowNs);
            if (lost != null) {
                take(all[i]);
                bar(all[i].key(), new Bar(nowNs + REFUSAL_NS, 0, false), nowNs);
                tell(new ReceiverEvent.Lost(all[i], lost));
            }
        }
        return work;
    }

    /** Takes a datagram; false if no sender sends such. */
    private boolean onDatagram(int index, UnsafeBuffer datagram, int length, long nowNs) {
        if (length < Frames.COMMON_LENGTH || Frames.version(datagram, 0) != Frames.VERSION) {
            return false;
        }
        return switch (Frames.type(datagram)) {
            case FrameHeader.TYPE_DATA, FrameHeader.TYPE_PAD ->
                    length >= FrameHeader.LENGTH && onData(index, datagram, length, nowNs);
            case Frames.SETUP -> length >= SetupFrame.LENGTH && onSetup(index, datagram, nowNs);
            case Frames.RTT -> length >= RttFrame.LENGTH;
            case Frames.ERROR, Frames.STATUS, Frames.NAK -> true;
            default -> false;
        };
    }

    private boolean onData(int index, UnsafeBuffer datagram, int length, long nowNs) {
        int streamId = datagram.getInt(FrameHeader.STREAM_ID);
        int sessionId = datagram.getInt(FrameHeader.SESSION_ID);
        long key = key(streamId, sessionId);
        ReceiveImage image = byKey.get(key);
        if (image != null) {
            return image.onData(datagram, length, incoming.source(index), nowNs);
        }
        boolean hasEnded = (Frames.flags(datagram, 0) & Frames.FLAG_END_OF_STREAM) != 0;
        if (!hasEnded
                && streams.contains(streamId)
                && !offers.contains(key)
                && !isBarred(key, nowNs)
                && requests.mayAsk(key, nowNs)) {
            StatusFrame.write(
                    frame,
                    StatusFrame.FLAG_SEND_SETUP,
                    sessionId,
                    streamId,
                    datagram.getInt(FrameHeader.TERM_ID),
                    datagram.getInt(FrameHeader.TERM_OFFSET),
                    0,
                    receiverId);
            send(replyTo(incoming.source(index)), frame, StatusFrame.LENGTH);
        }
        return true;
    }

    private boolean onSetup(int index, UnsafeBuffer setup, long nowNs) {
        int streamId = SetupFrame.streamId(setup);
        int sessionId = SetupFrame.sessionId(setup);
        long key = key(streamId, sessionId);
        ReceiveImage image = byKey.get(key);
        if (image != null) {
            image.onSetup(incoming.source(index), nowNs);
            return true;
        }
        int initialTermId = SetupFrame.initialTermId(setup);
        if (!streams.contains(streamId) || offers.contains(key)) {
            return true;
        }
        Bar bar = bars.get(key);
        if (bar != null
                && nowNs - bar.untilNs() < 0
                && (!bar.hasEnded() || bar.initialTermId() == initialTermId)) {
            return true;
        }
        if (offers.size() >= MAX_OFFERS || byKey.size() + offers.size() >= options.maxImages()) {
            counters.setupsRefused.incrementRelease();
            return true;
        }
        return offer(index, setup, streamId, sessionId, initialTermId);
    }

    private boolean offer(
            int index, UnsafeBuffer setup, int streamId, int sessionId, int initialTermId) {
        int termLength = SetupFrame.termLength(setup);
        int termOffset = SetupFrame.termOffset(setup);
        int termCount = SetupFrame.activeTermId(setup) - initialTermId;
        int mtu = SetupFrame.mtu(setup);
        if (termLength < LogLayout.MIN_TERM_LENGTH
                || termLength > LogLayout.MAX_TERM_LENGTH
                || !BitUtil.isPowerOfTwo(termLength)
                || termCount < 0
                || termOffset < 0
                || termOffset >= termLength
                || termOffset % FrameHeader.ALIGNMENT != 0
                || mtu < LogSpec.MIN_MTU
                || mtu > LogSpec.MAX_MTU
                || mtu % FrameHeader.ALIGNMENT != 0) {
            return false;
        }
        SocketAddress source = new SocketAddress();
        source.set(incoming.source(index));
        offers.add(key(streamId, sessionId));
        tell(
                new ReceiverEvent.Offered(
                        this,
                        source,
                        sessionId,
                        streamId,
                        initialTermId,
                        termLength,
                        mtu,
                        ((long) termCount << LogLayout.positionBitsToShift(termLength))
                                + termOffset));
        return true;
    }

    /** Sends a frame; false if the kernel does not take it. */
    boolean send(SocketAddress receiver, UnsafeBuffer control, int length) {
        outgoing.add(receiver, control.addressOffset(), length);
        if (outgoing.send(socket.fd()) > 0) {
            return true;
        }
        counters.shortSends.incrementRelease();
        int errno = outgoing.errno();
        long nowNs = System.nanoTime();
        if (errno != 0 && (!wasRefused || nowNs - refusedNs >= REFUSAL_NS)) {
            wasRefused = true;
            refusedNs = nowNs;
            tell(new ReceiverEvent.Refused(this, errno));
        }
        return false;
    }
}
