// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundImage;
import io.verbus.transport.PeerErrorLog;
import io.verbus.transport.SetupAnswer;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.AllowedSources;
import io.verbus.udp.common.RateLimit;
import io.verbus.udp.common.UdpOptions;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.BiConsumer;

/**
 * Handles streams offered by senders: requests an image for each, within the quota of its host, or
 * refuses the stream. Used by the conductor's thread only.
 */
final class InboundSetups {
    /** Kinds of errors caused by peers, in addition to {@link ImageQuota.Refusal}. */
    private enum PeerError {
        FAILED,
        NARROW,
        NOT_ALLOWED
    }

    /**
     * Maximum number of error frames per interval; limited because source addresses can be forged.
     */
    private static final int TOLD = 16;

    private static final long TOLD_INTERVAL_NS = 100_000_000;

    private final TransportHost host;
    private final PeerErrorLog peerErrors;
    private final Queue<ReceiverCommand> commands;
    private final BiConsumer<ReceiverEvent.Offered, InboundImage> accepted;
    private final ImageQuota quota;
    private final Map<Long, ImageQuota.Share> shares = new HashMap<>();
    private final RateLimit told = new RateLimit(TOLD, TOLD_INTERVAL_NS);
    private long nowNs;

    /**
     * @param host driver that creates images.
     * @param peerErrors rate-limited log of errors caused by peers.
     * @param commands queue of commands to the receiver.
     * @param accepted consumer of each created image.
     */
    InboundSetups(
            TransportHost host,
            UdpOptions options,
            PeerErrorLog peerErrors,
            Queue<ReceiverCommand> commands,
            BiConsumer<ReceiverEvent.Offered, InboundImage> accepted) {
        this.host = host;
        this.peerErrors = peerErrors;
        this.commands = commands;
        this.accepted = accepted;
        quota = new ImageQuota(options);
    }

    /** Runs the duty cycle; returns the work count. */
    int work(long now) {
        nowNs = now;
        return quota.work(now);
    }

    /** Handles a stream that a sender offers. */
    void onOffered(ReceiverEvent.Offered offered) {
        String peer = offered.source().host();
        EndpointTerms terms = offered.endpoint().terms();
        if (terms.isTooNarrow(offered.mtu())) {
            refuse(offered, PeerError.NARROW, narrow(terms.preferredWindow(), offered));
            return;
        }
        long span =
                host.mayHoldPart(offered.endpoint())
                        ? terms.span(offered.termLength(), offered.mtu())
                        : 0;
        long bytes = ImageQuota.bytes(offered.termLength(), span);
        ImageQuota.Refusal refusal = quota.refusal(peer, offered.termLength(), bytes);
        if (refusal != null) {
            refuse(offered, refusal, quota.reason(refusal));
            return;
        }
        ImageQuota.Share share = quota.take(peer, bytes);
        if (!host.onSetup(offered.endpoint(), setup(offered, span), answer(offered, share))) {
            quota.giveBack(share);
            refuse(offered, false);
        }
    }

    private static String narrow(int window, ReceiverEvent.Offered offered) {
        return "its mtuLength="
                + offered.mtu()
                + " > initialWindowLength="
                + window
                + ": widen the window of the subscriptions at "
                + offered.endpoint().description()
                + ", or set a smaller mtu on the publication's channel";
    }

    private SetupAnswer answer(ReceiverEvent.Offered offered, ImageQuota.Share share) {
        return new SetupAnswer() {
            @Override
            public void onImage(InboundImage image) {
                shares.put(image.imageId(), share);
                host.audit(
                        "admitted udp peer="
                                + offered.source()
                                + " at="
                                + offered.endpoint().description()
                                + " stream="
                                + offered.streamId()
                                + " session="
                                + offered.sessionId());
                accepted.accept(offered, image);
            }

            @Override
            public void onUnwanted() {
                quota.end(share, nowNs);
                refuse(offered, false);
            }

            @Override
            public void onFailed(String reason) {
                quota.end(share, nowNs);
                refuse(offered, PeerError.FAILED, reason);
            }
        };
    }

    /** Handles a stream that the receiver refused because there are too many images. */
    void onCrowded(ReceiverEvent.Crowded crowded) {
        ImageQuota.Refusal refusal = ImageQuota.Refusal.IMAGES;
        tell(crowded.offered(), refusal, quota.reason(refusal));
    }

    /** Handles a datagram from a host that is not allowed. */
    void onNotAllowed(ReceiverEvent.NotAllowed stranger) {
        host.audit("refused udp peer=" + stranger.host() + " reason=not in udp.allow");
        peerErrors.record(
                PeerError.NOT_ALLOWED, stranger.host(), AllowedSources.refusal(stranger.host()));
    }

    private void refuse(ReceiverEvent.Offered offered, Enum<?> kind, String reason) {
        refuse(offered, true);
        tell(offered, kind, reason);
    }

    private void refuse(ReceiverEvent.Offered offered, boolean isWanted) {
        commands.add(
                new ReceiverCommand.Refuse(
                        offered.endpoint(), offered.streamId(), offered.sessionId(), isWanted));
    }

    /**
     * Reports the reason to operators of this driver and, by an error frame, to clients of the
     * publisher.
     */
    private void tell(ReceiverEvent.Offered offered, Enum<?> kind, String reason) {
        String peer = offered.source().host();
        peerErrors.record(
                kind,
                peer,
                "a stream from " + peer + " was refused: " + reason,
                error -> host.onError(offered.endpoint().channel(), error));
        if (told.take(nowNs)) {
            commands.add(
                    new ReceiverCommand.Fail(
                            offered.endpoint(),
                            offered.source(),
                            offered.streamId(),
                            offered.sessionId(),
                            reason.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private static ImageSetup setup(ReceiverEvent.Offered offered, long span) {
        return new ImageSetup(
                offered.sessionId(),
                offered.streamId(),
                offered.initialTermId(),
                offered.termLength(),
                offered.mtu(),
                offered.position(),
                offered.source().toString(),
                offered.wantsResponses(),
                span);
    }

    /** Handles the end of an image. */
    void onReleased(InboundImage image) {
        quota.end(shares.remove(image.imageId()), nowNs);
    }
}
