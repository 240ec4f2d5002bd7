// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ReceivedPosition;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscribers;
import io.verbus.driver.subscription.Subscription;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.RoundRobin;

/**
 * Image of a remote publication. An image is first active, then draining while its subscribers
 * still read up to its known end, then closing while the transport releases its memory, and finally
 * released. Used by the conductor's thread except where noted.
 */
public final class NetworkImage extends RoundRobin.Taker implements Subscribable, InboundImage {
    private enum State {
        ACTIVE,
        DRAINING,
        CLOSING,
        RELEASED
    }

    private final InboundTransport transport;
    private final InboundEndpoint endpoint;
    private final ChannelUri channel;
    private final LogBuffers log;
    private final long id;
    private final String description;
    private final ReceivedPosition received;
    private final Subscribers subscribers;
    private final boolean wantsResponses;
    private State state = State.ACTIVE;
    private long finalPosition = LogLayout.NOT_ENDED;
    private String endReason = "end of stream";
    private boolean hasEnded;
    private boolean isRevoked;
    private boolean isForsaken;

    /** Whether the peer was asked to stop while subscribers keep reading. */
    private boolean isStopping;

    /** Whether the transport was asked to close the image while subscribers linger. */
    private boolean isLeft;

    /** Whether the peer has stopped writing. */
    private boolean isStopped;

    /** Written by the transport. */
    private volatile int window;

    /**
     * @param log log to which the stream is replicated.
     * @param id id of the image: the log's id, or a different id if the image is a source that
     *     shares the log.
     * @param received monitoring counters of the received position; null for one of several
     *     sources, which clients do not see.
     * @param timeouts timeouts for untethered subscribers.
     */
    NetworkImage(
            InboundTransport transport,
            InboundEndpoint endpoint,
            ChannelUri channel,
            ImageSetup setup,
            LogBuffers log,
            long id,
            ReceivedPosition received,
            UntetheredTimeouts timeouts,
            DriverCounters counters,
            EventEncoder events) {
        this.transport = transport;
        this.endpoint = endpoint;
        this.channel = channel;
        this.log = log;
        this.id = id;
        this.description = setup.source();
        this.received = received;
        this.wantsResponses = setup.wantsResponses();
        this.subscribers =
                new Subscribers(
                        this, setup.termLength(), setup.position(), timeouts, counters, events);
        this.window = setup.termLength();
        if (isSeen()) {
            log.metadata().putIntRelease(LogLayout.ACTIVE_TRANSPORT_COUNT, 1);
        }
    }

    // Any thread

    @Override
    public long imageId() {
        return id;
    }

    /**
     * Returns whether clients see the image. A hidden image is one of several sources of a merged
     * image; the log's metadata does not describe it.
     */
    private boolean isSeen() {
        return received != null;
    }

    /** Returns whether the image is the only user of its log. */
    boolean hasOwnLog() {
        return id == log.spec().registrationId();
    }

    @Override
    public ChannelUri channel() {
        return channel;
    }

    @Override
    public LogBuffers log() {
        return log;
    }

    @Override
    public long consumedPosition() {
        return subscribers.positions().least();
    }

    // Receiver

    @Override
    public boolean grant(long position) {
        return subscribers.positions().release(position) >= position;
    }

    @Override
    public void arrived(long position) {
        if (received != null) {
            received.arrived(position);
        }
    }

    @Override
    public void window(int bytes) {
        if (window != bytes) {
            window = bytes;
        }
    }

    /** Returns how many bytes the peer may be ahead of the consumed position. Thread-safe. */
    int window() {
        return window;
    }

    @Override
    public void onNak() {
        if (received != null) {
            received.onNak();
        }
    }

    // Conductor

    /**
     * Returns whether the stream carries requests whose sender is waiting for the response session.
     */
    public boolean wantsResponses() {
        return wantsResponses;
    }

