// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.channel.ChannelStatusIndicator;
import io.verbus.driver.channel.SamePlace;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.PublisherLimit;
import io.verbus.driver.status.ShownState;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscribers;
import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.transports.TransportStream;
import io.verbus.driver.transports.TransportStreams;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.OutboundStream;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.CompletableFuture;

/**
 * A publication sent by transports through {@link TransportStreams}, and read in place by spies.
 * The sender's thread reports the sent and released positions. The conductor cleans the log behind
 * these positions and behind the spies, and ends the publication. Both raise the limit: the sender
 * when credit arrives; the conductor while cleaning, or while a slow spy holds the limit back.
 */
public final class NetworkPublication extends Publication implements OutboundStream {
    /**
     * While spies hold the limit back, it is raised in steps. A step is the spies' window shifted
     * right by this number of bits.
     */
    private static final int GAIN_SHIFT = 3;

    private final AtomicCounter senderPosition;
    private final AtomicCounter senderLimit;
    private final AtomicCounter backPressure;
    private final AtomicCounter naks;
    private final AtomicCounter allBackPressure;
    private final DriverCounters.Stream counted;
    private final ChannelStatusIndicator status;
    private final Subscribers spies;
    private final PublicationDestinations destinations;

    private final TransportStreams streams;
    private final int termLength;
    private final long maxWindow;

    // Conductor
    private CompletableFuture<Void> begun = CompletableFuture.completedFuture(null);
    private long limitedAt;
    private long nextLimited;

    // Sender
    private boolean isReceived;
    private boolean isCarriedBySpies;
    private long carriedTo = -1;

    /** Written by the sender before {@link #released}; read by the conductor after it. */
    private long window;

    /** Written by the sender; read by the conductor. */
    private volatile long released;

    /**
     * Position from which the transport may still read the log. Written by the sender; read by the
     * conductor.
     */
    private volatile long readTo = Long.MAX_VALUE;

    /** Whether publishers may append messages. Written by the sender; read by the conductor. */
    private volatile boolean isConnected;

    NetworkPublication(
            ChannelUri channel,
            LogBuffers log,
            PublisherLimit limit,
            AtomicCounter position,
            ShownState shown,
            AtomicCounter senderPosition,
            AtomicCounter senderLimit,
            AtomicCounter backPressure,
            AtomicCounter naks,
            DriverCounters.Stream counted,
            ChannelStatusIndicator status,
            DriverConfig config,
            DriverCounters counters,
            EventEncoder events) {
        super(channel, log, limit, position, shown, config);
        this.senderPosition = senderPosition;
        this.senderLimit = senderLimit;
        this.backPressure = backPressure;
        this.naks = naks;
        this.allBackPressure = counters.system(SystemCounter.SENDER_FLOW_CONTROL_LIMITS);
        this.counted = counted;
        this.status = status;
        this.termLength = log.spec().termLength();
        this.maxWindow = 2L * termLength;
        this.released = log.spec().position();
        this.limitedAt = released;
        this.nextLimited = released;
        this.destinations = new PublicationDestinations(this, counters);
        this.streams = new TransportStreams(this, termLength);
        this.spies =
                new Subscribers(
                        this,
                        termLength,
                        released,
                        config.untethered().of(channel),
                        counters,
                        events);
        senderPosition.setRelease(released);
        senderLimit.setRelease(released);
    }

    /** Returns the stream to which the publication's counters belong. */
    public DriverCounters.Stream counted() {
        return counted;
    }

    @Override
    int channelStatusId() {
        return status.counterId();
    }

    /** Returns the status of the send channel, as clients see it. */
    public ChannelStatusIndicator status() {
        return status;
    }

    /**
     * Begins sending over a transport.
     *
     * @throws io.verbus.BusException if the transport cannot send the publication.
     */
    void begin(TransportStream stream) {
        begun = streams.begin(stream);
    }

    /**
     * Returns a future that completes in one of the conductor's duty cycles once the transport has
     * begun sending, or completes exceptionally with a {@link io.verbus.BusException} if the
     * transport cannot begin.
     */
    @Override
    CompletableFuture<Void> begun() {
        return begun;
    }

    /** Returns the streams in which transports send the publication. */
    TransportStreams streams() {
        return streams;
    }

    /**
     * Returns the local address from which the publication is sent, as text; null if the address is
     * unknown or nothing is sent.
     */
    String localAddress() {
        return streams.localAddress();
    }

    @Override
    public ChannelUri channel() {
        return named();
    }

    public PublicationDestinations destinations() {
        return destinations;
    }

    // Sender

    @Override
    public long senderPosition() {
        return senderPosition.getPlain() & -FrameHeader.ALIGNMENT;
    }

    /**
     * Returns the sent position. Ignores a value at which no frame can begin, because a client must
     * have written it.
     */
    private long sentTo() {
        return senderPosition.getAcquire() & -FrameHeader.ALIGNMENT;
    }

    @Override
    public long releasedPosition() {
        return released;
    }

    @Override
    public void senderPosition(long position) {
        senderPosition.setRelease(position);
    }

    /**
     * Records the released position, which never falls behind the position to which spies have
     * advanced the stream.
     */
    @Override
    public void onReleased(long position, long newWindow) {
        long floor = Math.max(position, released);
        long past = Math.min(position + newWindow - floor, maxWindow);
        if (floor != released || past != window) {
            window = Math.max(past, 0);
            released = floor;
            senderLimit.setRelease(floor + window);
            settleLimit();
        }
    }

    /**
     * Raises the limit as far as the released position allows if there is a receiver; otherwise
     * lowers the limit to the sent position. Called by the sender and the conductor. Each retries
     * until the connected state has not changed during the attempt.
     */
    private void settleLimit() {
        boolean connected;
        do {
            connected = isConnected;
            if (connected) {
                limit().raise(limitOfAll());
            } else {
                limit().lower(sentTo());
            }
        } while (connected != isConnected);
    }

