// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.cnc.ConnectionKey;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.rdma.common.CountersPool;
import io.verbus.rdma.common.ImageCounters;
import io.verbus.rdma.common.LogRegistration;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TransportHost;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The images that peers write, from when a peer begins to their release. Conductor's thread.
 *
 * <p>An image is taken from its peer when that has said that it writes no more (its Close, or its
 * next Setup, follows its last write on the same queue pair), or when its queue pair is destroyed.
 * The log is released when it is deregistered as well, which is done in the background.
 */
final class InboundImages implements AutoCloseable {
    private static final int ENDS_PER_CYCLE = 16;

    private final TransportHost host;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final Queue<ReceiverCommand> commands;
    private final Long2ObjectHashMap<IncomingImage> byId = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<InboundPeer> writers = new Long2ObjectHashMap<>();
    private final ArrayDeque<InboundImage> released = new ArrayDeque<>();
    private final HeldImages held;
    private final ImageMemory memory;
    private final CountersPool<ImageCounters> countersPool;
    private final RdmaPeerErrors complaints;
    private long nowNs;

    /** A held image goes on in another: offers may wait for that. */
    private boolean isAnyReplaced;

    /** What let a peer write an image: told in a later turn, unless it ends meanwhile. */
    interface Outcome {
        /** The peer was told to begin. */
        void onAccepted();

        /** The log cannot be registered: a new image has ended, one that was held is as before. */
        void onRefused(String reason);
    }

    InboundImages(
            TransportHost host,
            RdmaOptions options,
            LogRegistrations registrations,
            Queue<ReceiverCommand> commands,
            RdmaPeerErrors complaints,
            long nowNs) {
        this.host = host;
        countersPool = new CountersPool<>((name, key) -> new ImageCounters(host, name, key), nowNs);
        this.options = options;
        this.registrations = registrations;
        this.commands = commands;
        this.complaints = complaints;
        this.nowNs = nowNs;
        held = new HeldImages(options.maxStreams(), options.resumeTimeoutNs());
        memory = new ImageMemory(options.maxImageMemory(), options.maxTotalImageMemory());
    }

    /** Tells the driver of images that are free: in the duty cycle, never within its own call. */
    int work(long nowNs) {
        this.nowNs = nowNs;
        countersPool.work(nowNs);
        memory.work(nowNs);
        int work = 0;
        HeldImages.Held late;
        while (work < ENDS_PER_CYCLE && (late = held.takeLate(nowNs)) != null) {
            String reason =
                    "its driver has not come back within "
                            + options.resumeTimeoutNs() / 1_000_000
                            + " ms after this: "
                            + late.image().lossReason();
            String host = late.peer().host;
            complaints.record(
                    RdmaPeerErrors.Kind.CUT_OFF,
                    host,
                    "a stream of " + host + " is lost: " + reason);
            lose(late.image(), late.image().offer.description() + " is lost: " + reason);
            work++;
        }
        for (int i = 0; i < ENDS_PER_CYCLE && !released.isEmpty(); i++) {
            host.onImageReleased(released.poll());
            work++;
        }
        return work;
    }

    /** Takes the memory of one more image of a peer's host; null if there is no room for it. */
    ImageMemory.Share take(InboundPeer peer, Setup offer) {
        return memory.take(peer.host, offer.termLength());
    }

    /** The image is not made for which memory was taken. */
    void giveBack(ImageMemory.Share share) {
        memory.giveBack(share, nowNs);
    }

    /** Takes a new image whose peer writes nothing, and ends it. */
    void beginUnwritten(InboundImage image, Setup offer, ImageMemory.Share share, String reason) {
        IncomingImage unwritten = IncomingImage.unwritten(image, offer, share);
        byId.put(image.imageId(), unwritten);
        lose(unwritten, reason);
    }

    /** Lets a peer write a new image, for which it has a share of the memory. */
    void begin(
            InboundPeer peer,
            InboundImage image,
            Setup offer,
            ImageMemory.Share share,
            Outcome outcome) {
        ImageCounters counters;
        try {
            counters =
                    countersPool.take(
                            "rdma image: " + offer.description() + " from " + peer.source,
                            ConnectionKey.ofImage(
                                    peer.source,
                                    offer.sessionId(),
                                    offer.streamId(),
                                    peer.connection.path().device()));
        } catch (BusException e) {
            beginUnwritten(image, offer, share, e.getMessage());
            outcome.onRefused(e.getMessage());
            return;
        }
        write(peer, image, offer, offer.position(), null, share, counters, outcome);
    }

