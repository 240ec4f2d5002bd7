// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.HopRecorder;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyHop;
import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.background.Background;
import io.verbus.driver.background.Names;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.TransportOptions;
import io.verbus.driver.files.AuditLog;
import io.verbus.driver.files.LatencySamples;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.Losses;
import io.verbus.driver.image.Images;
import io.verbus.driver.image.MergedImages;
import io.verbus.driver.image.NetworkImage;
import io.verbus.driver.publication.NetworkPublication;
import io.verbus.driver.publication.Responses;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.subscription.ManualEndpoints;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.driver.transports.TransportStream;
import io.verbus.driver.transports.Transports;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.PeerRejection;
import io.verbus.transport.SetupAnswer;
import io.verbus.transport.StreamHops;
import io.verbus.transport.Transport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Forwards requests and events from one transport to the registries. Used by the conductor's
 * thread.
 */
final class DriverTransportHost implements Transports.Host {
    private final long driverId;
    private final TransportOptions options;
    private final Names names;
    private final Background background;
    private final LogFiles files;
    private final Images images;
    private final ManualEndpoints manuals;
    private final MergedImages merged;
    private final Subscriptions subscriptions;
    private final Responses responses;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final Losses losses;
    private final LatencySamples samples;
    private final AuditLog audit;
    private final ErrorHandler errors;
    private InboundTransport transport;

    DriverTransportHost(
            long driverId,
            TransportOptions options,
            Names names,
            Background background,
            LogFiles files,
            Images images,
            ManualEndpoints manuals,
            MergedImages merged,
            Subscriptions subscriptions,
            Responses responses,
            DriverCounters counters,
            EventEncoder events,
            Losses losses,
            LatencySamples samples,
            AuditLog audit,
            ErrorHandler errors) {
        this.driverId = driverId;
        this.options = options;
        this.names = names;
        this.background = background;
        this.files = files;
        this.images = images;
        this.manuals = manuals;
        this.merged = merged;
        this.subscriptions = subscriptions;
        this.responses = responses;
        this.counters = counters;
        this.events = events;
        this.losses = losses;
        this.samples = samples;
        this.audit = audit;
        this.errors = errors;
    }

    @Override
    public void onOpened(Transport opened) {
        transport = opened.inbound();
    }

    @Override
    public long driverId() {
        return driverId;
    }

    @Override
    public String option(String name, String defaultValue) {
        return options.option(name, defaultValue);
    }

    @Override
    public InetSocketAddress address(String name, int port) {
        return names.address(name, port);
    }

    @Override
    public CompletableFuture<Void> lookUp(String name) {
        return names.lookUp(Shares.NOBODY, name);
    }

    @Override
    public void background(Runnable work, Consumer<RuntimeException> then) {
        background.call(this, work, then);
    }

    @Override
    public void backgroundOn(LogBuffers log, Runnable work, Consumer<RuntimeException> then) {
        files.callOn(log, work, then);
    }

    @Override
    public void keepMapped(LogBuffers log) {
        files.keepMapped(log);
    }

    /**
     * Returns whether an image may keep only part of its log in memory. A merged image needs the
     * whole log in memory, because each source writes to it.
     */
    @Override
    public boolean mayHoldPart(InboundEndpoint endpoint) {
        return manuals.of(endpoint) == null && files.mayHoldPart();
    }

    @Override
    public boolean onSetup(InboundEndpoint endpoint, ImageSetup setup, SetupAnswer answer) {
        if (images.isClosing()) {
            return false;
        }
        ManualEndpoint manual = manuals.of(endpoint);
        return manual == null
                ? images.onSetup(transport, endpoint, setup, answer)
                : merged.onSetup(manual, transport, endpoint, setup, answer);
    }

    @Override
    public void onImageEnding(InboundImage image, long finalPosition) {
        ((NetworkImage) image).onEnding(finalPosition);
    }

    @Override
    public void onImageRevoked(InboundImage image, long finalPosition) {
        images.onRevoked((NetworkImage) image, finalPosition);
    }

    @Override
    public void onImageLost(InboundImage image, String reason) {
        images.onLost((NetworkImage) image, reason);
    }

    @Override
    public void onImageStopped(InboundImage image, Consumer<InboundImage> goOn) {
        merged.onStopped((NetworkImage) image, goOn);
    }

