// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.Setup;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TransportHost;

import java.util.Queue;

/**
 * Ends images of established connections when the peer ends their stream, or the driver closes or
 * rejects them. Used by the conductor's thread.
 */
final class ImageEnds {
    private final TransportHost host;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final Queue<ReceiverCommand> commands;
    private final InboundImages images;

    ImageEnds(
            TransportHost host,
            RdmaOptions options,
            LogRegistrations registrations,
            Queue<ReceiverCommand> commands,
            InboundImages images) {
        this.host = host;
        this.options = options;
        this.registrations = registrations;
        this.commands = commands;
        this.images = images;
    }

    /**
     * Handles a peer's Close, which ends a stream or answers that an image was closed; returns the
     * violation, or null.
     */
    String onClose(InboundPeer peer, ReceiverEvent.Closed close) {
        long registrationId = close.registrationId();
        peer.forgetDeferred(registrationId);
        peer.deferred.remove(peer.deferred(registrationId));
        peer.pending.remove(peer.pending(registrationId));
        IncomingImage written = peer.written(registrationId);
        boolean isAnswer = written != null && written.state() == IncomingImage.State.CLOSING;
        if (!isAnswer || written.isCloseUntold()) {
            reply(peer, new ReceiverCommand.ImageClosed(registrationId));
        }
        if (isAnswer) {
            release(peer, written);
            return null;
        }
        return written == null ? null : end(peer, written, close);
    }

    private String end(InboundPeer peer, IncomingImage written, ReceiverEvent.Closed close) {
        if (close.end() == StreamEnd.UNWRITTEN) {
            images.takeFrom(peer, written);
            loseUnwritten(written, "the publication was closed before it was connected");
            return null;
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(written.image.log(), written.image.consumedPosition());
        if (frontier.defect() != null || frontier.position() != close.finalPosition()) {
            return "stream "
                    + written.offer.streamId()
                    + " ends at position "
                    + close.finalPosition()
                    + ", but the received frames end at "
                    + frontier.position();
        }
        images.takeFrom(peer, written);
        switch (close.end()) {
            case REVOKED -> host.onImageRevoked(written.image, close.finalPosition());
            case UNTOLD ->
                    loseUnwritten(
                            written,
                            "the publication was closed without signalling the "
                                    + "end of the stream");
            default -> host.onImageEnding(written.image, close.finalPosition());
        }
        return null;
    }

    /** Ends an image of an established connection, once the peer can no longer write it. */
    private void loseUnwritten(IncomingImage image, String reason) {
        registrations.whenUnused(
                image.image.log(),
                () -> {
                    if (images.of(image.image) == image) {
                        host.onImageLost(image.image, reason);
                    }
                });
    }

    /**
     * Closes an image that a subscriber has rejected, and reports the reason to the peer, if a peer
     * writes the image.
     */
    void reject(InboundImage image, String reason, long nowNs) {
        IncomingImage incoming = images.of(image);
        if (incoming != null && incoming.isWritten()) {
            reply(
                    images.writer(image),
                    new ReceiverCommand.Reject(
                            incoming.offer.registrationId(), RejectCode.IMAGE_REJECTED, reason));
        }
        close(image, nowNs);
    }

    /** Closes an image at the driver's request. */
    void close(InboundImage image, long nowNs) {
        IncomingImage incoming = images.of(image);
        if (incoming == null) {
            return;
        }
        switch (incoming.state()) {
            case REGISTERING -> {
                InboundPeer peer = images.writer(image);
                images.takeFrom(peer, incoming);
                images.forget(incoming);
                putOff(peer, incoming.offer);
            }
            case OPEN -> {
                InboundPeer peer = images.writer(image);
                incoming.state(IncomingImage.State.CLOSING);
                peer.awaitClose();
                incoming.awaitUntil(nowNs + options.probeTimeoutNs());
                reply(peer, new ReceiverCommand.ImageClosed(incoming.offer.registrationId()));
            }
            case MOVING -> {
                // The answer to the peer's next offer says that there is no image. If the peer
                // has ended the stream instead, its Close is answered.
                incoming.closeDuringMove();
                incoming.awaitUntil(nowNs + options.probeTimeoutNs());
            }
            case MOVED -> {
                InboundPeer peer = images.writer(image);
                images.takeFrom(peer, incoming);
                images.forget(incoming);
                rejectEnded(peer, incoming.offer);
            }
            case CLOSING -> {
                // Waiting for the peer's answer.
            }
            case HELD -> {
                images.letGo(incoming);
                images.forget(incoming);
            }
            case UNWRITABLE -> images.forget(incoming);
        }
    }

    /**
     * Defers the offer of an image that the driver closed before the peer wrote it. The peer offers
     * the stream again, and the offer is deferred if there is no subscription.
     */
    private void putOff(InboundPeer peer, Setup offer) {
        if (offer.isResuming()) {
            rejectEnded(peer, offer);
        } else {
            if (peer.markDeferred(offer.registrationId())) {
                reply(peer, new ReceiverCommand.Defer(offer.registrationId(), null));
            }
            reply(peer, new ReceiverCommand.Wanted(offer.registrationId()));
        }
    }

    private void rejectEnded(InboundPeer peer, Setup offer) {
        reply(
                peer,
                new ReceiverCommand.Reject(
                        offer.registrationId(), RejectCode.NO_IMAGE, "the image has ended"));
    }

    /**
     * Returns an error message if a peer has not confirmed the close of an image in time, otherwise
     * null.
     */
    String late(InboundPeer peer, long nowNs) {
        if (!peer.isAwaited()) {
            return null;
        }
        for (int i = 0; i < peer.images.size(); i++) {
            IncomingImage image = peer.images.get(i);
            if (image.isAnswerAwaited() && nowNs - image.deadlineNs() >= 0) {
                return "the peer has not stopped sending stream "
                        + image.offer.streamId()
                        + " within "
                        + options.probeTimeoutNs() / 1_000_000
                        + " ms";
            }
        }
        return null;
    }

    /** Releases an image closed by the driver, after its peer has stopped writing it. */
    void release(InboundPeer peer, IncomingImage image) {
        images.takeFrom(peer, image);
        images.forget(image);
    }

    private void reply(InboundPeer peer, ReceiverCommand.Answer answer) {
        commands.add(new ReceiverCommand.Reply(peer.link(), answer));
    }
}
