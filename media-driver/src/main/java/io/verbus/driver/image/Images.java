// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ReceivedPosition;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.PeerErrorLog;
import io.verbus.transport.RoundRobin;
import io.verbus.transport.SetupAnswer;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.function.LongSupplier;

/**
 * Manages the images of remote publications, from setup to the release of their logs. Used by the
 * conductor's thread.
 */
public final class Images implements RoundRobin.Turn<NetworkImage> {
    /** Kinds of errors that peers cause. */
    private enum PeerError {
        INVALID,
        REJECTED
    }

    private final Subscriptions subscriptions;
    private final LogFiles files;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final ErrorHandler errors;
    private final PeerErrorLog peerErrors;
    private final LongSupplier ids;
    private final UntetheredTimeouts timeouts;
    private final AtomicCounter count;
    private final AtomicCounter lost;
    private final AtomicCounter revoked;
    private final RejectedStreams rejected;
    private final RoundRobin<NetworkImage> roundRobin;

    /** Whether the driver is closing and accepts no more streams. */
    private boolean isClosing;

    /** The image that was serviced last, if it was released in the process. */
    private NetworkImage released;

    public Images(
            Subscriptions subscriptions,
            LogFiles files,
            DriverCounters counters,
            EventEncoder events,
            ErrorHandler errors,
            LongSupplier ids,
            RejectedStreams rejected,
            UntetheredTimeouts timeouts,
            DriverClock clock) {
        this.timeouts = timeouts;
        this.rejected = rejected;
        this.subscriptions = subscriptions;
        this.files = files;
        this.counters = counters;
        this.events = events;
        this.errors = errors;
        this.peerErrors = new PeerErrorLog(errors, counters.system(SystemCounter.IMAGES_INVALID));
        this.ids = ids;
        this.count = counters.system(SystemCounter.IMAGES);
        this.revoked = counters.system(SystemCounter.IMAGES_REVOKED);
        this.lost = counters.system(SystemCounter.IMAGES_LOST);
        this.roundRobin = new RoundRobin<>(Subscribable.IDLE_AFTER_NS, clock.nanoTime());
    }

    /**
     * Creates and announces the image of a stream that a peer offers.
     *
     * @return false if no subscription matches the stream, or the stream is ignored. Otherwise the
     *     transport receives the answer later.
     */
    public boolean onSetup(
            InboundTransport transport,
            InboundEndpoint endpoint,
            ImageSetup setup,
            SetupAnswer answer) {
        if (!subscriptions.list().hasFor(endpoint, setup.streamId(), setup.sessionId())
                || rejected.has(endpoint, setup.streamId(), setup.sessionId())) {
            return false;
        }
        LogSpec spec = setup.logSpec(ids.getAsLong());
        files.image(
                spec,
                setup.span(),
                setup.source(),
                new LogReceiver() {
                    @Override
                    public void onLog(LogBuffers log) {
                        if (subscriptions
                                .list()
                                .hasFor(endpoint, spec.streamId(), spec.sessionId())) {
                            announce(transport, endpoint, setup, log, answer);
                        } else {
                            files.free(log);
                            answer.onUnwanted();
                        }
                    }

                    @Override
                    public void onFailure(CommandException failure) {
                        fail(endpoint, setup, answer, failure.getMessage());
                    }
                });
        return true;
    }

    private void announce(
            InboundTransport transport,
            InboundEndpoint endpoint,
            ImageSetup setup,
            LogBuffers log,
            SetupAnswer answer) {
        LogSpec spec = log.spec();
        Subscription first =
                subscriptions.list().first(endpoint, spec.streamId(), spec.sessionId());
        ReceivedPosition received;
        try {
            received =
                    new ReceivedPosition(
                            counters,
                            new DriverCounters.Stream(
                                    spec.registrationId(),
                                    first.clientId(),
                                    spec.sessionId(),
                                    spec.streamId(),
                                    first.channel().toString()),
                            setup.position(),
                            first.carrier());
        } catch (BusException e) {
            files.free(log);
            fail(endpoint, setup, answer, e.getMessage());
            return;
        }
        UntetheredTimeouts untethered = timeouts.of(first.channel());
        untethered.noteImage(log.metadata(), first.channel());
        NetworkImage image =
                new NetworkImage(
                        transport,
                        endpoint,
                        first.channel(),
                        setup,
                        log,
                        spec.registrationId(),
                        received,
                        untethered,
                        counters,
                        events);
        for (int i = 0; i < roundRobin.count(); i++) {
            roundRobin.get(i).onSuccessor(endpoint, spec.streamId(), spec.sessionId());
        }
        roundRobin.add(image);
        count.setRelease(roundRobin.count());
        subscriptions.addSource(image);
        answer.onImage(image);
    }

    /** Creates the image of one of several sources. Clients do not see this image. */
    public NetworkImage source(
            InboundTransport transport,
            InboundEndpoint endpoint,
            ChannelUri channel,
            ImageSetup setup,
            LogBuffers log,
            long id) {
        NetworkImage image =
                new NetworkImage(
                        transport, endpoint, channel, setup, log, id, null, timeouts, counters,
                        events);
        roundRobin.add(image);
        count.setRelease(roundRobin.count());
        return image;
    }

