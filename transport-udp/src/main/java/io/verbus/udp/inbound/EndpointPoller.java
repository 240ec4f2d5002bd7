// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.socket.SourceFilter;
import io.verbus.udp.wire.ErrorFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.function.LongConsumer;

/** The receiver's part of an endpoint: its duty cycle, and the images that it fills. */
final class EndpointPoller {
    private final DatagramSocket socket;
    private final ReceiveBatch incoming;
    private final MediaTimes times;
    private final SourceFilter allowed;
    private final ControlSender sender;
    private final Queue<ReceiverEvent> events;
    private final long receiverId;

    /** Control address at which to request a publication's streams; null if there is none. */
    private final SocketAddress asked;

    private final AwaitedStreams awaited;
    private final LongConsumer askForResponses = this::askForResponses;
    private final long askIntervalNs;
    private final ReceiverCounters counters;
    private final StreamAdmission admission;
    private final Rejections rejections;
    private final Long2ObjectHashMap<ReceiveImage> byKey = new Long2ObjectHashMap<>();
    final FrameDispatcher dispatcher;
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(ErrorFrame.MAX_LENGTH));
    private ReceiveImage[] images = new ReceiveImage[0];
    private boolean isAttached;

    /** Whether a subscription accepts any session, so that all streams are requested. */
    private boolean isListening;

    private boolean isAskDue;
    private long askedNs;

    /** Time of the current duty cycle. */
    private long turnNs;

    /** Called by the conductor's thread; all other methods are called by the receiver's thread. */
    EndpointPoller(
            UdpEndpoint endpoint,
            DatagramSocket socket,
            ReceiveBatch incoming,
            ControlSender sender,
            UdpOptions options,
            ReceiverCounters counters,
            Queue<ReceiverEvent> events) {
        this.socket = socket;
        this.incoming = incoming;
        times =
                new MediaTimes(
                        endpoint, socket, incoming, counters, events, options.adapterTimestamps());
        allowed = new SourceFilter(options.allow(), counters.notAllowed);
        this.sender = sender;
        this.counters = counters;
        this.events = events;
        receiverId = endpoint.receiverId();
        asked = endpoint.isAsking() ? endpoint.control() : null;
        awaited = new AwaitedStreams(options.statusIntervalNs());
        askIntervalNs = options.statusIntervalNs();
        admission = new StreamAdmission(options.maxImages());
        rejections = new Rejections(endpoint, options.maxImages(), options.imageTimeoutNs());
        dispatcher =
                new FrameDispatcher(
                        endpoint, byKey, admission, rejections, sender, counters, events);
    }

    /** Attaches the endpoint. */
    void attach() {
        isAttached = true;
    }

    /** Detaches the endpoint and its images, because no subscription is left. */
    void detach(long nowNs) {
        isAttached = false;
        isListening = false;
        for (ReceiveImage image : images) {
            image.leave(nowNs);
        }
        byKey.clear();
        admission.clear();
        awaited.clear();
        rejections.clear();
        listImages();
    }

    /** Adds a subscription to a stream. */
    void listen(int streamId) {
        admission.listen(streamId);
        isListening = true;
        isAskDue = true;
    }

    /** Requests a stream of responses while it has no image. */
    void await(int streamId, int sessionId) {
        admission.listen(streamId);
        awaited.add(ReceiveImage.key(streamId, sessionId));
    }

    /** Stops requesting a stream of responses. */
    void forget(int streamId, int sessionId) {
        awaited.remove(ReceiveImage.key(streamId, sessionId));
    }

    /** Changes the control address of the publication. */
    void move(SocketAddress to) {
        if (asked != null) {
            asked.set(to);
        }
        dispatcher.move(to);
        isAskDue = true;
    }

    /** Adds an image, unless the endpoint was detached in the meantime. */
    void accept(ReceiveImage image) {
        if (isAttached) {
            admission.accepted(image.key());
            byKey.put(image.key(), image);
            listImages();
        }
    }

    /** Records that the conductor does not want an offered stream. */
    void refuse(int streamId, int sessionId, long nowNs) {
        admission.refused(ReceiveImage.key(streamId, sessionId), nowNs);
    }

    /** Tells a sender why its stream cannot have an image. */
    void fail(ReceiverCommand.Fail fail, long nowNs) {
        if (isAttached) {
            byte[] reason = fail.reason();
            int length =
                    ErrorFrame.write(
                            frame,
                            fail.sessionId(),
                            fail.streamId(),
                            receiverId,
                            ErrorFrame.STORAGE_SPACE,
                            reason,
                            Math.min(reason.length, ErrorFrame.MAX_TEXT));
            if (sender.send(fail.sender(), frame, length, nowNs)) {
                counters.errorFrames.incrementRelease();
            }
        }
    }

    /**
     * Removes an image if it is still there, and tells its sender that this receiver leaves, or why
     * a subscriber rejected the image.
     */
    void remove(ReceiveImage image, String rejection, long nowNs) {
        if (byKey.get(image.key()) == image) {
            if (rejection == null) {
                image.leave(nowNs);
            } else {
                rejections.add(image.key(), rejection, nowNs);
                image.tell(rejections, nowNs);
            }
            take(image);
            admission.closed(image.key(), image.initialTermId(), image.hasEnded(), nowNs);
        }
    }

    /** Removes an image once its sender is quiet. */
    void stop(ReceiveImage image, long nowNs) {
        if (byKey.get(image.key()) == image) {
            image.stop(nowNs);
        } else {
            events.add(new ReceiverEvent.Released(image));
        }
    }

    private void take(ReceiveImage image) {
        byKey.remove(image.key());
        listImages();
    }

    private void listImages() {
        images = byKey.values().toArray(new ReceiveImage[0]);
    }

    /**
     * Runs the duty cycle.
     *
     * @return work count.
     */
    int work(long nowNs) {
        int work = incoming.receive(socket);
        for (int i = 0; i < work; i++) {
            if (!incoming.isLost(i) && isAllowed(i, nowNs)) {
                dispatcher.onDatagram(
                        incoming.buffer(i),
                        incoming.length(i),
                        incoming.source(i),
                        times.of(i),
                        nowNs);
            }
        }
        ReceiveImage[] all = images;
        if (asked != null) {
            ask(all.length, nowNs);
        }
        for (int i = 0; i < all.length; i++) {
            work += all[i].work(nowNs);
            String lost = all[i].lost(nowNs);
            if (lost != null) {
                take(all[i]);
                admission.lost(all[i].key(), nowNs);
                events.add(new ReceiverEvent.Lost(all[i], lost));
                if (all[i].isStopping()) {
                    events.add(new ReceiverEvent.Released(all[i]));
                }
            } else if (all[i].isStopped(nowNs)) {
                take(all[i]);
                admission.closed(all[i].key(), all[i].initialTermId(), all[i].hasEnded(), nowNs);
                events.add(new ReceiverEvent.Released(all[i]));
            }
        }
        return work;
    }

    private boolean isAllowed(int index, long nowNs) {
        if (allowed.admits(incoming, index)) {
            return true;
        }
        if (allowed.isReportDue(nowNs)) {
            events.add(new ReceiverEvent.NotAllowed(incoming.source(index).host()));
        }
        return false;
    }

    /**
     * Requests the setups of all streams of the publication together, and the setups of responses
     * one by one.
     */
    private void ask(int imageCount, long nowNs) {
        turnNs = nowNs;
        if (isListening && (isAskDue || imageCount == 0 && nowNs - askedNs >= askIntervalNs)) {
            isAskDue = false;
            askedNs = nowNs;
            askFor(0, 0);
        }
        awaited.ask(byKey, askForResponses, nowNs);
    }

    private void askForResponses(long key) {
        askFor((int) key, (int) (key >> Integer.SIZE));
    }

    private void askFor(int sessionId, int streamId) {
        StatusFrame.write(
                frame, StatusFrame.FLAG_SEND_SETUP, sessionId, streamId, 0, 0, 0, receiverId);
        if (sender.send(asked, frame, StatusFrame.LENGTH, turnNs)) {
            counters.statusMessages.incrementRelease();
        }
    }
}