    @Override
    public void onImageReleased(InboundImage image) {
        ((NetworkImage) image).onReleased();
    }

    @Override
    public void onLocalAddressChanged(OutboundStream stream) {
        publication(stream).status().moved();
    }

    @Override
    public void onLocalAddressChanged(InboundEndpoint endpoint) {
        subscriptions.onLocalAddressChanged(endpoint);
    }

    @Override
    public void onPublicationReleased(OutboundStream stream) {
        ((TransportStream) stream).onReleased();
    }

    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        publication(stream).shown().because(message);
        LogSpec spec = stream.log().spec();
        events.publicationError(
                spec.registrationId(),
                spec.sessionId(),
                spec.streamId(),
                rejected ? ErrorCode.IMAGE_REJECTED : ErrorCode.GENERIC_ERROR,
                ChannelFailure.named(publication(stream).named(), message));
    }

    @Override
    public void onPublicationWaits(OutboundStream stream, String message) {
        publication(stream).shown().because(message);
    }

    @Override
    public SortedSet<Integer> streamsInsteadOf(
            InboundEndpoint endpoint, int streamId, int sessionId) {
        ManualEndpoint manual = manuals.of(endpoint);
        return subscriptions
                .list()
                .streamsInsteadOf(manual == null ? endpoint : manual, streamId, sessionId);
    }

    private static NetworkPublication publication(OutboundStream stream) {
        return (NetworkPublication) ((TransportStream) stream).publication();
    }

    @Override
    public void onImageRejected(OutboundStream stream, PeerRejection rejection) {
        NetworkPublication publication = publication(stream);
        events.imageRejected(
                publication.spec(),
                publication.destinations().at(rejection.destination()),
                rejection.receiverId(),
                rejection.groupTag(),
                rejection.receiver(),
                rejection.reason());
    }

    @Override
    public void onResponseSession(OutboundStream stream, int sessionId) {
        responses.onSession(publication(stream), sessionId);
    }

    @Override
    public void audit(String event) {
        audit.add(event);
    }

    @Override
    public AtomicCounter counter(TransportCounter counter) {
        return counters.ofDriver(counter.number(), counter.label());
    }

    @Override
    public AtomicCounter counter(ConnectionCounter counter, ConnectionKey key, String label) {
        return counters.connection(counter, key, label);
    }

    @Override
    public AtomicCounter deviceCounter(String device, int port) {
        return counters.device(device, port);
    }

    @Override
    public AtomicCounter counter(OutboundStream stream, int typeId, String what) {
        NetworkPublication publication = publication(stream);
        DriverCounters.Stream of = publication.counted();
        return typeId == CounterTypes.DESTINATIONS
                ? counters.channel(typeId, what, of.registration(), of.channel())
                : counters.stream(typeId, what, of);
    }

    @Override
    public AtomicCounter counter(
            OutboundStream stream, int typeId, String destination, String what) {
        return counters.destination(typeId, what, destination, publication(stream).counted());
    }

    @Override
    public AtomicCounter counter(SystemCounter counter) {
        return counters.system(counter);
    }

    @Override
    public void onLoss(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes) {
        losses.add(streamId, sessionId, channel, source, observations, bytes);
    }

    @Override
    public StreamHops hops(
            OutboundStream stream, String destination, LatencyHop wire, long reportIntervalNs) {
        LogSpec spec = stream.log().spec();
        return samples.addStream(
                new LatencyFile.Owner(
                        wire,
                        spec.registrationId(),
                        spec.streamId(),
                        spec.sessionId(),
                        stream.channel().toString(),
                        destination),
                reportIntervalNs);
    }

    @Override
    public void free(StreamHops hops) {
        samples.remove(hops);
    }

    @Override
    public HopRecorder roundTrips(String peer) {
        return samples.add(new LatencyFile.Owner(LatencyHop.ROUND_TRIP, 0, 0, 0, "", peer));
    }

    @Override
    public void free(HopRecorder recorder) {
        samples.remove(recorder);
    }

    @Override
    public void onError(Throwable error) {
        errors.onError(error);
    }

    @Override
    public void onError(ChannelUri channel, Throwable error) {
        errors.onError(ChannelFailure.of(channel, error));
    }
}
