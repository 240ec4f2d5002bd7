// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.driver.agent.Mergers;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ReceivedPosition;
import io.verbus.driver.status.SourceCounters;
import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.SetupAnswer;

import org.agrona.ErrorHandler;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Manages the images at endpoints with several destinations, from the setup of an image's first
 * source until its log is released. Used by the conductor's thread.
 */
public final class MergedImages {
    /** A source that a peer offers. */
    private record Offer(
            InboundTransport transport,
            InboundEndpoint destination,
            ImageSetup setup,
            SetupAnswer answer) {}

    /** An image whose log is being created, and the sources that are waiting for the log. */
    private final class Preparation implements LogReceiver {
        private final ManualEndpoint endpoint;
        private final ImageSetup setup;
        private final List<Offer> offers = new ArrayList<>();

        private Preparation(ManualEndpoint endpoint, ImageSetup setup) {
            this.endpoint = endpoint;
            this.setup = setup;
        }

        @Override
        public void onLog(LogBuffers log) {
            preparations.remove(this);
            Subscription first =
                    subscriptions.list().first(endpoint, setup.streamId(), setup.sessionId());
            if (first == null) {
                files.free(log);
                offers.forEach(offer -> offer.answer.onUnwanted());
                return;
            }
            MergedImage image;
            try {
                image = create(endpoint, setup, log, first);
            } catch (BusException e) {
                files.free(log);
                offers.forEach(offer -> offer.answer.onFailed(e.getMessage()));
                return;
            }
            all.add(image);
            addSources(image, offers);
            subscriptions.addSource(image);
        }

        @Override
        public void onFailure(CommandException failure) {
            preparations.remove(this);
            offers.forEach(offer -> offer.answer.onFailed(failure.getMessage()));
        }
    }

    private final Subscriptions subscriptions;
    private final LogFiles files;
    private final SourceImages images;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final Mergers mergers;
    private final Images sources;
    private final RejectedStreams rejected;
    private final long livenessTimeoutNs;
    private final UntetheredTimeouts timeouts;
    private final ErrorHandler errors;
    private final List<MergedImage> all = new ArrayList<>();
    private final List<Preparation> preparations = new ArrayList<>();
    private long nowNs;

    public MergedImages(
            Subscriptions subscriptions,
            LogFiles files,
            SourceImages images,
            DriverCounters counters,
            EventEncoder events,
            Mergers mergers,
            Images sources,
            RejectedStreams rejected,
            long livenessTimeoutNs,
            UntetheredTimeouts timeouts,
            ErrorHandler errors,
            long nowNs) {
        this.subscriptions = subscriptions;
        this.files = files;
        this.counters = counters;
        this.events = events;
        this.mergers = mergers;
        this.sources = sources;
        this.rejected = rejected;
        this.images = images;
        this.livenessTimeoutNs = livenessTimeoutNs;
        this.timeouts = timeouts;
        this.errors = errors;
        this.nowNs = nowNs;
    }

    /**
     * Accepts a stream that a peer offers at a destination, as another source of an existing image
     * or as the first source of a new one.
     *
     * @return false if no subscription matches, the stream is ignored, or another stream with the
     *     same ids has an image.
     */
    public boolean onSetup(
            ManualEndpoint endpoint,
            InboundTransport transport,
            InboundEndpoint destination,
            ImageSetup setup,
            SetupAnswer answer) {
        if (!subscriptions.list().hasFor(endpoint, setup.streamId(), setup.sessionId())
                || rejected.has(destination, setup.streamId(), setup.sessionId())
                || rejected.has(endpoint, setup.streamId(), setup.sessionId())) {
            return false;
        }
        Offer offer = new Offer(transport, destination, setup, answer);
        for (MergedImage image : all) {
            if (image.endpoint() != endpoint
                    || image.streamId() != setup.streamId()
                    || image.sessionId() != setup.sessionId()) {
                continue;
            }
            image.onSuccessor();
            if (image.isActive()) {
                boolean isSame = isSame(image.log().spec(), setup);
                if (isSame) {
                    addSource(image, offer);
                }
                return isSame;
            }
        }
        prepare(endpoint, offer);
        return true;
    }

    private static boolean isSame(LogSpec spec, ImageSetup setup) {
        return spec.initialTermId() == setup.initialTermId()
                && spec.termLength() == setup.termLength();
    }

    private void prepare(ManualEndpoint endpoint, Offer offer) {
        for (Preparation each : preparations) {
            if (each.endpoint == endpoint
                    && each.setup.streamId() == offer.setup.streamId()
                    && each.setup.sessionId() == offer.setup.sessionId()) {
                each.offers.add(offer);
                return;
            }
        }
        Preparation preparation = new Preparation(endpoint, offer.setup);
        preparation.offers.add(offer);
        preparations.add(preparation);
        images.log(offer.setup, preparation);
    }

