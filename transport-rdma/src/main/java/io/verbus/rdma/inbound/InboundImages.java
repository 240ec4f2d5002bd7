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
 * The images that peers write, from the first offer to their release. Used by the conductor's
 * thread.
 *
 * <p>An image is taken from its peer when the peer has confirmed that it no longer writes (its
 * Close, or its next Setup, follows its last write on the same queue pair), or when its queue pair
 * is destroyed. The log is released once it is also deregistered, which happens in the background.
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

    /**
     * Whether a held image was replaced by another image, after which deferred offers are handled
     * again.
     */
    private boolean isAnyReplaced;

    /**
     * Callback for the result of letting a peer write an image. Called in a later turn, unless the
     * image ends in the meantime.
     */
    interface Outcome {
        /** Called when the peer was asked to begin. */
        void onAccepted();

        /**
         * Called when the log cannot be registered: a new image has ended, and a held image is held
         * again.
         */
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

    /**
     * Ends held images whose time has passed, and notifies the driver of released images, but never
     * within one of the driver's own calls.
     */
    int work(long nowNs) {
        this.nowNs = nowNs;
        countersPool.work(nowNs);
        memory.work(nowNs);
        int work = 0;
        HeldImages.Held late;
        while (work < ENDS_PER_CYCLE && (late = held.takeLate(nowNs)) != null) {
            String reason =
                    "its driver has not reconnected within "
                            + options.resumeTimeoutNs() / 1_000_000
                            + " ms after the connection was lost: "
                            + late.image().lossReason();
            String host = late.peer().host;
            complaints.record(
                    RdmaPeerErrors.Kind.CUT_OFF,
                    host,
                    "a stream from " + host + " is lost: " + reason);
            lose(late.image(), late.image().offer.description() + " is lost: " + reason);
            work++;
        }
        for (int i = 0; i < ENDS_PER_CYCLE && !released.isEmpty(); i++) {
            host.onImageReleased(released.poll());
            work++;
        }
        return work;
    }

    /** Takes the memory for another image of a peer's host; returns null if there is no room. */
    ImageMemory.Share take(InboundPeer peer, Setup offer) {
        return memory.take(peer.host, offer.termLength());
    }

    /** Gives back the memory of an image that is not created. */
    void giveBack(ImageMemory.Share share) {
        memory.giveBack(share, nowNs);
    }

    /** Adds a new image that no peer writes, and ends it. */
    void beginUnwritten(InboundImage image, Setup offer, ImageMemory.Share share, String reason) {
        IncomingImage unwritten = IncomingImage.unwritten(image, offer, share);
        byId.put(image.imageId(), unwritten);
        lose(unwritten, reason);
    }

    /** Lets a peer write a new image, whose share of the memory was taken. */
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
        endReplaced(peer, offer); // the loss of its connection may have been noticed meanwhile
        write(peer, image, offer, offer.position(), null, share, counters, outcome);
    }

    /** Returns the image that is held for an offer; null if there is none. */
    IncomingImage held(InboundPeer peer, Setup offer) {
        return held.find(peer, offer);
    }

    /** Ends a held image. */
    void endHeld(IncomingImage image, String reason) {
        held.remove(image);
        lose(image, reason);
    }

    /** Stops holding an image. */
    void letGo(IncomingImage image) {
        held.remove(image);
        image.state(IncomingImage.State.UNWRITABLE);
    }

    /** Ends held images of a session that a different driver now offers. */
    void endReplaced(InboundPeer peer, Setup offer) {
        IncomingImage replaced;
        while ((replaced = held.takeReplaced(peer, offer)) != null) {
            loseReplaced(replaced);
        }
    }

    private void loseReplaced(IncomingImage replaced) {
        lose(
                replaced,
                replaced.offer.description() + " has ended, because its driver was restarted");
    }

    /**
     * Returns whether another driver on the peer's host already writes a newer image of the
     * session: a restarted driver may connect before the loss of the old connection is noticed.
     */
    private boolean isReplaced(InboundPeer peer, IncomingImage image) {
        for (InboundPeer other : writers.values()) {
            for (IncomingImage newer : other.images) {
                if (newer.image.imageId() > image.image.imageId()
                        && HeldImages.isOfAnotherDriver(peer, image.offer, other, newer.offer)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the state of an image; null if it was closed. */
    IncomingImage of(InboundImage image) {
        return byId.get(image.imageId());
    }

    /** Returns the peer that writes an image. */
    InboundPeer writer(InboundImage image) {
        return writers.get(image.imageId());
    }

    /**
     * Continues a moved stream in the image that the driver has named, which may be the same image.
     *
     * @param peer peer that has offered the stream for the move; null for a held image.
     * @param before image that the peer has stopped writing, in its state at that time.
     * @param image image in which the stream continues.
     * @param offer offer of the peer; null for a held image.
     * @param outcome callback for the result; null for a held image.
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
                    beginUnwritten(image, before.offer, null, "the stream ended in the meantime");
                }
            }
        }
    }

    /** Keeps the stream's previous image only until it is closed. */
    private void handOver(IncomingImage before, InboundImage next) {
        if (next != before.image) {
            byId.put(
                    before.image.imageId(),
                    IncomingImage.unwritten(before.image, before.offer, null));
        }
    }

    /** Returns whether an image was replaced since the last call. */
    boolean takeReplaced() {
        boolean wasReplaced = isAnyReplaced;
        isAnyReplaced = false;
        return wasReplaced;
    }

    /** Lets a peer write a held image from a position. */
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

    /**
     * Returns the time until which to hold an image; the time of an image held before is not
     * extended.
     */
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
     * Reports the session id of the responses to the peer that writes an image, again on each
     * connection.
     *
     * @param sessionId session of the responses; null to stop reporting.
     * @return the peer's driver id; 0 if it is no longer known.
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
     * Handles the loss of a peer, after its queue pair was destroyed and its last messages were
     * read: a stream whose Close had arrived has ended.
     *
     * @param peer lost peer.
     * @param reason description of the reason.
     * @param mayResume whether the peer's streams may resume.
     * @param nowNs monotonic time.
     */
    void onLost(InboundPeer peer, String reason, boolean mayResume, long nowNs) {
        while (!peer.images.isEmpty()) {
            IncomingImage image = peer.images.getFirst();
            boolean open = image.state() != IncomingImage.State.CLOSING;
            takeFrom(peer, image);
            if (!open) {
                forget(image);
            } else if (isReplaced(peer, image)) {
                loseReplaced(image);
            } else if (!mayResume || !held.hold(image, peer, reason, nowNs)) {
                lose(image, reason);
            }
        }
    }

    /** Takes an image from a peer that no longer writes it. */
    void takeFrom(InboundPeer peer, IncomingImage image) {
        image.closeLog();
        if (image.isAnswerAwaited()) {
            peer.onClosed();
        }
        image.state(IncomingImage.State.UNWRITABLE);
        peer.images.remove(image);
        writers.remove(image.image.imageId());
    }

    /** Forgets an image closed by the driver, which is notified when the log is free. */
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
