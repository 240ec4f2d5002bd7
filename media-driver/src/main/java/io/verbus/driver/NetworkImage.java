// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ReceivedPosition;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.RoundRobin;
import io.verbus.transport.Transport;

/**
 * The image of a remote publication. It goes from active through draining, when its end is known
 * and its subscribers read up to it, and closing, when the transport lets go of its memory, to
 * released. Conductor's thread but where it says otherwise.
 */
public final class NetworkImage extends RoundRobin.Taker implements Subscribable, InboundImage {
    private enum State {
        ACTIVE,
        DRAINING,
        CLOSING,
        RELEASED
    }

    private final Transport transport;
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

    /** The peer is to stop, while subscribers read on. */
    private boolean isStopping;

    /** The peer writes no more. */
    private boolean isStopped;

    /** Written by the transport. */
    private volatile int window;

    /**
     * @param log that the stream is replicated to.
     * @param id of the image: that of its log, or another where it is a source that shares the log.
     * @param received what operators are told of; null of one source of several, which no client
     *     sees.
     * @param timeouts of subscribers that do not hold the stream back.
     */
    NetworkImage(
            Transport transport,
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

    /** Whether clients see it; else it is a source, and the metadata of its log say nothing. */
    private boolean isSeen() {
        return received != null;
    }

    /** Whether its log is nobody else's. */
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

    /** Bytes that the peer may be ahead of what is consumed. Any thread. */
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

    /** Whether the stream is of requests, whose sender waits to be told of the responses. */
    boolean wantsResponses() {
        return wantsResponses;
    }

    /**
     * Tells the sender of requests in which session the responses come, while it still sends.
     *
     * @param responseSessionId of the responses; null: nothing more is told.
     */
    void tellResponseSession(Integer responseSessionId) {
        if (state == State.ACTIVE) {
            transport.tellResponseSession(this, responseSessionId);
        }
    }

    @Override
    public long id() {
        return imageId();
    }

    @Override
    public int sessionId() {
        return log.spec().sessionId();
    }

    @Override
    public int streamId() {
        return log.spec().streamId();
    }

    @Override
    public String description() {
        return description;
    }

    /** A replica's metadata have no tail. */
    @Override
    public long tail() {
        return Long.MAX_VALUE;
    }

    @Override
    public long releasable() {
        return Long.MAX_VALUE;
    }

    @Override
    public Subscribers subscribers() {
        return subscribers;
    }

    @Override
    public long untetheredLimit() {
        return Subscribable.untetheredLimit(subscribers.positions().furthest(), window);
    }

    /** The peer is granted nothing while nobody consumes. */
    @Override
    public boolean waitsForReaders() {
        return true;
    }

    @Override
    public CounterShare counterShare() {
        return CounterShare.IMAGES;
    }

    /** When the stream has ended, others may join while one still reads. */
    @Override
    public boolean serves(Subscription subscription) {
        return (state == State.ACTIVE || isBeingRead())
                && subscription.matches(endpoint, streamId(), sessionId());
    }

    private boolean isBeingRead() {
        return state == State.DRAINING && subscribers.isStillReadBefore(finalPosition);
    }

    /** Joins where the slowest subscriber is; where there is none, behind what is in place. */
    @Override
    public void attach(Subscription subscription) {
        subscribers.endImpossibleNow();
        subscribers.addAtLeast(
                subscription,
                () -> FrontierScanner.scan(log, subscribers.positions().released()).position());
    }

    /**
     * Ends the image for all its subscribers, because one of them has rejected it.
     *
     * @param why for those here.
     * @param reason for the sender, in the subscriber's words.
     */
    void reject(String why, String reason) {
        subscribers.endAll(why);
        if (state.compareTo(State.CLOSING) < 0) {
            closing();
            if (isStopped) {
                state = State.RELEASED;
            } else if (!isStopping) {
                transport.rejectImage(this, reason);
            }
        }
    }

    /**
     * The peer has taken the stream back: ends the image wherever its subscribers are. One source
     * of several ends where it is merged to, as another may go on.
     *
     * @return whether the image had not ended before.
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

    /** The peer ended the stream, and all of it is in the log. */
    void onEnding(long position) {
        hasEnded = true;
        drainTo(position);
    }

    /**
     * The peer is lost; nothing writes to the log any more. What has arrived is still read.
     *
     * @param reason in words.
     * @return the frame at which reading must stop because it is invalid, or null.
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
     * The driver closes: has the peer stop, and lets subscribers read what it has sent until then.
     * One source of several goes on, as what it has sent is not where its subscribers are.
     */
    void stop() {
        if (state == State.ACTIVE && isSeen() && !isStopping) {
            isStopping = true;
            transport.stopImage(this);
        }
    }

    /** Whether it is one that was to stop. */
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

    /** At a slow pace: tells operators what has arrived. */
    void count() {
        if (received != null && state.compareTo(State.CLOSING) < 0) {
            received.update(log, subscribers.positions().furthest());
        }
    }

    /** At each of its turns. Returns the amount of work done. */
    int update() {
        int work = subscribers.endImpossible();
        if (state == State.DRAINING) {
            work += subscribers.drain(finalPosition, endReason);
        }
        if (state.compareTo(State.CLOSING) < 0 && subscribers.isDeserted()) {
            isForsaken = state == State.ACTIVE && subscribers.hasGone();
            close(state == State.DRAINING ? endReason : "the last subscriber has gone");
            work++;
        }
        return work;
    }

    /** Whether all have left that were not removed, and for good; true once. */
    boolean takeForsaken() {
        boolean wasForsaken = isForsaken;
        isForsaken = false;
        return wasForsaken;
    }

    /** At a slow pace: lets those go that are too slow and do not hold the stream back. */
    void watch(long nowNs) {
        if (state == State.ACTIVE) {
            subscribers.watch(nowNs);
        }
    }

    /** Whether more of the stream may come. */
    boolean isActive() {
        return state == State.ACTIVE;
    }

    /** Whether the peer has ended the stream, and all of it is in the log. */
    boolean hasEnded() {
        return hasEnded;
    }

    /** Whether the peer has taken the stream back. */
    boolean isRevoked() {
        return isRevoked;
    }

    /** Where the stream ends, or {@link LogLayout#NOT_ENDED}. */
    long finalPosition() {
        return finalPosition;
    }

    /** From its end on. */
    @Override
    protected boolean isWaiting() {
        return state != State.ACTIVE;
    }

    private void close(String reason) {
        if (state.compareTo(State.CLOSING) < 0) {
            closing();
            if (isStopped) {
                state = State.RELEASED;
            } else if (!isStopping) {
                transport.closeImage(this, reason);
            }
        }
    }

    private void closing() {
        state = State.CLOSING;
        if (isSeen()) {
            log.metadata().putIntRelease(LogLayout.ACTIVE_TRANSPORT_COUNT, 0);
        }
    }

    Transport transport() {
        return transport;
    }

    InboundEndpoint endpoint() {
        return endpoint;
    }

    void onReleased() {
        if (isStopping && state.compareTo(State.CLOSING) < 0) {
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