    private MergedImage create(
            ManualEndpoint endpoint, ImageSetup setup, LogBuffers log, Subscription first) {
        ReceivedPosition received =
                new ReceivedPosition(
                        counters,
                        counted(log.spec(), first.clientId(), first.channel()),
                        setup.position(),
                        null);
        UntetheredTimeouts untethered = timeouts.of(first.channel());
        untethered.noteImage(log.metadata(), first.channel());
        return new MergedImage(
                endpoint,
                first.channel(),
                log,
                setup.source(),
                received,
                mergers,
                livenessTimeoutNs,
                nowNs,
                untethered,
                counters,
                events);
    }

    private static DriverCounters.Stream counted(LogSpec spec, long clientId, ChannelUri channel) {
        return new DriverCounters.Stream(
                spec.registrationId(),
                clientId,
                spec.sessionId(),
                spec.streamId(),
                channel.toString());
    }

    /**
     * Adds the offered sources. The first source writes the log directly if it can, is the only
     * source, and no other destination may bring another source.
     */
    private void addSources(MergedImage image, List<Offer> offers) {
        Offer first = offers.getFirst();
        if (offers.size() > 1
                || !first.transport.isOneSided()
                || !image.endpoint().hasOnly(first.destination)) {
            offers.forEach(offer -> addSource(image, offer));
            return;
        }
        SourceCounters counted = countersOf(image, first);
        if (counted == null) {
            return;
        }
        NetworkImage source =
                images.direct(
                        first.transport,
                        first.destination,
                        image.channel(),
                        first.setup,
                        image.log());
        image.add(MergedSource.direct(source, first.setup, counted));
        first.answer.onImage(source);
    }

    /**
     * Allocates counters for a source. If no counters are left, rejects the source and returns
     * null.
     */
    private SourceCounters countersOf(MergedImage image, Offer offer) {
        try {
            return new SourceCounters(
                    counters,
                    counted(image.log().spec(), 0, image.channel()),
                    image.endpoint().address(offer.destination),
                    offer.setup.position());
        } catch (BusException e) {
            offer.answer.onFailed(e.getMessage());
            return null;
        }
    }

    private void addSource(MergedImage image, Offer offer) {
        if (!isSame(image.log().spec(), offer.setup)) {
            offer.answer.onUnwanted();
            return;
        }
        images.log(
                offer.setup,
                new LogReceiver() {
                    @Override
                    public void onLog(LogBuffers log) {
                        if (image.isActive() && image.endpoint().has(offer.destination)) {
                            SourceCounters counted = countersOf(image, offer);
                            if (counted == null) {
                                files.free(log);
                                return;
                            }
                            NetworkImage source =
                                    images.staged(
                                            offer.transport,
                                            offer.destination,
                                            image.channel(),
                                            offer.setup,
                                            log);
                            image.add(MergedSource.staged(source, offer.setup, counted));
                            offer.answer.onImage(source);
                        } else {
                            files.free(log);
                            offer.answer.onUnwanted();
                        }
                    }

                    @Override
                    public void onFailure(CommandException failure) {
                        offer.answer.onFailed(failure.getMessage());
                    }
                });
    }

    /** Called when a source's peer has stopped so that it can continue in another log. */
    public void onStopped(NetworkImage source, Consumer<InboundImage> goOn) {
        for (MergedImage image : all) {
            if (image.onStopped(source, images, goOn)) {
                return;
            }
        }
    }

    /** Drops the sources of a removed destination. */
    public void onRemoved(ManualEndpoint endpoint, InboundEndpoint destination) {
        for (MergedImage image : all) {
            if (image.endpoint() == endpoint) {
                image.removeFrom(destination);
            }
        }
    }

    /** Ends the images whose logs another process has truncated; returns how many. */
    public int endTruncated() {
        int count = 0;
        for (int i = 0; i < all.size(); i++) {
            MergedImage image = all.get(i);
            LogBuffers log = image.log();
            if (log.isTruncated()) {
                log.abandon();
                BusException failure = Images.truncated(image);
                image.fail(failure.getMessage());
                errors.onError(failure);
                count++;
            }
        }
        return count;
    }

    /** Runs the duty cycle; returns the work count. */
    public int update(long now) {
        nowNs = now;
        int work = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            MergedImage image = all.get(i);
            work += image.update(now, (source, why) -> sources.rejectSource(source, why, now));
            if (image.takeForsaken()) {
                rejected.leave(image.endpoint(), image.streamId(), image.sessionId());
            }
            if (image.isReleased()) {
                all.remove(i);
                subscriptions.sources().remove(image);
                image.free();
                files.release(image.log(), now);
                work++;
            }
        }
        return work;
    }

    /** Detaches slow untethered subscribers. Called at the timer interval. */
    public void watch(long now) {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).watch(now);
        }
    }

    /** Updates the monitoring counters of received positions. Called every 100 ms. */
    public void count() {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).count();
        }
    }
}
