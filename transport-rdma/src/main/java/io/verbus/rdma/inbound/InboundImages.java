// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.link.Complaints;
import io.verbus.rdma.link.CountersPool;
import io.verbus.rdma.link.ImageCounters;
import io.verbus.rdma.link.Offer;
import io.verbus.rdma.link.RdmaOptions;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TransportHost;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The images that peers write, from a peer's offer to their release. Conductor's thread.
 *
 * <p>An image's log is released only when nothing can write it: the peer has said so (its Close, or
 * its next Setup, follows its last write on the same queue pair), or its queue pair is destroyed.
 */
final class InboundImages implements AutoCloseable {
    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final List<InboundPeer> peers;
    private final Long2ObjectHashMap<IncomingImage> byId = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<InboundPeer> writers = new Long2ObjectHashMap<>();
    private final ArrayDeque<InboundImage> released = new ArrayDeque<>();
    private final HeldImages held;
    private final ImageMemory memory;
    private final CountersPool<ImageCounters> countersPool;
    private final Complaints complaints;
    private long nowNs;

    InboundImages(
            TransportHost host,
            RdmaOptions options,
            Queue<ReceiverCommand> commands,
            List<InboundPeer> peers,
            Complaints complaints,
            long nowNs) {
        this.host = host;
        this.nowNs = nowNs;
        countersPool = new CountersPool<>(name -> new ImageCounters(host, name), nowNs);
        this.options = options;
        this.commands = commands;
        this.peers = peers;
        this.complaints = complaints;
        held = new HeldImages(options.maxStreams(), options.resumeTimeoutNs());
        memory = new ImageMemory(options.maxImageMemory());
    }

    /** Tells the driver of images that are free: in the duty cycle, never within its own call. */
    int work(long now) {
        nowNs = now;
        countersPool.work(now);
        int work = 0;
        IncomingImage late;
        while ((late = held.takeLate(nowNs)) != null) {
            String reason =
                    describe(late.offer)
                            + " is lost: its driver has not come back within "
                            + options.resumeTimeoutNs() / 1_000_000
                            + " ms after this: "
                            + late.lossReason;
            complaints.record(reason, nowNs);
            lose(late, reason);
            work++;
        }
        while (!released.isEmpty()) {
            host.onImageReleased(released.poll());
            work++;
        }
        return work;
    }

    /** A peer offers a stream; returns null, or how that breaks the protocol. */
    String onOffer(InboundPeer peer, Offer offer) {
        long registrationId = offer.registrationId();
        IncomingImage written = peer.written(registrationId);
        if (written != null && written.state() == IncomingImage.State.OPEN
                || peer.deferred(registrationId) != null) {
            return describe(offer) + " is offered twice";
        }
        if (written != null) {
            // The peer offers anew because it has stopped to write the image that was closed.
            release(peer, written);
        }
        if (peer.deferred.size() + peer.images.size() >= options.maxStreams()) {
            reject(
                    peer,
                    offer,
                    RejectCode.NO_RESOURCES,
                    "too many streams: raise rdma.max-streams above " + options.maxStreams());
            return null;
        }
        if (isCarriedElsewhere(peer, offer) || !resume(peer, offer) && !accept(peer, offer)) {
            peer.deferred.add(offer);
            reply(peer, new ReceiverCommand.Defer(registrationId));
        }
        return null;
    }

    /** Whether an older connection of the same driver carries the stream: it has to go first. */
    private boolean isCarriedElsewhere(InboundPeer peer, Offer offer) {
        boolean carried = false;
        for (InboundPeer other : peers) {
            if (other != peer && other.driverId == peer.driverId) {
                IncomingImage written = other.written(offer.registrationId());
                if (written != null && written.offer.resumeToken() == offer.resumeToken()) {
                    other.superseded = true;
                    carried = true;
                }
            }
        }
        return carried;
    }