    /**
     * Sends the response session id to the sender of the requests, repeatedly while this image is
     * active.
     *
     * @param responseSessionId session id of the responses, or null to stop sending it.
     */
    public void tellResponseSession(Integer responseSessionId) {
        if (state == State.ACTIVE) {
            transport.tellResponseSession(this, responseSessionId);
        }
    }

    @Override
    public long id() {
        return imageId();
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public Subscribers subscribers() {
        return subscribers;
    }

    @Override
    public long untetheredLimit() {
        return Subscribable.untetheredLimit(subscribers.positions().furthest(), window);
    }

    /** Returns true, because the peer is granted no credit while no subscriber consumes. */
    @Override
    public boolean waitsForReaders() {
        return true;
    }

    @Override
    public CounterShare counterShare() {
        return CounterShare.IMAGES;
    }

    /**
     * Returns whether a subscription may join. After the end of the stream, it may join only while
     * another subscriber still reads.
     */
    @Override
    public boolean serves(Subscription subscription) {
        return (state == State.ACTIVE || isBeingRead())
                && subscription.matches(endpoint, streamId(), sessionId());
    }

    private boolean isBeingRead() {
        return state == State.DRAINING && subscribers.isStillReadBefore(finalPosition);
    }

    /**
     * Joins a subscription at the slowest subscriber's position or, if there is no subscriber,
     * after the data that has arrived.
     */
    @Override
    public void attach(Subscription subscription) {
        subscribers.endImpossibleNow();
        subscribers.addAtLeast(
                subscription,
                () -> FrontierScanner.scan(log, subscribers.positions().released()).position());
    }

    /**
     * Ends the image for all its subscribers, because one of them has rejected the image.
     *
     * @param why reason to report to local subscribers.
     * @param reason reason to report to the sender, as the subscriber wrote it.
     */
    void reject(String why, String reason) {
        subscribers.endAll(why);
        if (state.compareTo(State.CLOSING) < 0) {
            closing();
            if (isStopped) {
                state = State.RELEASED;
            } else if (!isStopping && !isLeft) {
                transport.rejectImage(this, reason);
            }
        }
    }

    /**
     * Ends the image of a revoked stream at its subscribers' positions. If the image is one of
     * several sources, it drains up to the given position instead, because another source may
     * continue.
     *
     * @return true if the image had not ended before.
     */
    boolean revoke(long position) {
        if (state != State.ACTIVE) {
            return false;
        }
        isRevoked = true;
        if (!isSeen()) {
            drainTo(position);
            return true;
        }
        log.metadata().putByte(LogLayout.REVOKED, (byte) 1);
        drainTo(position);
        String reason = "the publication was revoked";
        subscribers.endAll(reason);
        close(reason);
        return true;
    }

    /** Handles the end of the stream, all of which is in the log. */
    public void onEnding(long position) {
        hasEnded = true;
        drainTo(position);
    }

    /**
     * Handles the loss of the peer, after which nothing writes to the log. Subscribers still read
     * what has arrived.
     *
     * @param reason reason as text.
     * @return the invalid frame at which reading must stop, or null.
     */
    InvalidFrameException onLost(String reason) {
        if (state != State.ACTIVE) {
            return null;
        }
        FrontierScanner.Frontier frontier =
                FrontierScanner.scan(log, subscribers.positions().furthest());
        endReason = reason;
        drainTo(frontier.position());
        return frontier.defect();
    }

    /**
     * Stops the peer because the driver is closing. Subscribers still read what the peer has sent
     * until then. If the image is one of several sources, it continues, because its position is not
     * that of the subscribers.
     */
    void stop() {
        if (state == State.ACTIVE && isSeen() && !isStopping) {
            isStopping = true;
            transport.stopImage(this);
        }
    }

    /** Returns whether the image was asked to stop. */
    boolean isStopping() {
        return isStopping;
    }

    private void drainTo(long position) {
        if (state == State.ACTIVE) {
            finalPosition = position;
            if (isSeen()) {
                log.metadata().putLongRelease(LogLayout.END_OF_STREAM, position);
            }
            state = State.DRAINING;
        }
    }

    /** Updates the monitoring counters of the received position. Called every 100 ms. */
    void count() {
        if (received != null && state.compareTo(State.CLOSING) < 0) {
            received.update(log, subscribers.positions().furthest());
        }
    }

    /** Services the image in a duty cycle. Returns the work count. */
    int update(long nowNs) {
        int work = subscribers.endImpossible();
        if (state == State.DRAINING) {
            work +=
                    hasEnded && !isStopping
                            ? drainLingering(nowNs)
                            : subscribers.drain(finalPosition, endReason);
        }
        if (state.compareTo(State.CLOSING) < 0 && subscribers.isDeserted()) {
            isForsaken = state == State.ACTIVE && subscribers.hasGone();
            close(state == State.DRAINING ? endReason : "the last subscriber has left");
            work++;
        }
        return work;
    }

    /**
     * Removes subscribers that have read everything or were detached, unless they may linger. Once
     * everything has been read, closes the image in the transport, which can then accept the same
     * session again.
     */
    private int drainLingering(long nowNs) {
        int work = subscribers.drainLingering(finalPosition, endReason, nowNs);
        if (!isLeft && !subscribers.isDeserted() && !subscribers.isStillReadBefore(finalPosition)) {
            isLeft = true;
            transport.closeImage(this);
            work++;
        }
        return work;
    }

    /** Stops lingering if another stream with the same ids starts at the same endpoint. */
    void onSuccessor(InboundEndpoint successors, int streamId, int sessionId) {
        if (state == State.DRAINING
                && endpoint == successors
                && streamId() == streamId
                && sessionId() == sessionId) {
            subscribers.onSuccessor();
            subscribers.drain(finalPosition, endReason);
        }
    }

    /**
     * Returns true, once, if the image has lost all its subscribers while its stream was active,
     * and at least one of them was permanently detached.
     */
    boolean takeForsaken() {
        boolean wasForsaken = isForsaken;
        isForsaken = false;
        return wasForsaken;
    }

    /** Detaches slow untethered subscribers. Called at the timer interval. */
    void watch(long nowNs) {
        if (state == State.ACTIVE) {
            subscribers.watch(nowNs);
        }
    }

    /** Returns whether more of the stream may arrive. */
    boolean isActive() {
        return state == State.ACTIVE;
    }

    /** Returns whether the peer has ended the stream, and all of it is in the log. */
    boolean hasEnded() {
        return hasEnded;
    }

    /** Returns whether the peer has revoked the stream. */
    boolean isRevoked() {
        return isRevoked;
    }

    /** Returns the final position, or {@link LogLayout#NOT_ENDED}. */
    long finalPosition() {
        return finalPosition;
    }

    /** Returns whether the image is ending or has ended. */
    @Override
    protected boolean isWaiting() {
        return state != State.ACTIVE;
    }

    private void close(String reason) {
        if (state.compareTo(State.CLOSING) < 0) {
            closing();
            if (isStopped) {
                state = State.RELEASED;
            } else if (!isStopping && !isLeft) {
                transport.closeImage(this);
            }
        }
    }

    private void closing() {
        state = State.CLOSING;
        if (isSeen()) {
            log.metadata().putIntRelease(LogLayout.ACTIVE_TRANSPORT_COUNT, 0);
        }
    }

    InboundTransport transport() {
        return transport;
    }

    InboundEndpoint endpoint() {
        return endpoint;
    }

    public void onReleased() {
        if (state == State.DRAINING && isLeft) {
            isStopped = true;
        } else if (isStopping && state.compareTo(State.CLOSING) < 0) {
            isStopped = true;
            onLost("the driver is closing");
        } else {
            state = State.RELEASED;
        }
    }

    boolean isReleased() {
        return state == State.RELEASED;
    }

    void free() {
        if (received != null) {
            received.close();
        }
    }
}