    /** The image that is held for an offer; null if there is none. */
    IncomingImage held(InboundPeer peer, Setup offer) {
        return held.find(peer, offer);
    }

    /** Ends an image that was held. */
    void endHeld(IncomingImage image, String reason) {
        held.remove(image);
        lose(image, reason);
    }

    /** Holds an image no longer. */
    void letGo(IncomingImage image) {
        held.remove(image);
        image.state(IncomingImage.State.UNWRITABLE);
    }

    /** Ends what is held of a session that another driver now offers in its place. */
    void endReplaced(InboundPeer peer, Setup offer) {
        IncomingImage replaced;
        while ((replaced = held.takeReplaced(peer, offer)) != null) {
            lose(replaced, replaced.offer.description() + " has ended: its driver was restarted");
        }
    }

    /** What is known of an image; null if it was closed. */
    IncomingImage of(InboundImage image) {
        return byId.get(image.imageId());
    }

    /** The peer that writes an image. */
    InboundPeer writer(InboundImage image) {
        return writers.get(image.imageId());
    }

    /**
     * The driver says in which image a stream goes on that it has moved: in another, or where it
     * was.
     *
     * @param peer that has offered the stream for that; null of a held image.
     * @param before that nothing writes, as it was then.
     * @param image in which the stream goes on.
     * @param offer of the peer; null of a held image.
     * @param outcome of going on; null of a held image.
     */
    void goOn(
            InboundPeer peer,
            IncomingImage before,
            InboundImage image,
            Setup offer,
            Outcome outcome) {
        switch (before.state()) {
            case MOVED -> {
                takeFrom(peer, before);
                long position =
                        FrontierScanner.scan(image.log(), image.consumedPosition()).position();
                handOver(before, image);
                write(peer, image, offer, position, before, before.share, before.counters, outcome);
            }
            case HELD -> {
                IncomingImage next = IncomingImage.held(image, before);
                handOver(before, image);
                byId.put(image.imageId(), next);
                held.replace(before, next);
                isAnyReplaced = true;
            }
            default -> {
                if (image != before.image) {
                    beginUnwritten(image, before.offer, null, "the stream has ended meanwhile");
                }
            }
        }
    }

    /** The image that a stream was in is only to be closed. */
    private void handOver(IncomingImage before, InboundImage next) {
        if (next != before.image) {
            byId.put(
                    before.image.imageId(),
                    IncomingImage.unwritten(before.image, before.offer, null));
        }
    }

    /** Whether an image is held in another's place since this was last asked. */
    boolean takeReplaced() {
        boolean wasReplaced = isAnyReplaced;
        isAnyReplaced = false;
        return wasReplaced;
    }

    /** Lets a peer write an image that was held, from a position on. */
    void resume(
            InboundPeer peer, IncomingImage image, Setup offer, long position, Outcome outcome) {
        held.remove(image);
        write(peer, image.image, offer, position, image, image.share, image.counters, outcome);
    }

    private void write(
            InboundPeer peer,
            InboundImage image,
            Setup offer,
            long position,
            IncomingImage before,
            ImageMemory.Share share,
            ImageCounters counters,
            Outcome outcome) {
        CreditGrant grant = grant(peer, image, offer, position, before, counters);
        image.window(grant.window());
        LogRegistration registration =
                registrations.of(peer.connection.domain(), image.log(), Access.REMOTE_WRITE);
        IncomingImage incoming =
                IncomingImage.registering(
                        image, peer.driverId, offer, grant, share, registration, counters);
        incoming.awaitResponses(before == null ? null : before.responseSession());
        peer.images.add(incoming);
        byId.put(image.imageId(), incoming);
        writers.put(image.imageId(), peer);
        registration.begin(
                new LogRegistration.Outcome() {
                    @Override
                    public void onRegistered() {
                        accept(peer, incoming, registration.memory());
                        outcome.onAccepted();
                    }

                    @Override
                    public void onRefused(RuntimeException failure) {
                        takeFrom(peer, incoming);
                        if (before == null) {
                            lose(incoming, failure.getMessage());
                        } else {
                            incoming.holdUntil(heldUntil(before), failure.getMessage());
                            held.putBack(incoming, peer);
                        }
                        outcome.onRefused(failure.getMessage());
                    }
                });
    }

