// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.rdma.common.ImageCounters;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.Setup;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;
import io.verbus.transport.SetupAnswer;
import io.verbus.transport.TransportHost;

import java.util.Queue;
import java.util.SortedSet;
import java.util.stream.Collectors;

/**
 * Answers peers' offers: creates an image, resumes the image held for the stream, defers the offer,
 * or rejects it. Used by the conductor's thread.
 */
final class InboundSetups {
    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final InboundPeers peers;
    private final InboundImages images;
    private final ImageEnds ends;
    private final ImageMoves moves;
    private final RdmaPeerErrors complaints;

    /**
     * @param host the driver, which creates images.
     * @param options options of the transport.
     * @param commands queue of commands to the receiver.
     * @param peers connected peers.
     * @param images images of the peers.
     * @param ends ends of images.
     * @param moves moves of images.
     * @param complaints error records of peers.
     */
    InboundSetups(
            TransportHost host,
            RdmaOptions options,
            Queue<ReceiverCommand> commands,
            InboundPeers peers,
            InboundImages images,
            ImageEnds ends,
            ImageMoves moves,
            RdmaPeerErrors complaints) {
        this.host = host;
        this.options = options;
        this.commands = commands;
        this.peers = peers;
        this.images = images;
        this.ends = ends;
        this.moves = moves;
        this.complaints = complaints;
    }

    /** Handles a peer's offer; returns a description of its protocol violation, or null. */
    String onOffer(InboundPeer peer, Setup offer) {
        long registrationId = offer.registrationId();
        peer.forgetDeferred(registrationId);
        IncomingImage written = peer.written(registrationId);
        if (written != null
                && written.state() == IncomingImage.State.MOVING
                && offer.isResuming()) {
            return moves.onOffer(peer, written, offer, resumed(peer, offer, null));
        }
        if (written != null && written.state() != IncomingImage.State.CLOSING
                || peer.deferred(registrationId) != null
                || peer.pending(registrationId) != null) {
            return offer.description() + " was offered twice";
        }
        if (written != null) {
            // The peer offers the stream again because it has stopped writing the closed image.
            ends.release(peer, written);
        }
        if (peer.deferred.size() + peer.pending.size() + peer.images.size()
                >= options.maxStreams()) {
            reject(
                    peer,
                    offer,
                    RejectCode.NO_RESOURCES,
                    "too many streams for the receiving driver: raise that driver's"
                            + " rdma.max-streams above "
                            + options.maxStreams());
            return null;
        }
        if (!isAnswered(peer, offer)) {
            defer(peer, offer);
        }
        return null;
    }

    /**
     * Defers an offer, and tells the peer's operators which streams have subscriptions instead. The
     * peer is not notified again if it knows that the offer waits.
     */
    private void defer(InboundPeer peer, Setup offer) {
        peer.deferred.add(offer);
        if (!peer.markDeferred(offer.registrationId())) {
            return;
        }
        SortedSet<Integer> streams =
                host.streamsInsteadOf(peer.listener, offer.streamId(), offer.sessionId());
        String text =
                streams == null
                        ? null
                        : streams.stream().map(String::valueOf).collect(Collectors.joining(", "));
        reply(peer, new ReceiverCommand.Defer(offer.registrationId(), text));
    }

    /**
     * Returns false if the offer must wait for an older connection to close, or for a subscriber.
     */
    private boolean isAnswered(InboundPeer peer, Setup offer) {
        return !isCarriedElsewhere(peer, offer)
                && !isBeingMoved(peer, offer)
                && (resume(peer, offer) || accept(peer, offer));
    }

    /** Returns whether the driver has yet to name the image in which the stream continues. */
    private boolean isBeingMoved(InboundPeer peer, Setup offer) {
        IncomingImage image = images.held(peer, offer);
        return image != null && image.isBeingMoved();
    }

    /**
     * Returns whether an older connection of the same driver carries the stream, and must close
     * first.
     */
    private boolean isCarriedElsewhere(InboundPeer peer, Setup offer) {
        boolean carried = false;
        for (int i = 0; i < peers.count(); i++) {
            InboundPeer other = peers.get(i);
            if (other != peer && other.driverId == peer.driverId) {
                IncomingImage written = other.written(offer.registrationId());
                Setup carriedOffer =
                        written != null ? written.offer : other.pending(offer.registrationId());
                if (carriedOffer != null && carriedOffer.resumeToken() == offer.resumeToken()) {
                    other.supersede();
                    carried = true;
                }
            }
        }
        return carried;
    }