    /** Goes on with the image that is held for an offer; false if the offer is of a new one. */
    private boolean resume(InboundPeer peer, Offer offer) {
        IncomingImage replaced;
        while ((replaced = held.takeReplaced(peer, offer)) != null) {
            lose(replaced, describe(replaced.offer) + " has ended: its driver was restarted");
        }
        IncomingImage image = held.take(peer, offer);
        if (image == null) {
            if (offer.isResuming()) {
                reject(peer, offer, RejectCode.NO_IMAGE, "the image has ended");
            }
            return offer.isResuming();
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(image.image.log(), image.image.consumedPosition());
        if (frontier.defect() != null || !offer.isOfSameStream(image.offer)) {
            lose(image, describe(offer) + " does not go on: what was received is damaged");
            reject(peer, offer, RejectCode.NO_IMAGE, "the image is damaged");
            return true;
        }
        if (write(peer, image.image, offer, frontier.position(), image.grant(), image.counters)) {
            peer.counters.resumes.incrementRelease();
            image.counters.resumes.incrementRelease();
        }
        return true;
    }

    /** Makes an image of an offer; false if nobody subscribes. An offer that fails is refused. */
    private boolean accept(InboundPeer peer, Offer offer) {
        if (!memory.hasRoom(peer.host, offer.termLength())) {
            complaints.record(
                    "the streams of "
                            + peer.host
                            + " take more memory than rdma.max-image-memory: raise it, or shorten"
                            + " their term-length",
                    nowNs);
            reject(
                    peer,
                    offer,
                    RejectCode.NO_RESOURCES,
                    "too much memory: raise" + " rdma.max-image-memory, or shorten term-length");
            return true;
        }
        InboundImage image;
        try {
            image =
                    host.onSetup(
                            peer.listener,
                            new ImageSetup(
                                    offer.sessionId(),
                                    offer.streamId(),
                                    offer.initialTermId(),
                                    offer.termLength(),
                                    offer.mtu(),
                                    offer.position(),
                                    peer.source));
        } catch (BusException e) {
            complaints.record(e.getMessage(), nowNs);
            reject(peer, offer, RejectCode.NO_RESOURCES, e.getMessage());
            return true;
        }
        if (image == null) {
            return false;
        }
        memory.take(peer.host, image.imageId(), offer.termLength());
        write(peer, image, offer, offer.position(), null, null);
        return true;
    }

    /** Lets a peer write an image from a position on; whether it can. */
    private boolean write(
            InboundPeer peer,
            InboundImage image,
            Offer offer,
            long position,
            CreditGrant before,
            ImageCounters countersBefore) {
        LogBuffers log = image.log();
        ImageCounters counters = countersBefore;
        try {
            if (counters == null) {
                counters =
                        countersPool.take(
                                "rdma image: " + describe(offer) + " from " + peer.source);
            }
            RegisteredMemory region =
                    peer.connection
                            .domain()
                            .register(log.address(), log.writableLength(), Access.REMOTE_WRITE);
            CreditGrant grant =
                    new CreditGrant(
                            image,
                            offer.registrationId(),
                            offer.creditAddress(),
                            new RemoteKey(offer.creditKey()),
                            position,
                            peer.listener.window(offer.termLength()),
                            before,
                            counters.grants);
            IncomingImage incoming = new IncomingImage(image, offer, grant, region, counters);
            peer.images.add(incoming);
            byId.put(image.imageId(), incoming);
            writers.put(image.imageId(), peer);
            reply(
                    peer,
                    new ReceiverCommand.Accept(
                            grant,
                            region.address(),
                            region.remoteKey().value(),
                            peer.listener.groupTag()));
            return true;
        } catch (FabricException | BusException e) {
            IncomingImage unwritable = new IncomingImage(image, offer, null, null, counters);
            byId.put(image.imageId(), unwritable);
            complaints.record(e.getMessage(), nowNs);
            reject(peer, offer, RejectCode.NO_RESOURCES, e.getMessage());
            lose(unwritable, e.getMessage());
            return false;
        }
    }

    /** Ends an image that nothing can write. */
    private void lose(IncomingImage image, String reason) {
        image.state(IncomingImage.State.UNWRITABLE);
        host.onImageLost(image.image, reason);
    }

    private static String describe(Offer offer) {
        return "stream " + offer.streamId() + " session " + offer.sessionId();
    }

    /** A peer ends a stream, or answers that an image was closed; null, or what is wrong. */
    String onClose(InboundPeer peer, long registrationId, long finalPosition) {
        Offer offer = peer.deferred(registrationId);
        if (offer != null) {
            peer.deferred.remove(offer);
        }
        IncomingImage written = peer.written(registrationId);
        if (written != null && written.state() == IncomingImage.State.CLOSING) {
            release(peer, written);
            return null;
        }
        reply(peer, new ReceiverCommand.ImageClosed(registrationId));
        return written == null ? null : end(peer, written, finalPosition);
    }

    private String end(InboundPeer peer, IncomingImage written, long finalPosition) {
        long marked = endOfStream(written);
        if (marked != LogLayout.NOT_ENDED && (marked != finalPosition || !hasEnded(written))) {
            return "stream "
                    + written.offer.streamId()
                    + " ends at position "
                    + finalPosition
                    + " but is marked to end at "
                    + marked
                    + ", and what was received ends elsewhere";
        }
        takeFrom(peer, written);
        if (marked == finalPosition) {
            host.onImageEnding(written.image, finalPosition);
        } else {
            host.onImageLost(written.image, "the publication was closed before it was connected");
        }
        return null;
    }

    /** The driver wants an image closed. */
    void close(InboundImage image, String reason, long nowNs) {
        IncomingImage incoming = byId.get(image.imageId());
        if (incoming == null) {
            return;
        }
        switch (incoming.state()) {
            case OPEN -> {
                InboundPeer peer = writers.get(image.imageId());
                incoming.state(IncomingImage.State.CLOSING);
                peer.closing++;
                incoming.deadlineNs = nowNs + options.probeTimeoutNs();
                reply(peer, new ReceiverCommand.ImageClosed(incoming.offer.registrationId()));
            }
            case CLOSING -> {
                // The peer answers.
            }
            case HELD -> {
                held.remove(incoming);
                forget(incoming);
            }
            case UNWRITABLE -> forget(incoming);
        }
    }

    /** Whether a peer has not answered in time that an image was closed: null, or the words. */
    String late(InboundPeer peer, long nowNs) {
        if (peer.closing == 0) {
            return null;
        }
        for (int i = 0; i < peer.images.size(); i++) {
            IncomingImage image = peer.images.get(i);
            if (image.state() == IncomingImage.State.CLOSING && nowNs - image.deadlineNs >= 0) {
                return "the peer has not stopped to send stream "
                        + image.offer.streamId()
                        + " within "
                        + options.probeTimeoutNs() / 1_000_000
                        + " ms";
            }
        }
        return null;
    }

    /**
     * The queue pair of a peer is destroyed. A stream whose end is in place has ended, though its
     * Close was not read: to the peer that sent it, it had arrived.
     *
     * @param peer that is lost.
     * @param reason in words.
     * @param mayResume whether it may come back.
     * @param nowNs monotonic time.
     */
    void onLost(InboundPeer peer, String reason, boolean mayResume, long nowNs) {
        while (!peer.images.isEmpty()) {
            IncomingImage image = peer.images.getFirst();
            boolean open = image.state() == IncomingImage.State.OPEN;
            takeFrom(peer, image);
            if (!open) {
                forget(image);
            } else if (hasEnded(image)) {
                host.onImageEnding(image.image, endOfStream(image));
            } else if (!mayResume || !held.hold(image, peer, reason, nowNs)) {
                lose(image, reason);
            }
        }
    }

    private static boolean hasEnded(IncomingImage image) {
        long end = endOfStream(image);
        if (end == LogLayout.NOT_ENDED) {
            return false;
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(image.image.log(), image.image.consumedPosition());
        return frontier.defect() == null && frontier.position() == end;
    }

    private static long endOfStream(IncomingImage image) {
        return image.image.log().metadata().getLongAcquire(LogLayout.END_OF_STREAM);
    }

    /**
     * A subscriber has come: asks for what was put off for want of one. It is offered anew, because
     * the stream may have gone on meanwhile.
     */
    void offerAgain(InboundListener listener, int streamId) {
        for (InboundPeer peer : peers) {
            if (peer.listener == listener) {
                peer.deferred.removeIf(
                        offer -> offer.streamId() == streamId && isAskedFor(peer, offer));
            }
        }
    }

    private boolean isAskedFor(InboundPeer peer, Offer offer) {
        if (isCarriedElsewhere(peer, offer)) {
            return false;
        }
        reply(peer, new ReceiverCommand.Wanted(offer.registrationId()));
        return true;
    }

    /** An older connection is gone: offers what it kept waiting. */
    void offerSuperseding() {
        for (InboundPeer peer : peers) {
            peer.deferred.removeIf(offer -> isAnswered(peer, offer));
        }
    }

    private boolean isAnswered(InboundPeer peer, Offer offer) {
        return !isCarriedElsewhere(peer, offer) && (resume(peer, offer) || accept(peer, offer));
    }

    private void release(InboundPeer peer, IncomingImage image) {
        takeFrom(peer, image);
        forget(image);
    }

    private void takeFrom(InboundPeer peer, IncomingImage image) {
        image.closeLog();
        peer.closing -= image.state() == IncomingImage.State.CLOSING ? 1 : 0;
        image.state(IncomingImage.State.UNWRITABLE);
        peer.images.remove(image);
        writers.remove(image.image.imageId());
    }

    private void forget(IncomingImage image) {
        byId.remove(image.image.imageId());
        memory.free(image.image.imageId());
        if (image.counters != null) {
            countersPool.giveBack(image.counters);
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

    private void reject(InboundPeer peer, Offer offer, RejectCode code, String text) {
        reply(peer, new ReceiverCommand.Reject(offer.registrationId(), code, text));
    }

    private void reply(InboundPeer peer, ReceiverCommand.Answer answer) {
        commands.add(new ReceiverCommand.Reply(peer.link, answer));
    }
}
