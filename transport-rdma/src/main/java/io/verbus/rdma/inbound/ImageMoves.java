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
 * Moves streams to another log. The peer is asked to offer a stream again; its offer follows its
 * last write on the same queue pair. The driver then names the image in which the stream continues,
 * and the peer resumes there. Used by the conductor's thread.
 *
 * <p>If the connection is lost in the meantime, the image is held, and the stream continues in the
 * image that the driver names when the peer has reconnected.
 */
final class ImageMoves {
    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final InboundImages images;
    private final AtomicCounter moved;

    /** Held images; the driver is notified in a later turn that nothing writes them. */
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

    /** Starts moving a stream. Does nothing unless its image is open or held. */
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

    /** Runs the duty cycle; returns the work count. */
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
     * Handles a peer's offer that was requested to move a stream.
     *
     * @param outcome callback for the result of resuming.
     * @return description of the protocol violation, or null.
     */
    String onOffer(
            InboundPeer peer, IncomingImage written, Setup offer, InboundImages.Outcome outcome) {
        peer.onClosed();
        written.state(IncomingImage.State.MOVED);
        if (!offer.isOfSameStream(written.offer)
                || offer.resumeToken() != written.offer.resumeToken()) {
            return offer.description()
                    + " was offered with properties that differ from those of its image";
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(written.image.log(), written.image.consumedPosition());
        if (frontier.defect() != null || frontier.position() != offer.position()) {
            return offer.description()
                    + " was sent up to position "
                    + offer.position()
                    + ", but the received frames end at "
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
