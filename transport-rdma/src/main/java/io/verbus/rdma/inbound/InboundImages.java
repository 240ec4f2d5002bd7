// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.link.Offer;
import io.verbus.rdma.link.RdmaOptions;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TransportException;
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
final class InboundImages {
    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final List<InboundPeer> peers;
    private final Long2ObjectHashMap<IncomingImage> byId = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<InboundPeer> writers = new Long2ObjectHashMap<>();
    private final ArrayDeque<InboundImage> released = new ArrayDeque<>();

    InboundImages(
            TransportHost host,
            RdmaOptions options,
            Queue<ReceiverCommand> commands,
            List<InboundPeer> peers) {
        this.host = host;
        this.options = options;
        this.commands = commands;
        this.peers = peers;
    }

    /** Tells the driver of images that are free: in the duty cycle, never within its own call. */
    int work() {
        int work = 0;
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
        if (written != null && written.state == IncomingImage.State.OPEN
                || peer.deferred(registrationId) != null) {
            return "stream "
                    + offer.streamId()
                    + " session "
                    + offer.sessionId()
                    + " is offered twice";
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
        if (isCarriedElsewhere(peer, registrationId) || !accept(peer, offer)) {
            peer.deferred.add(offer);
            reply(peer, new ReceiverCommand.Defer(registrationId));
        }
        return null;
    }

    /** Whether an older connection of the same driver carries the stream: it has to go first. */
    private boolean isCarriedElsewhere(InboundPeer peer, long registrationId) {
        boolean carried = false;
        for (InboundPeer other : peers) {
            if (other != peer
                    && other.driverId == peer.driverId
                    && other.written(registrationId) != null) {
                other.superseded = true;
                carried = true;
            }
        }
        return carried;
    }

    /** Makes an image of an offer; false if nobody subscribes. An offer that fails is refused. */
    private boolean accept(InboundPeer peer, Offer offer) {
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
            host.onError(e);
            reject(peer, offer, RejectCode.NO_RESOURCES, e.getMessage());
            return true;
        }
        if (image == null) {
            return false;
        }
        LogBuffers log = image.log();
        try {
            RegisteredMemory region =
                    peer.connection
                            .domain()
                            .register(log.address(), log.writableLength(), Access.REMOTE_WRITE);
            IncomingImage incoming = new IncomingImage(image, offer, region);
            peer.images.add(incoming);
            byId.put(image.imageId(), incoming);
            writers.put(image.imageId(), peer);
            CreditGrant grant =
                    new CreditGrant(
                            image,
                            offer.registrationId(),
                            offer.creditAddress(),
                            new RemoteKey(offer.creditKey()),
                            offer.position(),
                            peer.listener.window(offer.termLength()));
            reply(
                    peer,
                    new ReceiverCommand.Accept(
                            grant, region.address(), region.remoteKey().value()));
        } catch (FabricException e) {
            IncomingImage unwritable = new IncomingImage(image, offer, null);
            unwritable.state = IncomingImage.State.UNWRITABLE;
            byId.put(image.imageId(), unwritable);
            host.onError(new TransportException(e.getMessage(), e));
            reject(peer, offer, RejectCode.NO_RESOURCES, e.getMessage());
            host.onImageLost(image, e.getMessage());
        }
        return true;
    }

    /** A peer ends a stream, or answers that an image was closed; null, or what is wrong. */
    String onClose(InboundPeer peer, long registrationId, long finalPosition) {
        Offer offer = peer.deferred(registrationId);
        if (offer != null) {
            peer.deferred.remove(offer);
        }
        IncomingImage written = peer.written(registrationId);
        if (written != null && written.state == IncomingImage.State.CLOSING) {
            release(peer, written);
            return null;
        }
        reply(peer, new ReceiverCommand.ImageClosed(registrationId));
        return written == null ? null : end(peer, written, finalPosition);
    }

    private String end(InboundPeer peer, IncomingImage written, long finalPosition) {
        long marked = written.image.log().metadata().getLongAcquire(LogLayout.END_OF_STREAM);
        if (marked != finalPosition && marked != LogLayout.NOT_ENDED
                || finalPosition < written.offer.position()) {
            return "stream "
                    + written.offer.streamId()
                    + " ends at position "
                    + finalPosition
                    + " but is marked to end at "
                    + marked;
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
        switch (incoming.state) {
            case OPEN -> {
                InboundPeer peer = writers.get(image.imageId());
                incoming.state = IncomingImage.State.CLOSING;
                incoming.deadlineNs = nowNs + options.probeTimeoutNs();
                reply(peer, new ReceiverCommand.ImageClosed(incoming.offer.registrationId()));
            }
            case CLOSING -> {
                // The peer answers.
            }
            case UNWRITABLE -> forget(incoming);
        }
    }

    /** Whether a peer has not answered in time that an image was closed: null, or the words. */
    String late(InboundPeer peer, long nowNs) {
        for (int i = 0; i < peer.images.size(); i++) {
            IncomingImage image = peer.images.get(i);
            if (image.state == IncomingImage.State.CLOSING && nowNs - image.deadlineNs >= 0) {
                return "the peer has not stopped to send stream "
                        + image.offer.streamId()
                        + " within "
                        + options.probeTimeoutNs() / 1_000_000
                        + " ms";
            }
        }
        return null;
    }

    /** The queue pair of a peer is destroyed. */
    void onLost(InboundPeer peer, String reason) {
        while (!peer.images.isEmpty()) {
            IncomingImage image = peer.images.getFirst();
            boolean open = image.state == IncomingImage.State.OPEN;
            takeFrom(peer, image);
            if (open) {
                host.onImageLost(image.image, reason);
            } else {
                forget(image);
            }
        }
    }

    /** Offers again what was put off for want of a subscriber. */
    void offerAgain(InboundListener listener, int streamId) {
        for (InboundPeer peer : peers) {
            if (peer.listener == listener) {
                peer.deferred.removeIf(
                        offer ->
                                offer.streamId() == streamId
                                        && !isCarriedElsewhere(peer, offer.registrationId())
                                        && accept(peer, offer));
            }
        }
    }

    /** An older connection is gone: offers what it kept waiting. */
    void offerSuperseding() {
        for (InboundPeer peer : peers) {
            peer.deferred.removeIf(
                    offer ->
                            !isCarriedElsewhere(peer, offer.registrationId())
                                    && accept(peer, offer));
        }
    }

    private void release(InboundPeer peer, IncomingImage image) {
        takeFrom(peer, image);
        forget(image);
    }

    private void takeFrom(InboundPeer peer, IncomingImage image) {
        image.closeLog();
        image.state = IncomingImage.State.UNWRITABLE;
        peer.images.remove(image);
        writers.remove(image.image.imageId());
    }

    private void forget(IncomingImage image) {
        byId.remove(image.image.imageId());
        released.add(image.image);
    }

    private void reject(InboundPeer peer, Offer offer, RejectCode code, String text) {
        reply(peer, new ReceiverCommand.Reject(offer.registrationId(), code, text));
    }

    private void reply(InboundPeer peer, ReceiverCommand.Answer answer) {
        commands.add(new ReceiverCommand.Reply(peer.link, answer));
    }
}
