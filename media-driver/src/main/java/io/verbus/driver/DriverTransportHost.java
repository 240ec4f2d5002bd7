// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportHost;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/** Takes what one transport asks or tells to the registry that it is for. Conductor's thread. */
final class DriverTransportHost implements TransportHost {
    private final long driverId;
    private final TransportOptions options;
    private final Images images;
    private final DriverCounters counters;
    private final ClientEvents events;
    private final Losses losses;
    private final ErrorHandler errors;
    private Transport transport;

    DriverTransportHost(
            long driverId,
            TransportOptions options,
            Images images,
            DriverCounters counters,
            ClientEvents events,
            Losses losses,
            ErrorHandler errors) {
        this.driverId = driverId;
        this.options = options;
        this.images = images;
        this.counters = counters;
        this.events = events;
        this.losses = losses;
        this.errors = errors;
    }

    void opened(Transport opened) {
        transport = opened;
    }

    @Override
    public long driverId() {
        return driverId;
    }

    @Override
    public String option(String name, String defaultValue) {
        return options.get(name, defaultValue);
    }

    @Override
    public InboundImage onSetup(InboundEndpoint endpoint, ImageSetup setup) {
        return images.onSetup(transport, endpoint, setup);
    }

    @Override
    public void onImageEnding(InboundImage image, long finalPosition) {
        ((NetworkImage) image).onEnding(finalPosition);
    }

    @Override
    public void onImageLost(InboundImage image, String reason) {
        images.onLost((NetworkImage) image, reason);
    }

    @Override
    public void onImageReleased(InboundImage image) {
        ((NetworkImage) image).onReleased();
    }

    @Override
    public void onPublicationReleased(OutboundStream stream) {
        ((NetworkPublication) stream).onTransportDone();
    }

    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        events.publicationFailed(
                stream.registrationId(),
                rejected ? ErrorCode.REJECTED : ErrorCode.TRANSPORT,
                message);
    }

    @Override
    public AtomicCounter counter(int typeId, long registrationId, String label) {
        return counters.of(typeId, registrationId, label);
    }

    @Override
    public AtomicCounter counter(OutboundStream stream, int typeId, String what) {
        LogSpec spec = stream.log().spec();
        return counters.stream(
                typeId,
                spec.registrationId(),
                spec.sessionId(),
                spec.streamId(),
                what + ": stream " + spec.streamId() + " session " + spec.sessionId());
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
    public void onError(Throwable error) {
        errors.onError(error);
    }
}