    private void fail(
            InboundEndpoint endpoint, ImageSetup setup, SetupAnswer answer, String reason) {
        subscriptions
                .missing()
                .report(endpoint, setup.streamId(), setup.sessionId(), setup.source(), reason);
        answer.onFailed(reason);
    }

    /** Handles a revoked stream. */
    public void onRevoked(NetworkImage image, long finalPosition) {
        if (image.revoke(finalPosition)) {
            revoked.incrementRelease();
        }
    }

    /** Handles the loss of a peer. Subscribers can still read what has arrived. */
    public void onLost(NetworkImage image, String reason) {
        lost.incrementRelease();
        if (image.isActive()) {
            leave(image);
        }
        InvalidFrameException defect = image.onLost(reason);
        if (defect != null) {
            record(PeerError.INVALID, image, defect.getMessage());
        }
    }

    /**
     * Rejects an image on behalf of a client.
     *
     * @param reason reason that the client gave.
     */
    public void reject(NetworkImage image, String why, String reason, long nowNs) {
        image.reject(why, reason);
        rejected.add(image, nowNs);
        leave(image);
    }

    /**
     * Rejects one of the sources of an image, because its frames are invalid or contradict those of
     * another source. The image continues with the other sources.
     */
    void rejectSource(NetworkImage source, String why, long nowNs) {
        record(PeerError.INVALID, source, why);
        source.reject(why, why);
        rejected.add(source, nowNs);
    }

    /** Stops all peers before the driver closes. Subscribers can still read what has arrived. */
    public void stopAll() {
        isClosing = true;
        for (int i = 0; i < roundRobin.count(); i++) {
            roundRobin.get(i).stop();
        }
    }

    /** Returns whether the driver accepts no more streams. */
    public boolean isClosing() {
        return isClosing;
    }

    /**
     * Returns how many of the images stopped by {@link #stopAll} are still being received or read.
     */
    public int unfinished() {
        int count = 0;
        for (int i = 0; i < roundRobin.count(); i++) {
            count += roundRobin.get(i).isStopping() ? 1 : 0;
        }
        return count;
    }

    /** Ends the images whose logs another process has truncated; returns how many. */
    public int endTruncated() {
        int count = 0;
        for (int i = 0; i < roundRobin.count(); i++) {
            NetworkImage image = roundRobin.get(i);
            LogBuffers log = image.log();
            if (log.isTruncated()) {
                log.abandon();
                BusException failure = truncated(image);
                onLost(image, failure.getMessage());
                image.subscribers().endAll(failure.getMessage());
                errors.onError(failure);
                count++;
            }
        }
        return count;
    }

    /** Returns the error to report for an image that has ended because its log was truncated. */
    static BusException truncated(Subscribable image) {
        return new BusException(
                "the image of stream "
                        + image.streamId()
                        + " session "
                        + image.sessionId()
                        + " from "
                        + image.description()
                        + " has ended because a client truncated its log "
                        + image.log().file()
                        + ": close the subscription, add it again, and find out which client writes"
                        + " to that file");
    }

    private void leave(NetworkImage image) {
        rejected.leave(image.endpoint(), image.streamId(), image.sessionId());
    }

    /** Logs that a client has found an invalid frame in an image. */
    public void recordDamage(NetworkImage image, String why) {
        record(PeerError.REJECTED, image, why);
    }

    /**
     * Detaches slow untethered subscribers, and expires rejections. Called at the timer interval.
     */
    public void watch(long nowNs) {
        for (int i = 0; i < roundRobin.count(); i++) {
            roundRobin.get(i).watch(nowNs);
        }
        rejected.expire(nowNs);
    }

    private void record(PeerError kind, NetworkImage image, String what) {
        String source = image.description();
        int port = source.lastIndexOf(':');
        String host = port < 0 ? source : source.substring(0, port);
        peerErrors.record(kind, host, "an image from " + host + " has ended: " + what);
    }

    /** Runs the duty cycle; returns the work count. */
    public int update(long nowNs) {
        int work = roundRobin.go(this, nowNs);
        if (released != null) {
            free(released, nowNs);
            released = null;
            work++;
        }
        return work;
    }

    /** Updates the monitoring counters of received positions. Called every 100 ms. */
    public void count() {
        for (int i = 0; i < roundRobin.count(); i++) {
            roundRobin.get(i).count();
        }
    }

    @Override
    public int take(NetworkImage image, long nowNs) {
        int work = image.update(nowNs);
        if (image.takeForsaken()) {
            leave(image);
        }
        if (image.isReleased()) {
            released = image;
        }
        return work;
    }

    private void free(NetworkImage image, long nowNs) {
        roundRobin.remove(image);
        subscriptions.sources().remove(image);
        image.free();
        if (image.hasOwnLog()) {
            files.release(image.log(), nowNs);
        }
        count.setRelease(roundRobin.count());
    }
}