    /** Resumes the image held for an offer; returns false if the offer is for a new image. */
    private boolean resume(InboundPeer peer, Setup offer) {
        images.endReplaced(peer, offer);
        IncomingImage image = images.held(peer, offer);
        if (image == null) {
            if (offer.isResuming()) {
                reject(peer, offer, RejectCode.NO_IMAGE, "the image has ended");
            }
            return offer.isResuming();
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(image.image.log(), image.image.consumedPosition());
        if (frontier.defect() != null || !offer.isOfSameStream(image.offer)) {
            images.endHeld(
                    image,
                    offer.description() + " cannot resume, because the received log is damaged");
            reject(peer, offer, RejectCode.NO_IMAGE, "the image is damaged");
            return true;
        }
        images.resume(
                peer, image, offer, frontier.position(), resumed(peer, offer, image.counters));
        return true;
    }

    /**
     * Returns a callback for the result of resuming, which counts it if the counters are not null.
     */
    private InboundImages.Outcome resumed(InboundPeer peer, Setup offer, ImageCounters counters) {
        return new InboundImages.Outcome() {
            @Override
            public void onAccepted() {
                if (counters != null) {
                    peer.counters.resumes.incrementRelease();
                    counters.resumes.incrementRelease();
                }
            }

            @Override
            public void onRefused(String reason) {
                fail(peer, offer, reason);
            }
        };
    }

    /**
     * Creates an image for an offer; returns false if there is no subscription. A failed offer is
     * rejected.
     */
    private boolean accept(InboundPeer peer, Setup offer) {
        ImageMemory.Share share = images.take(peer, offer);
        if (share == null) {
            complaints.record(
                    RdmaPeerErrors.Kind.NO_MEMORY,
                    peer.host,
                    "the streams from "
                            + peer.host
                            + " need more memory than rdma.max-image-memory, or all streams need"
                            + " more than rdma.max-total-image-memory: raise the exceeded limit, or"
                            + " shorten term-length");
            reject(
                    peer,
                    offer,
                    RejectCode.NO_RESOURCES,
                    "the image needs too much memory: raise that driver's"
                            + " rdma.max-image-memory or rdma.max-total-image-memory, or reduce"
                            + " the publication's term-length");
            return true;
        }
        peer.pending.add(offer);
        boolean isWanted =
                host.onSetup(
                        peer.listener,
                        new ImageSetup(
                                offer.sessionId(),
                                offer.streamId(),
                                offer.initialTermId(),
                                offer.termLength(),
                                offer.mtu(),
                                offer.position(),
                                peer.source,
                                offer.wantsResponses()),
                        new Answer(peer, offer, share));
        if (!isWanted) {
            peer.pending.remove(offer);
            images.giveBack(share);
        }
        return isWanted;
    }

    /**
     * The driver's answer to an offer. The peer may have disconnected or closed the stream in the
     * meantime.
     */
    private final class Answer implements SetupAnswer, InboundImages.Outcome {
        private final InboundPeer peer;
        private final Setup offer;
        private final ImageMemory.Share share;

        private Answer(InboundPeer peer, Setup offer, ImageMemory.Share share) {
            this.peer = peer;
            this.offer = offer;
            this.share = share;
        }

        @Override
        public void onImage(InboundImage image) {
            if (!peer.pending.remove(offer)) {
                share.fail();
                images.beginUnwritten(
                        image, offer, share, "the publication was closed before it was connected");
                return;
            }
            images.begin(peer, image, offer, share, this);
        }

        @Override
        public void onAccepted() {
            // The peer writes the image.
        }

        @Override
        public void onRefused(String reason) {
            share.fail();
            fail(peer, offer, reason);
        }

        @Override
        public void onUnwanted() {
            images.giveBack(share);
            if (peer.pending.remove(offer)) {
                defer(peer, offer);
            }
        }

        @Override
        public void onFailed(String reason) {
            share.fail();
            images.giveBack(share);
            if (peer.pending.remove(offer)) {
                fail(peer, offer, reason);
            }
        }
    }

    private void fail(InboundPeer peer, Setup offer, String failure) {
        complaints.record(
                RdmaPeerErrors.Kind.STREAM_REFUSED,
                peer.host,
                peer.listener.channel(),
                "a stream from " + peer.host + " was refused: " + failure);
        reject(peer, offer, RejectCode.NO_RESOURCES, failure);
    }

    /**
     * Requests deferred streams for a new subscriber. The peer offers them again, because they may
     * have advanced in the meantime.
     */
    void offerAgain(InboundListener listener, int streamId) {
        for (int i = 0; i < peers.count(); i++) {
            InboundPeer peer = peers.get(i);
            if (peer.listener == listener && peer.state() != InboundPeer.State.ENDING) {
                peer.deferred.removeIf(
                        offer -> offer.streamId() == streamId && isAskedFor(peer, offer));
            }
        }
    }

    private boolean isAskedFor(InboundPeer peer, Setup offer) {
        if (isCarriedElsewhere(peer, offer)) {
            return false;
        }
        reply(peer, new ReceiverCommand.Wanted(offer.registrationId()));
        return true;
    }

    /**
     * Handles deferred offers again, after an older connection or a move that they waited for has
     * ended.
     */
    void offerWaiting() {
        for (int i = 0; i < peers.count(); i++) {
            InboundPeer peer = peers.get(i);
            if (peer.state() != InboundPeer.State.ENDING) {
                peer.deferred.removeIf(offer -> isAnswered(peer, offer));
            }
        }
    }

    private void reject(InboundPeer peer, Setup offer, RejectCode code, String text) {
        reply(peer, new ReceiverCommand.Reject(offer.registrationId(), code, text));
    }

    private void reply(InboundPeer peer, ReceiverCommand.Answer answer) {
        commands.add(new ReceiverCommand.Reply(peer.link(), answer));
    }
}
