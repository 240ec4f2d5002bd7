// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.cnc.TransportCounter;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Streams that are to go on in another log. Their peer is asked to offer them anew; its offer
 * follows its last write on the same queue pair. The driver says then in which image the stream
 * goes on, and the peer resumes there. Conductor's thread.
 *
 * <p>Where the connection is lost meanwhile, the image is held, and the stream goes on in what the
 * driver says when the peer is back.
 */
final class ImageMoves {
    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final InboundImages images;
    private final AtomicCounter moved;

    /** Held images, for the driver to be told in a later turn that nothing writes them. */
    private final ArrayDeque<IncomingImage> held = new ArrayDeque<>();

    ImageMoves(
            TransportHost host,
            RdmaOptions options,
            Queue<ReceiverCommand> commands,
            InboundImages images,
            SystemCounters counters) {
        this.host = host;
        this.options = options;
        this.commands = commands;
        this.images = images;
        moved = counters.counter(TransportCounter.RDMA_MOVES);
    }

    /** The driver wants a stream in another log. Nothing happens where its peer has just begun. */
    void begin(InboundImage image, long nowNs) {
        IncomingImage incoming = images.of(image);
        if (incoming == null || incoming.isBeingMoved()) {
            return;
        }
        if (incoming.state() == IncomingImage.State.HELD) {
            incoming.beginMove();
            held.add(incoming);
        } else if (incoming.state() == IncomingImage.State.OPEN) {
            InboundPeer peer = images.writer(image);
            incoming.state(IncomingImage.State.MOVING);
            incoming.awaitUntil(nowNs + options.probeTimeoutNs());
            peer.awaitClose();
            commands.add(
                    new ReceiverCommand.Reply(
                            peer.link(),
                            new ReceiverCommand.Again(incoming.offer.registrationId())));
        }
    }

    /** Each turn. Returns the amount of work done. */
    int work() {
        int work = 0;
        IncomingImage next;
        while ((next = held.poll()) != null) {
            tellStopped(next, null, null, null);
            work++;
        }
        return work;
    }

    /**
     * A peer has offered a stream anew because it was asked to.
     *
     * @param outcome of going on.
     * @return null, or how the offer breaks the protocol.
     */
    String onOffer(
            InboundPeer peer, IncomingImage written, Setup offer, InboundImages.Outcome outcome) {
        peer.onClosed();
        written.state(IncomingImage.State.MOVED);
        if (!offer.isOfSameStream(written.offer)
                || offer.resumeToken() != written.offer.resumeToken()) {
            return offer.description() + " is offered as what it is not";
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(written.image.log(), written.image.consumedPosition());
        if (frontier.defect() != null || frontier.position() != offer.position()) {
            return offer.description()
                    + " was sent up to "
                    + offer.position()
                    + " but what was received ends at "
                    + frontier.position();
        }
        written.beginMove();
        tellStopped(written, peer, offer, outcome);
        return null;
    }

    private void tellStopped(
            IncomingImage written, InboundPeer peer, Setup offer, InboundImages.Outcome outcome) {
        host.onImageStopped(
                written.image,
                image -> {
                    if (image != written.image) {
                        moved.incrementRelease();
                    }
                    images.goOn(peer, written, image, offer, outcome);
                });
    }
}