    /**
     * Returns the limit that receivers and spies allow. Up to two terms are kept for slow
     * receivers; spies may lag by half a term at most, as in Aeron.
     */
    private long limitOfAll() {
        long limit = limitAt(spies.positions().release(released), window);
        long read = readTo;
        if (limit - read > maxWindow) { // false if nothing reads the log
            limit = read + maxWindow;
        }
        return spies.isEmpty() ? limit : Math.min(limit, spies.positions().least() + spyWindow());
    }

    private long spyWindow() {
        return Math.min(window, termLength / 2);
    }

    @Override
    public void onLogRead(long position) {
        boolean isLimiting = released + window - readTo > maxWindow;
        readTo = position;
        if (isLimiting) {
            settleLimit();
        }
    }

    @Override
    public void onConnected(boolean connected) {
        isReceived = connected;
        tellConnected();
    }

    private void tellConnected() {
        isConnected = isReceived || isCarriedBySpies;
        if (isConnected) {
            log().metadata().putIntRelease(LogLayout.CONNECTED, 1);
            settleLimit();
        } else {
            settleLimit(); // before the limit: publishers that see no connection must not append
            log().metadata().putIntRelease(LogLayout.CONNECTED, 0);
        }
    }

    /**
     * Advances a publication with {@code ssc} together with its spies while only spies read it: the
     * furthest spy's position counts as sent, and a term behind that position is kept for later
     * receivers.
     *
     * @return the work count.
     */
    int followSpies() {
        boolean byThem = !isReceived && finalPosition() == LogLayout.NOT_ENDED && !spies.isEmpty();
        if (byThem != isCarriedBySpies) {
            isCarriedBySpies = byThem;
            carriedTo = -1;
            tellConnected();
        }
        if (!byThem) {
            return 0;
        }
        long position = Math.max(spies.positions().furthest(), senderPosition());
        if (position == carriedTo || position > tail()) {
            return 0;
        }
        carriedTo = position;
        senderPosition.setRelease(position);
        long kept = Math.max(released, position - termLength);
        onReleased(kept, position - kept + termLength / 2);
        return 1;
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return named().spiesConnect();
    }

    @Override
    public void onCreditStall() {
        backPressure.incrementRelease();
        allBackPressure.incrementRelease();
    }

    @Override
    public void onNak() {
        naks.incrementRelease();
    }

    // Conductor

    @Override
    public long releasable() {
        return released;
    }

    @Override
    public Subscribers subscribers() {
        return spies;
    }

    /**
     * Returns whether a spy may join. After all publishers have closed, it may join only while
     * another spy still reads.
     */
    @Override
    public boolean serves(Subscription subscription) {
        return (isOpen() || isBeingRead())
                && subscription.channel().isSpy()
                && SamePlace.isSpied(named(), subscription.channel())
                && subscription.matches(null, streamId(), sessionId());
    }

    private boolean isBeingRead() {
        return !isRevoked() && spies.isStillReadBefore(tail()) && sentTo() < tail();
    }

    /**
     * Returns the position 3/4 of the spies' window behind the sent position. Without receivers
     * there is no window, and half a term is used.
     */
    @Override
    public long untetheredLimit() {
        long limited = released; // before the window, which is written first
        long granted = spyWindow();
        return Subscribable.untetheredLimit(
                Math.max(sentTo(), limited), granted > 0 ? granted : termLength / 2);
    }

    /** Returns false, because the stream also continues without spies. */
    @Override
    public boolean waitsForReaders() {
        return false;
    }

    /** Joins a spy at the sent position, from which the log is then kept. */
    @Override
    public void attach(Subscription subscription) {
        spies.add(subscription, this::sentTo);
    }

    @Override
    int update() {
        long position = released;
        int work = spies.endImpossible();
        long consumed = spies.positions().release(position);
        work += clean(Math.min(consumed, readTo));
        long slowest = spies.isEmpty() ? consumed : spies.positions().least();
        if (work > 0 || position != limitedAt || slowest >= nextLimited) {
            // The sender may have computed its limit from the earlier cleaned position.
            settleLimit();
            limitedAt = position;
            nextLimited = slowest + (spyWindow() >> GAIN_SHIFT) + 1;
        }
        if (finalPosition() != LogLayout.NOT_ENDED) {
            work += spies.drain(finalPosition(), "end of stream");
        }
        return work;
    }

    @Override
    long furthestPosition() {
        return sentTo();
    }

    /** The receivers' window must have room for the frame, or they hold the stream back. */
    @Override
    boolean isReadTo(long position) {
        long limited = released; // before the window, which is written first
        return sentTo() >= position
                && limited + window > position
                && (spies.isEmpty() || spies.positions().least() >= position);
    }

    @Override
    void skipUnread() {
        // The transport decides how far the stream advances without receivers.
    }

    @Override
    void onFailed(String reason) {
        spies.endAll(reason);
    }

    @Override
    void onEnded(long position) {
        streams.end();
    }

    @Override
    boolean isReleased() {
        return streams.areReleased() && spies.isDeserted();
    }

    /** Returns whether everything has been sent and read, and every receiver has left. */
    @Override
    boolean isFinished() {
        return isReleased()
                || finalPosition() != LogLayout.NOT_ENDED
                        && sentTo() >= finalPosition()
                        && !isConnected
                        && spies.isDeserted();
    }

    @Override
    void close() {
        super.close();
        senderPosition.close();
        senderLimit.close();
        backPressure.close();
        naks.close();
        streams.close();
    }
}