    private static CreditGrant grant(
            InboundPeer peer,
            InboundImage image,
            Setup offer,
            long position,
            IncomingImage before,
            ImageCounters counters) {
        RemoteKey key = new RemoteKey(offer.creditKey());
        int window = peer.listener.window(offer.termLength());
        CreditGrant last = before == null ? null : before.grant();
        PlacementProbe placement = peer.link().placement();
        return placement == null
                ? new CreditGrant(
                        image,
                        offer.registrationId(),
                        offer.creditAddress(),
                        key,
                        position,
                        window,
                        last,
                        counters.grants,
                        counters.allBytes)
                : new ConfirmedGrant(
                        image,
                        offer.registrationId(),
                        offer.creditAddress(),
                        key,
                        position,
                        window,
                        last,
                        counters.grants,
                        counters.allBytes,
                        placement);
    }

    /** No longer than before, where it was held before. */
    private long heldUntil(IncomingImage before) {
        return before.lossReason() == null
                ? nowNs + options.resumeTimeoutNs()
                : before.deadlineNs();
    }

    private void accept(InboundPeer peer, IncomingImage incoming, RegisteredMemory log) {
        incoming.state(IncomingImage.State.OPEN);
        reply(
                peer,
                new ReceiverCommand.Accept(
                        incoming.grant(),
                        log.address(),
                        log.remoteKey().value(),
                        peer.listener.groupTag()));
        tellResponseSession(peer, incoming);
    }

    /**
     * Tells the peer that writes an image in which session the responses come: again on each of its
     * connections.
     *
     * @param sessionId of the responses; null if nothing more is to be told.
     * @return the peer's driver id; 0 if it is not known any more.
     */
    long tellResponseSession(InboundImage image, Integer sessionId) {
        IncomingImage incoming = byId.get(image.imageId());
        if (incoming == null) {
            return 0;
        }
        incoming.awaitResponses(sessionId);
        if (incoming.state() == IncomingImage.State.OPEN) {
            tellResponseSession(writers.get(image.imageId()), incoming);
        }
        return incoming.driverId;
    }

    private void tellResponseSession(InboundPeer peer, IncomingImage image) {
        if (image.responseSession() != null) {
            reply(
                    peer,
                    new ReceiverCommand.ResponseSession(
                            image.offer.registrationId(), image.responseSession()));
        }
    }

    /** Ends an image that nothing can write. */
    void lose(IncomingImage image, String reason) {
        image.state(IncomingImage.State.UNWRITABLE);
        host.onImageLost(image.image, reason);
    }

    /**
     * The queue pair of a peer is destroyed, and what it had sent before is read: a stream whose
     * Close had arrived has ended.
     *
     * @param peer that is lost.
     * @param reason in words.
     * @param mayResume whether it may come back.
     * @param nowNs monotonic time.
     */
    void onLost(InboundPeer peer, String reason, boolean mayResume, long nowNs) {
        while (!peer.images.isEmpty()) {
            IncomingImage image = peer.images.getFirst();
            boolean open = image.state() != IncomingImage.State.CLOSING;
            takeFrom(peer, image);
            if (!open) {
                forget(image);
            } else if (!mayResume || !held.hold(image, peer, reason, nowNs)) {
                lose(image, reason);
            }
        }
    }

    /** The peer writes it no more. */
    void takeFrom(InboundPeer peer, IncomingImage image) {
        image.closeLog();
        if (image.isAnswerAwaited()) {
            peer.onClosed();
        }
        image.state(IncomingImage.State.UNWRITABLE);
        peer.images.remove(image);
        writers.remove(image.image.imageId());
    }

    /** The driver has closed it: it is told when the log is free. */
    void forget(IncomingImage image) {
        byId.remove(image.image.imageId());
        if (image.counters != null) {
            countersPool.giveBack(image.counters);
        }
        registrations.whenUnused(image.image.log(), () -> onUnused(image));
    }

    private void onUnused(IncomingImage image) {
        if (image.share != null) {
            memory.giveBack(image.share, nowNs);
        }
        released.add(image.image);
    }

    @Override
    public void close() {
        for (IncomingImage image : byId.values()) {
            if (image.counters != null) {
                image.counters.close();
            }
        }
        countersPool.close();
    }

    private void reply(InboundPeer peer, ReceiverCommand.Answer answer) {
        commands.add(new ReceiverCommand.Reply(peer.link(), answer));
    }
}
